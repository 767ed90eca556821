"""Faults that are known beforehand: of public rewards, made anew, and of data, one bad row for each kind."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.core.testing import faulty

from benchmarks.runner import Target
from guerdon import Reward, Sample
from guerdon.preflight import component_rows, look_at_pictures, picture_row, read_split, split_row
from guerdon.testing import check_reward, default_cases
from guerdon_plugins import Correctness, Grounding

BOXES = {"type": "boxes", "boxes": [[64, 48, 320, 240]], "ref_space": "abs"}
BOX = Sample(
    "box/0",
    '[{"bbox_2d": [64, 48, 320, 240]}]',
    reference=BOXES,
    metadata={"image_width": 640, "image_height": 480},
)
NUMBER = Sample("n/0", "12", reference={"type": "numeric", "answer": 12})

KNOWN: dict[str, tuple[Reward, list[Any]]] = {
    "boxes inverted": (faulty.SignedBoxes(), [BOX]),
    "each box ten times": (faulty.TenAsOne(), [BOX]),
    "the right answer inside a longer word": (faulty.Contains(), default_cases()),
    "references that confirm nothing": (faulty.ForgivingGold(), [NUMBER]),
    "the form, and the answer, only in the prompt": (faulty.BoxAnywhere(), default_cases()),
    "every option": (faulty.EveryOption(), default_cases()),
}
"""What the kit must say of each."""

BAD: dict[str, Any] = {
    "no JSON": "{",
    "unknown field": {"extra": 1},
    "no messages": {"messages": []},
    "role": {"messages": [{"role": "judge", "content": "?"}]},
    "NaN": '{"id": "nan", "messages": [{"role": "user", "content": "?"}], "reference": {"answer": NaN}}',
    "picture gone": {"picture": "gone.png"},
    "picture torn": {"picture": "torn.png"},
    "letter outside the options": {"reference": {"type": "choice", "answer": "Z", "options": ["A", "B"]}},
    "empty answer": {"reference": {"type": "exact", "answer": " "}},
    "no number": {"reference": {"type": "numeric", "answer": "many"}},
    "no reference": {"reference": {}},
    "unknown type": {"reference": {"type": "poem", "answer": "x"}},
    "null fields": {"reference": {"type": "fields", "answer": {"total": None}}},
    "boxes without a space": {"reference": {"type": "exact", "answer": "x", "boxes": [[1, 2, 3, 4]]}},
}
"""Rows of a manifest that preflight must refuse, between rows that it must not."""


def targets() -> Iterator[Target]:
    """Check the known faults, and a manifest with bad rows."""
    caught = sum(_says(*known) >= {name} for name, known in KNOWN.items())
    yield _all("known faults of public rewards caught (of all)", caught, len(KNOWN))
    found, wrongly = bad_rows()
    yield _all("bad rows that preflight finds (of all)", found, len(BAD))
    yield Target("good rows that preflight refuses", wrongly, 0, wrongly, 0.0, "== 0", wrongly == 0)


def _all(name: str, got: int, of: int) -> Target:
    return Target(name, got, of, got / of, 0.0, "== 1", got == of)


def _says(reward: Reward, samples: list[Any]) -> set[str]:
    report = check_reward(reward, samples)
    failed = {finding.check for finding in report.findings if not finding.ok}
    return failed | {payout.attack for payout in report.payouts if not payout.ok}


def bad_rows() -> tuple[int, int]:
    """Return how many bad rows are refused, and how many good ones."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n")
        lines: list[str] = []
        for number, bad in enumerate(BAD.values()):
            lines += [_row(f"good{number}", {}), bad if isinstance(bad, str) else _row(f"bad{number}", bad)]
        path = folder / "train.jsonl"
        path.write_text("\n".join(lines), encoding="utf-8")
        split = read_split("train", str(path))
        rewards = {"answer": Correctness(), "boxes": Grounding(pred_space="norm1000")}
        rows = [split_row(split), picture_row(split, look_at_pictures([split]))]
        rows += component_rows(rewards, "answer", split)
        told = [text.replace(" ", ":") for row in rows for text in row.refusals]
        refused = {number for number in range(1, len(lines) + 1) if any(f"{path}:{number}:" in text for text in told)}
    return sum(number % 2 == 0 for number in refused), sum(number % 2 for number in refused)


def _row(name: str, changes: dict[str, Any]) -> str:
    content: list[dict[str, str]] = [{"type": "text", "text": f"question {name}?"}]
    if "picture" in changes:
        content.insert(0, {"type": "image", "image": changes["picture"]})
    row = {
        "id": name,
        "messages": [{"role": "user", "content": content}],
        "reference": {"type": "exact", "answer": name},
        "metadata": {"image_width": 640, "image_height": 480},
    }
    return json.dumps(row | {key: value for key, value in changes.items() if key != "picture"})
