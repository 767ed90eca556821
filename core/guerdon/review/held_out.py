"""Held-out prompts before and after training, prompt by prompt."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from guerdon.ledger import Ledger, Sampling
from guerdon.review.estimate import Bounds, Estimate, Floats, Ints, Observed, difference, mean, observe
from guerdon.review.prompts import Prompts

type Verdict = Literal["gained", "lost", "no change", "not powered", "unknown"]
"""``gained``, ``lost``: the interval of the difference excludes 0. Else ``no change``, if it is
narrow enough to exclude any effect that could matter; ``not powered``, if it is not; ``unknown``,
if there is no interval."""

MATTERS = 0.05
"""A difference that could matter, as a share of the component's range."""

READINGS = ("strict", "lenient")
"""Metrics of the outcome that are compared like its value."""

SAMPLINGS: tuple[Sampling, ...] = ("greedy", "sampled")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One measure on the same held-out prompts at two steps."""

    component: str
    measure: str
    """``value``, or the name of one of the component's metrics, such as ``lenient``."""

    sampling: Sampling
    modality: str | None
    """None: all prompts."""

    before: Estimate
    after: Estimate
    difference: Estimate
    matters: float | None
    """The smallest difference that could matter; None where the component's range has no bounds."""

    @property
    def verdict(self) -> Verdict:
        """Say what the difference shows."""
        return verdict(self.difference, self.matters)


def verdict(estimate: Estimate, matters: float | None) -> Verdict:
    """Say what an estimated difference shows, where differences below `matters` would not matter."""
    if not math.isfinite(estimate.low):
        return "unknown"
    if estimate.low > 0:
        return "gained"
    if estimate.high < 0:
        return "lost"
    if matters is not None and estimate.half_width <= matters:
        return "no change"
    return "not powered"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All values of one component and measure in one evaluation. N completions."""

    values: Floats
    prompts: Ints

    def observed(self, prompts: Prompts, modality: str | None) -> Observed:
        """Sum by prompt, of one modality if it is named."""
        chosen = np.ones(len(self.prompts), dtype=np.bool_)
        if modality is not None:
            chosen = (np.array(prompts.modality) == modality)[self.prompts]
        clusters = np.array(prompts.cluster, dtype=np.int64)
        return observe(self.values[chosen], self.prompts[chosen], clusters[self.prompts[chosen]])


def compare(
    ledger: Ledger, prompts: Prompts, steps: tuple[int, int], bounds: dict[str, Bounds], outcome: str | None
) -> Iterator[Comparison]:
    """Compare two evaluations: each component, the outcome's readings too, overall and by modality.

    Only prompts that have a value on both sides count.
    """
    for sampling in SAMPLINGS:
        before, after = (_evaluations(ledger, prompts, sampling, step, outcome) for step in steps)
        modalities = sorted({prompts.modality[prompt] for one in after.values() for prompt in one.prompts})
        for key in sorted(before.keys() & after.keys(), key=lambda key: (key[0] != outcome, key[0], _rank(key[1]))):
            sides = _common(before[key], after[key])
            for modality in (None, *(modalities if len(modalities) > 1 else ())):
                observed = [side.observed(prompts, modality) for side in sides]
                if len(observed[0].sums):
                    yield _comparison(key, sampling, modality, observed, bounds[key[0]])


def _rank(measure: str) -> int:
    return ("value", *READINGS).index(measure)


def _comparison(
    key: tuple[str, str], sampling: Sampling, modality: str | None, sides: Sequence[Observed], bounds: Bounds
) -> Comparison:
    before, after = sides
    span = bounds[1] - bounds[0]
    return Comparison(
        component=key[0],
        measure=key[1],
        sampling=sampling,
        modality=modality,
        before=mean(before, bounds),
        after=mean(after, bounds),
        difference=difference(before, after, bounds),
        matters=MATTERS * span if math.isfinite(span) else None,
    )


def _common(before: Evaluation, after: Evaluation) -> tuple[Evaluation, Evaluation]:
    """Keep the prompts that have a value on both sides."""
    both = np.intersect1d(before.prompts[~np.isnan(before.values)], after.prompts[~np.isnan(after.values)])
    kept = [np.isin(side.prompts, both) for side in (before, after)]
    return (
        Evaluation(before.values[kept[0]], before.prompts[kept[0]]),
        Evaluation(after.values[kept[1]], after.prompts[kept[1]]),
    )


def _evaluations(
    ledger: Ledger, prompts: Prompts, sampling: Sampling, step: int, outcome: str | None
) -> dict[tuple[str, str], Evaluation]:
    """Read one evaluation by (component, measure)."""
    table = ledger.records(phase="eval", sampling=sampling, steps=[step]).select(
        ["component", "group_id", "value", "metrics"]
    )
    gathered: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for row in table.to_pylist():
        prompt = prompts.number[row["group_id"]]
        for measure, value in measures(row, outcome):
            gathered.setdefault((row["component"], measure), []).append((value, prompt))
    return {
        key: Evaluation(np.array([value for value, _ in pairs]), np.array([prompt for _, prompt in pairs]))
        for key, pairs in gathered.items()
    }


def measures(row: dict[str, Any], outcome: str | None) -> Iterator[tuple[str, float]]:
    """Return the value and, of the outcome, the readings; a failed grading counts in none but the value.

    Where the completion broke the grader the value is the component's minimum, and so are its
    readings: leaving such completions out would flatter the mean of the others.
    """
    value = math.nan if row["value"] is None else float(row["value"])
    yield "value", value
    if row["component"] != outcome:
        return
    metrics = json.loads(row["metrics"]) if row["metrics"] else {}
    for reading in READINGS:
        found = metrics.get(reading, value)
        yield reading, float(found) if isinstance(found, int | float) else math.nan
