"""Our own cases of the built-in rewards, scored directly; `run.py` runs the same files through the engine."""

import json
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from case_runner.plugin_cases import sample_of
from case_runner.rewards import build_reward

from guerdon import Reward, Score

FILES = ("correctness", "numeric", "choice", "format", "grounding", "length", "safety")
CASES = [
    json.loads(line)
    for name in FILES
    for line in (Path(__file__).parent / f"{name}.jsonl").read_text("utf-8").splitlines()
]


@lru_cache(maxsize=512)
def reward(plugin: str, config: str) -> Reward:
    return build_reward(plugin, json.loads(config))


def fault(case: dict[str, Any]) -> str:
    verdict = reward(case["plugin"], json.dumps(case.get("config") or {})).score(sample_of(case))
    if not isinstance(verdict, Score):
        return f"no score: {verdict}"
    expected = case["expected"]
    found = set(verdict.evidence.get("categories", ()))
    right = {
        "score": lambda: abs(verdict.value - expected["value"]) <= expected["tol"],
        "clean": lambda: verdict.value == 0 and not found,
        "flag": lambda: verdict.value < 0 and bool(found & set(expected["categories"])),
    }[expected["check"]]()
    return "" if right else f"{verdict.value} ({verdict.reason})"


@pytest.mark.parametrize("name", FILES)
def test_file(name: str) -> None:
    lines = (Path(__file__).parent / f"{name}.jsonl").read_text("utf-8").splitlines()
    faults = [(case["id"], case["completion"][:80], found) for case in map(json.loads, lines) if (found := fault(case))]
    assert not faults, "\n".join(map(str, faults))


def test_ids_are_unique_and_no_input_stands_twice() -> None:
    assert max(Counter(case["id"] for case in CASES).values()) == 1
    inputs = Counter(
        json.dumps([case.get(key) for key in ("plugin", "completion", "config", "reference", "metadata", "prompt")])
        for case in CASES
    )
    assert [text for text, times in inputs.items() if times > 1] == []
