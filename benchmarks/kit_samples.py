"""Rewards and samples with which the kit is to notice that a built-in plugin was changed.

The samples are the kit's own for each type of reference, and the texts of the graders' cases: those that
must earn everything are right completions, those that must earn nothing are wrong ones.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from guerdon import Reward, Sample, load_plugins
from guerdon.testing import Case, default_cases

CASES = Path(__file__).parents[1] / "tests" / "cases"

CONFIGURED: dict[str, tuple[dict[str, Any], ...]] = {
    "correctness": ({"answer_from": "tag"}, {"answer_from": "any"}),
    "format": ({}, {"format": "boxed"}),
    "grounding": ({"pred_space": "norm1000"}, {"pred_space": "abs", "match": "hungarian_f1", "class_aware": True}),
    "length": (),
    "safety": ({},),
}
"""The configurations that meet the kit's own samples."""

WORDS = "the red house stands at the corner of a long street near an old bridge over a slow river"
ONCE = " ".join(f"{word}{number}" for number, word in enumerate(WORDS.split()))
TWICE = {"a b " * 40: -77 / 79, f"{ONCE} {ONCE}": -18 / 37, ONCE: 0.0}
NEAR = {"x" * 1100: -1.0, "x" * 960: -49 / 64, "x" * 850: -21 / 64, "x" * 767: 0.0, "x" * 700: 0.0}
LONG = {"x" * 800: -1.0, "x" * 260: -0.5, "x" * 200: 0.0}
SHORT = {"": -1.0, "x" * 60: -1 / 3, "x" * 76: 0.0, "x" * 200: 0.0}
SAID = {"It is a red house. " * 9: -8 / 9, f"{ONCE}.": 0.0}
LENGTHS: tuple[tuple[dict[str, Any], dict[str, float]], ...] = (
    ({"max_len": 256, "cache_len": 64}, NEAR),
    ({"max_len": 256, "cache_len": 64, "max_penalty": -0.5}, {text: value / 2 for text, value in NEAR.items()}),
    ({"component": "target", "min_len": 20, "max_len": 60}, LONG),
    ({"component": "target", "min_len": 20, "max_len": 60}, SHORT),
    ({"component": "repetition", "ngram": 2}, TWICE),
    ({"component": "duplicates"}, SAID),
)
"""Configurations of `length`, and completions from the worst to the best with what they earn by the
definitions; a completion of n characters counts as n // 4 + 1 tokens."""


@dataclass(slots=True)
class Trial:
    """A reward with its samples."""

    reward: Reward
    cases: list[Case] = field(default_factory=list)


def trials(plugin: str) -> list[Trial]:
    """Return what the kit checks of a plugin, as it is imported now."""
    build = load_plugins().entry(plugin).reward.model_validate
    found = [Trial(build(config), default_cases()) for config in CONFIGURED[plugin]]
    if plugin == "length":
        return found + [
            Trial(build(config), [Case(Sample(f"l{number}/0", list(earns)[-1]), tuple(earns)[:1], tuple(earns), earns)])
            for number, (config, earns) in enumerate(LENGTHS)
        ]
    for config, rows in _by_config(plugin).items():
        if cases := list(_cases(rows)):
            found.append(Trial(build(json.loads(config)), cases))
    return found


def _by_config(plugin: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    lines = [line for file in sorted(CASES.glob("*.jsonl")) for line in file.read_text(encoding="utf-8").split("\n")]
    for row in (json.loads(line) for line in lines if line):
        if row["plugin"] == plugin and isinstance(row.get("completion"), str) and row.get("confidence") == "high":
            found.setdefault(json.dumps(row.get("config") or {}, sort_keys=True), []).append(row)
    return found


def _cases(rows: list[dict[str, Any]]) -> Iterator[Case]:
    """Pair what is right with what is wrong under one configuration, reference and picture."""
    by_context: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        context = [row.get("reference"), row.get("metadata"), row.get("prompt")]
        by_context.setdefault(json.dumps(context, sort_keys=True), []).append(row)
    for number, group in enumerate(by_context.values()):
        right = [row["completion"] for row in group if _earns(row) == 1]
        wrong = tuple(row["completion"] for row in group if _earns(row) == 0)
        stated = {row["completion"]: value for row in group if (value := _value(row)) is not None}
        for place, text in enumerate(right or [""]):
            if text or (stated and group[0].get("reference")):
                yield Case(_sample(f"{number}-{place}", group[0], text), wrong, earns={} if place else stated)


def _value(row: dict[str, Any]) -> float | None:
    """Return what a completion must earn, where that is one number."""
    expected = row["expected"]
    return expected.get("value") if expected["check"] == "score" else None


def _earns(row: dict[str, Any]) -> int | None:
    """Return 1 for everything, 0 for nothing, None for what is neither, or no score at all."""
    expected = row["expected"]
    if expected["check"] in ("clean", "flag"):
        return int(expected["check"] == "clean")
    value = _value(row)
    return int(value) if value in (0, 1) else None


def _sample(name: str, row: dict[str, Any], completion: str) -> Sample:
    prompt = [{"role": "user", "content": str(row.get("prompt") or "?")}]
    facts = row.get("metadata") or {}
    return Sample(f"{name}/0", completion, prompt, row.get("reference") or {}, metadata=facts, group_id=name)
