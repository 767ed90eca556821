"""Evaluations joined by prompt."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from guerdon.comparison.sides import Side
from guerdon.errors import DataError
from guerdon.ledger import Phase, Sampling
from guerdon.review.estimate import Floats, Ints
from guerdon.review.held_out import measures
from guerdon.review.prompts import connected

PROMPTS = """
    SELECT group_id, any_value(prompt) AS prompt, any_value(images) AS images, any_value(metadata) AS metadata
    FROM samples WHERE phase = '{phase}' AND sampling = '{sampling}' AND step = {step} GROUP BY group_id
"""

RECORDS = """
    SELECT group_id, component, value, metrics FROM records
    WHERE phase = '{phase}' AND sampling = '{sampling}' AND step = {step}
"""

type Key = tuple[str, str]
"""Component and measure: ``value``, or a reading of the outcome such as ``lenient``."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The prompts that all sides have. P prompts, K sides."""

    ids: tuple[str, ...]
    clusters: Ints
    """[P], the same for prompts that share a picture."""

    slices: Mapping[str, Sequence[str | None]]
    """By metadata key, and ``modality``: each prompt's value [P]."""

    values: Mapping[Key, Sequence[Floats]]
    """[K] arrays [P], mean over completions, NaN where nothing counts."""

    left_out: int
    """Prompts that not all sides have, or that are not the same on all."""


@dataclass(frozen=True, slots=True)
class _Prompt:
    text: str | None
    images: tuple[str, ...]
    metadata: Mapping[str, Any]


def join(sides: Sequence[Side], sampling: Sampling, outcome: str | None, keys: Sequence[str]) -> Joined:
    """Join evaluations by prompt.

    Args:
        sides: the evaluations.
        sampling: greedy or sampled.
        outcome: the component whose readings are compared too.
        keys: metadata to slice by.

    Raises:
        DataError: no prompt is on all sides.
    """
    asked = [_prompts(side, sampling) for side in sides]
    everywhere = set.intersection(*(set(one) for one in asked))
    same = [name for name in sorted(everywhere) if len({(one[name].text, one[name].images) for one in asked}) == 1]
    if not same:
        raise DataError(
            f"no prompt is the same on all of {', '.join(side.name for side in sides)} "
            f"({len(everywhere)} ids in common); evaluate them on one manifest"
        )
    first = [asked[0][name] for name in same]
    return Joined(
        ids=tuple(same),
        clusters=np.array(connected([one.images for one in first]), dtype=np.int64),
        slices={
            "modality": [_modality(one) for one in first],
            **{key: [_text(one, key) for one in first] for key in keys},
        },
        values=_values([means(side, "eval", sampling, outcome) for side in sides], same),
        left_out=len(set.union(*(set(one) for one in asked))) - len(same),
    )


def means(side: Side, phase: Phase, sampling: Sampling, outcome: str | None) -> dict[Key, dict[str, float]]:
    """Return each prompt's mean over its completions, by component and measure; NaN where nothing counts."""
    sums: dict[Key, dict[str, list[float]]] = {}
    query = RECORDS.format(phase=phase, sampling=sampling, step=side.step)
    for row in side.run.ledger.sql(query).to_pylist():
        for measure, value in measures(row, outcome):
            sums.setdefault((row["component"], measure), {}).setdefault(row["group_id"], []).append(value)
    return {key: {name: _mean(values) for name, values in found.items()} for key, found in sums.items()}


def _mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def _values(sides: Sequence[dict[Key, dict[str, float]]], ids: Sequence[str]) -> dict[Key, list[Floats]]:
    keys = [key for key in sides[0] if all(key in side for side in sides)]
    nan = float("nan")
    return {key: [np.array([side[key].get(name, nan) for name in ids]) for side in sides] for key in keys}


def _prompts(side: Side, sampling: Sampling) -> dict[str, _Prompt]:
    rows = side.run.ledger.sql(PROMPTS.format(phase="eval", sampling=sampling, step=side.step)).to_pylist()
    return {
        row["group_id"]: _Prompt(
            row["prompt"], tuple(name or "" for name in row["images"] or ()), json.loads(row["metadata"] or "{}")
        )
        for row in rows
    }


def _modality(prompt: _Prompt) -> str:
    declared = prompt.metadata.get("modality")
    if isinstance(declared, str):
        return declared
    return ("text", "image")[len(prompt.images)] if len(prompt.images) < 2 else "images"


def _text(prompt: _Prompt, key: str) -> str | None:
    value = prompt.metadata.get(key)
    return None if value is None else str(value)
