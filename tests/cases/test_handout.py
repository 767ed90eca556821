"""The handed-out cases through the public API, and the runner's own judgement."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def run(*paths: Path | str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(FOLDER / "run.py"), *map(str, paths)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONWARNINGS": "default"},
        check=False,
    )


@pytest.mark.slow
def test_every_case_that_is_not_a_policy_choice_passes() -> None:
    done = run(FOLDER / "handout.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr
    passed, failed = (int(word.split()[0]) for word in done.stdout.splitlines()[-1].split(", "))
    assert passed + failed == 220
    assert passed >= 0.97 * 220


def _write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


RIGHT = (
    '{"id": "t-1", "plugin": "format", "completion": "\\\\boxed{7}", "config": {"format": "boxed"}, '
    '"expected": {"check": "score", "value": VALUE}, "confidence": "CONFIDENCE"}'
)


@pytest.mark.parametrize(
    ("value", "confidence", "status", "last"),
    [
        ("1.0", "high", 0, "1 passed, 0 failed"),
        ("0.5", "high", 1, "0 passed, 1 failed"),
        ("0.5", "medium", 1, "0 passed, 1 failed"),
        ("0.5", "low", 0, "0 passed, 1 failed"),
    ],
)
def test_exit_status_and_summary(tmp_path: Path, value: str, confidence: str, status: int, last: str) -> None:
    path = _write(tmp_path / "cases.jsonl", RIGHT.replace("VALUE", value).replace("CONFIDENCE", confidence))
    done = run(path)
    assert done.returncode == status, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == last
    assert len(lines) == 1 + last.startswith("0")
    assert all(line.startswith("FAIL t-1 ") for line in lines[:-1])


def test_without_files_it_explains_itself() -> None:
    done = run()
    assert done.returncode == 2
    assert "run.py FILE.jsonl" in done.stdout
