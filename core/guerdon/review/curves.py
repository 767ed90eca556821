"""What changed from step to step."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from guerdon.ledger import Ledger, Phase, Sampling
from guerdon.review.estimate import Bounds, Estimate, mean
from guerdon.review.groups import STATUSES, Bools, GroupTable

TOTALS = """
    SELECT step, avg(total) AS total, avg(token_count) AS length, avg(truncated::INT) AS truncated,
           avg(trained::INT) AS trained, avg(trainer_logprob - rollout_logprob) AS logprob_difference
    FROM samples WHERE phase = 'train' GROUP BY step ORDER BY step
"""


@dataclass(frozen=True, slots=True)
class Curve:
    """One component over the steps of a phase. S steps."""

    steps: tuple[int, ...]
    means: tuple[Estimate, ...]
    """[S], over completions, with the interval over prompts."""

    spread: tuple[float, ...]
    """[S], highest less lowest value of a group, mean over groups; NaN without one."""

    statuses: Mapping[str, tuple[float, ...]]
    """By status [S], the share of records."""


@dataclass(frozen=True, slots=True)
class Line:
    """A number over the steps. S steps."""

    steps: tuple[int, ...]
    values: tuple[float, ...]
    """[S], NaN where it was not measured."""


def component_curve(
    groups: GroupTable,
    component: str,
    bounds: Bounds,
    *,
    phase: Phase = "train",
    sampling: Sampling = "sampled",
    modalities: Collection[str] | None = None,
) -> Curve:
    """Follow a component over the steps of a phase; `modalities` keeps prompts of these."""
    rows = groups.chosen(phase=phase, sampling=sampling, component=component, modalities=modalities)
    steps = [int(step) for step in np.unique(groups.step[rows])]
    by_step = [rows & (groups.step == step) for step in steps]
    shares = [_shares(groups, here) for here in by_step]
    return Curve(
        steps=tuple(steps),
        means=tuple(mean(groups.observed(here), bounds) for here in by_step),
        spread=tuple(_spread(groups, here) for here in by_step),
        statuses={status: tuple(share[status] for share in shares) for status in STATUSES},
    )


def _shares(groups: GroupTable, rows: Bools) -> dict[str, float]:
    counts = groups.statuses(rows)
    total = sum(counts.values())
    return {status: count / total for status, count in counts.items()}


def _spread(groups: GroupTable, rows: Bools) -> float:
    rows = rows & (groups.numbers["count"] > 0)
    spreads = groups.numbers["high"][rows] - groups.numbers["low"][rows]
    return float(spreads.mean()) if len(spreads) else math.nan


def sample_lines(ledger: Ledger) -> dict[str, Line]:
    """Follow what the samples of each training step have in common: total, length, truncation."""
    table = ledger.sql(TOTALS)
    steps = tuple(table["step"].to_pylist())
    return {
        name: Line(steps, tuple(math.nan if value is None else value for value in table[name].to_pylist()))
        for name in table.column_names
        if name != "step"
    }


def metric_lines(ledger: Ledger) -> dict[str, Line]:
    """Follow each number of the table of steps."""
    gathered: dict[str, tuple[list[int], list[float]]] = {}
    table = ledger.steps()
    columns = (table[name].to_pylist() for name in ("metric", "step", "value"))
    for metric, step, value in zip(*columns, strict=True):
        steps, values = gathered.setdefault(metric, ([], []))
        steps.append(step)
        values.append(math.nan if value is None else value)
    return {metric: Line(tuple(steps), tuple(values)) for metric, (steps, values) in gathered.items()}
