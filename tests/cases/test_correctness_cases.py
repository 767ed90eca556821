"""Our own cases of correctness, scored directly; `run.py` runs the same file through the engine."""

import json
from pathlib import Path

import pytest

from guerdon import Sample, Score
from guerdon_plugins.correctness import Correctness

CASES = [json.loads(line) for line in (Path(__file__).parent / "correctness.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, object]) -> None:
    reward = Correctness.model_validate(case["config"])
    score = reward.score(Sample("case/0", case["completion"], reference=case["reference"]))
    assert isinstance(score, Score), score
    assert score.value == case["expected"]["value"], (case["completion"], case["reference"], score.reason)


def test_ids_are_unique() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES)
