"""Runs compared on the prompts that they share."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from guerdon.comparison.answers import Joined, Key, join, means
from guerdon.comparison.paired import holm, p_value, paired
from guerdon.comparison.regressions import Regression, regressions
from guerdon.comparison.sides import Side, common_sampling, named
from guerdon.ledger import Sampling
from guerdon.review.estimate import Bounds, Estimate
from guerdon.review.held_out import MATTERS, READINGS, Verdict, verdict

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Row:
    """One measure on the same prompts of two sides."""

    before: str
    after: str
    """Names of the sides."""

    component: str
    measure: str
    """``value``, or a reading of the outcome: ``strict``, ``lenient``."""

    slice: str | None
    """Such as ``modality=image``; None: all prompts."""

    means: tuple[float, float]
    difference: Estimate
    p: float
    p_holm: float
    """Corrected for all components, readings and contrasts on all prompts; of slices, for all slices."""

    matters: float | None
    """The smallest difference that could matter; None where the component's range has no bounds."""

    @property
    def verdict(self) -> Verdict:
        """Say what the difference shows; a gain or a loss must survive Holm's correction."""
        found = verdict(self.difference, self.matters)
        return "not powered" if found in ("gained", "lost") and self.p_holm >= ALPHA else found


@dataclass(frozen=True, slots=True)
class Sight:
    """What the outcome of a side loses with shuffled or blank pictures."""

    side: str
    sighted: float
    blind: float
    difference: Estimate
    """Blind less sighted."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two sides that are compared."""

    before: str
    after: str
    rows: tuple[Row, ...]
    regressions: tuple[Regression, ...]

    def row(self, component: str | None, measure: str = "value", part: str | None = None) -> Row | None:
        """Return one row, or None."""
        wanted = (component, measure, part)
        return next((row for row in self.rows if (row.component, row.measure, row.slice) == wanted), None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All contrasts of several evaluations."""

    sides: tuple[str, ...]
    sampling: Sampling
    outcome: str | None
    prompts: int
    left_out: int
    contrasts: tuple[Contrast, ...]
    sight: tuple[Sight, ...]


def compare(sides: Sequence[Side], *, slices: Sequence[str] = (), outcome: str | None = None) -> Comparison:
    """Compare evaluations pair by pair: each with the one before, and the last with the first.

    Args:
        sides: at least two, such as base, SFT and GRPO.
        slices: metadata keys to slice by, besides the modality.
        outcome: the component that the runs are for; what the last side declares, if none is given.

    Raises:
        DataError: no prompt is the same on all sides.
        ConfigError: the sides have no sampling in common.
    """
    chosen = list(sides)
    outcome = outcome or chosen[-1].rule.outcome
    sampling = common_sampling(chosen)
    joined = join(chosen, sampling, outcome, slices)
    names = named(chosen)
    bounds = {one.name: (one.low, one.high) for one in chosen[-1].rule.components}
    pairs = sorted(
        {(k, k + 1) for k in range(len(chosen) - 1)} | {(0, len(chosen) - 1)}, key=lambda p: (p[1] - p[0], p)
    )
    rows = _corrected([row for pair in pairs for row in _rows(joined, names, pair, bounds, outcome)])
    contrasts = []
    for a, b in pairs:
        mine = tuple(row for row in rows if (row.before, row.after) == (names[a], names[b]))
        worst = regressions(joined, (chosen[a], chosen[b]), (a, b), sampling, outcome)
        contrasts.append(Contrast(names[a], names[b], mine, worst))
    sight = tuple(_sights(chosen, names, joined, sampling, outcome, bounds))
    return Comparison(tuple(names), sampling, outcome, len(joined.ids), joined.left_out, tuple(contrasts), sight)


def _rows(
    joined: Joined, names: Sequence[str], pair: tuple[int, int], bounds: dict[str, Bounds], outcome: str | None
) -> Iterator[Row]:
    everything = np.ones(len(joined.ids), dtype=np.bool_)
    keys = sorted(joined.values, key=lambda key: (key[0] != outcome, key[0], _rank(key[1])))
    for key in keys:
        yield from _row(joined, names, pair, key, None, everything, bounds)
    for name, values in joined.slices.items():
        parts = sorted({value for value in values if value is not None})
        for part in parts if len(parts) > 1 else []:
            chosen = np.array([value == part for value in values])
            for key in keys:
                if key[0] == outcome:
                    yield from _row(joined, names, pair, key, f"{name}={part}", chosen, bounds)


def _row(
    joined: Joined,
    names: Sequence[str],
    pair: tuple[int, int],
    key: Key,
    part: str | None,
    chosen: np.ndarray,
    bounds: dict[str, Bounds],
) -> Iterator[Row]:
    """Compare one measure on the chosen prompts that have a value on both sides, if there are any."""
    before, after = (joined.values[key][side] for side in pair)
    chosen = chosen & ~np.isnan(before) & ~np.isnan(after)
    if not chosen.any():
        return
    before, after, clusters = before[chosen], after[chosen], joined.clusters[chosen]
    low, high = bounds.get(key[0], (-math.inf, math.inf))
    found = paired(before, after, clusters, (low, high))
    p = p_value(before, after, clusters)
    matters = MATTERS * (high - low) if math.isfinite(high - low) else None
    means_ = (float(before.mean()), float(after.mean()))
    yield Row(names[pair[0]], names[pair[1]], *key, part, means_, found, p, p, matters)


def _rank(measure: str) -> int:
    return ("value", *READINGS).index(measure)


def _corrected(rows: Sequence[Row]) -> list[Row]:
    """Correct the rows on all prompts together, and those on slices together."""
    fixed = list(rows)
    for sliced in (False, True):
        places = [place for place, row in enumerate(rows) if (row.slice is not None) == sliced]
        for place, p in zip(places, holm([rows[place].p for place in places]), strict=True):
            fixed[place] = replace(rows[place], p_holm=p)
    return fixed


def _sights(
    sides: Sequence[Side],
    names: Sequence[str],
    joined: Joined,
    sampling: Sampling,
    outcome: str | None,
    bounds: dict[str, Bounds],
) -> Iterator[Sight]:
    if outcome is None or (outcome, "value") not in joined.values:
        return
    for number, side in enumerate(sides):
        found = means(side, "blind", sampling, outcome).get((outcome, "value"), {})
        blind = np.array([found.get(name, math.nan) for name in joined.ids])
        sighted = joined.values[outcome, "value"][number]
        both = ~np.isnan(blind) & ~np.isnan(sighted) & np.array([m != "text" for m in joined.slices["modality"]])
        if both.any():
            change = paired(
                sighted[both], blind[both], joined.clusters[both], bounds.get(outcome, (-math.inf, math.inf))
            )
            yield Sight(names[number], float(sighted[both].mean()), float(blind[both].mean()), change)
