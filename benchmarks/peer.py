"""Peers in an environment of their own: made once, run in a process that takes turns with ours."""

import json
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from types import TracebackType
from typing import Self

HOME = Path(__file__).parents[1] / "runs" / "peers"
"""The environment; delete it to have it made anew."""

PACKAGES = (
    "trl==1.16.0",
    "accelerate==1.15.0",
    "datasets==5.2.0",
    "dill",
    "multiprocess",
    "xxhash",
    "pandas",
    "pebble==5.2.3",
    "verifiers==0.1.14",
    "tenacity",
)
"""Installed without dependencies: torch and the rest are seen from the environment that runs the benchmark."""


def python() -> Path:
    """Return the interpreter of the peers' environment, which is made if it is not there."""
    executable = HOME / "bin" / "python"
    marker = HOME / "packages.json"
    site = HOME / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    if marker.exists() and json.loads(marker.read_text(encoding="utf-8")) == list(PACKAGES):
        _see_ours(site)
        return executable
    venv.create(HOME, with_pip=True, clear=True)
    _see_ours(site)
    subprocess.run([executable, "-m", "pip", "install", "-q", "--no-deps", *PACKAGES], check=True)
    marker.write_text(json.dumps(list(PACKAGES)), encoding="utf-8")
    return executable


def _see_ours(site: Path) -> None:
    """Let the peers import guerdon, this folder and what is installed beside them; anew each time, since that moves."""
    repository = HOME.parents[1]
    ours = [path for path in sys.path if Path(path).is_dir() and Path(path).is_relative_to(repository)]
    parents = [sysconfig.get_path("purelib"), str(repository), *ours]
    (site / "zz_parent.pth").write_text("\n".join(dict.fromkeys(parents)) + "\n", encoding="utf-8")


class Peer:
    """A peer's process. ``peer(task)`` runs one round of a task in it and returns the seconds it took."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [python(), "-m", "benchmarks.scoring_peer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self, task: str) -> float:
        """Run a task once."""
        return float(self._ask(task))

    def versions(self) -> dict[str, str]:
        """Return the peers' versions."""
        found: dict[str, str] = json.loads(self._ask("versions"))
        return found

    def _ask(self, task: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(task + "\n")
        self._process.stdin.flush()
        for answer in self._process.stdout:  # peers print as they like; ours is marked
            if answer.startswith("=> "):
                return answer[3:]
        raise RuntimeError(f"the peers' process ended while it ran {task!r}")

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
