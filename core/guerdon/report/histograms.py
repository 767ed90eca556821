"""How the scores of each step are spread."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from guerdon.ledger import Ledger
from guerdon.review.summary import ComponentSummary

BINS = 20
MAX_COLUMNS = 60
"""More steps than these are taken together, several in a column."""

QUERY = """
    SELECT r.component, r.step, least(floor((r.value - b.low) / (b.high - b.low) * {bins}), {bins} - 1)::INT AS bin,
           count(*) AS records
    FROM records r JOIN (VALUES {bounds}) b(component, low, high) ON r.component = b.component
    WHERE r.phase = 'train' AND r.value BETWEEN b.low AND b.high
    GROUP BY ALL ORDER BY ALL
"""


@dataclass(frozen=True, slots=True)
class Histogram:
    """The scores of a component in training. C columns of a few steps each."""

    first: tuple[int, ...]
    """[C], the first step of each column."""

    last: tuple[int, ...]
    shares: tuple[tuple[float, ...], ...]
    """[C][`BINS`], the share of a column's records, from the lowest score to the highest."""


def read_histograms(ledger: Ledger, components: Sequence[ComponentSummary]) -> dict[str, Histogram]:
    """Count the training scores of components that have bounds, by step and place in the range."""
    bounded = [one for one in components if math.isfinite(one.span) and one.span > 0]
    if not bounded:
        return {}
    bounds = ", ".join(f"({_quoted(one.name)}, {one.low!r}::DOUBLE, {one.high!r}::DOUBLE)" for one in bounded)
    rows = ledger.sql(QUERY.format(bins=BINS, bounds=bounds)).to_pylist()
    by_component: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_component.setdefault(row["component"], []).append(row)
    return {name: _histogram(found) for name, found in by_component.items()}


def _histogram(rows: Sequence[dict[str, Any]]) -> Histogram:
    steps = sorted({row["step"] for row in rows})
    width = -(-len(steps) // MAX_COLUMNS)
    column = {step: place // width for place, step in enumerate(steps)}
    counts = np.zeros((column[steps[-1]] + 1, BINS))
    for row in rows:
        counts[column[row["step"]], row["bin"]] += row["records"]
    shares = counts / counts.sum(axis=1, keepdims=True)
    first = steps[::width]
    last = [*(steps[place - 1] for place in range(width, len(steps), width)), steps[-1]]
    return Histogram(tuple(first), tuple(last), tuple(tuple(row) for row in shares.tolist()))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
