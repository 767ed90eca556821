"""One look at a run: the windows that are compared, and what the outcome did between them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from guerdon.audit.history import Evaluation, History, observed
from guerdon.audit.thresholds import Thresholds
from guerdon.ledger.rule import ComponentRule
from guerdon.review.estimate import Estimate, Floats, Observed, difference, mean

type Progress = Literal["gain", "none", "unclear", "no room"]
"""What the outcome did: ``none`` asks for evidence of no gain; ``no room``: it began at its best."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change from the first window of `width` steps to the last steps of the run."""

    width: int
    first: Observed
    last: Observed
    estimate: Estimate


def look_points(steps: int, thresholds: Thresholds) -> Iterator[int]:
    """List the numbers of steps at which a run is looked at, the last one included."""
    point = thresholds.first_look
    while point < steps:
        yield point
        point = max(point + 2, math.ceil(point * thresholds.spacing))
    if steps >= thresholds.first_look:
        yield steps


class Look:
    """A history at one look, with what several alarms ask of it."""

    def __init__(self, history: History, number: int, thresholds: Thresholds) -> None:
        self.history = history
        self.number = number
        """From 1; fixes how much error the look may spend."""
        self.thresholds = thresholds
        self.count = len(history.steps)
        self.alpha = thresholds.spent(number)

    @cached_property
    def wide(self) -> int:
        """Width of the windows at either end."""
        return max(1, min(self.thresholds.window, self.count // 3))

    @cached_property
    def narrow(self) -> int:
        """Width of the window at the start for what changes at once."""
        return max(1, min(self.thresholds.narrow, self.count // 4))

    @cached_property
    def outcome(self) -> ComponentRule | None:
        """The declared outcome, if its range has bounds."""
        found = next((one for one in self.history.components if one.name == self.history.outcome), None)
        return found if found and math.isfinite(span(found)) else None

    @cached_property
    def visual(self) -> bool:
        """Whether the outcome is followed on prompts with pictures alone: wherever there are any."""
        return bool(self.history.groups.visual.any())

    def window(self, begin: int, end: int, component: ComponentRule, *, anchor: bool = False) -> Observed:
        """Sum a component by prompt over steps `begin` to before `end`; an anchor where there are pictures alone."""
        rows = self.history.rows(begin, end)
        groups = self.history.groups
        column = self.history.column(component.name)
        counts = groups.counts[rows, column]
        if anchor and self.visual:
            counts = np.where(groups.visual[rows], counts, 0.0)
        return observed(groups.prompt[rows], groups.cluster[rows], groups.sums[rows, column], counts)

    def change(self, component: ComponentRule, width: int, alpha: float, *, anchor: bool = False) -> Change:
        """Estimate a component's change, with bounds that each miss with probability `alpha`."""
        first = self.window(0, width, component, anchor=anchor)
        last = self.window(self.count - self.wide, self.count, component, anchor=anchor)
        return Change(width, first, last, difference(first, last, (component.low, component.high), 2 * alpha))

    @cached_property
    def total_change(self) -> Estimate:
        """Change of the mean total between the wide windows."""
        groups = self.history.groups
        sides = []
        for begin, end in ((0, self.wide), (self.count - self.wide, self.count)):
            rows = self.history.rows(begin, end)
            sides.append(
                observed(groups.prompt[rows], groups.cluster[rows], groups.totals[rows], groups.total_counts[rows])
            )
        return difference(sides[0], sides[1], alpha=2 * self.thresholds.gain_alpha)

    @cached_property
    def anchors(self) -> tuple[Change, Change]:
        """Change of the outcome, from the wide and from the narrow window."""
        assert self.outcome is not None
        alpha = self.thresholds.gain_alpha
        return (
            self.change(self.outcome, self.wide, alpha, anchor=True),
            self.change(self.outcome, self.narrow, alpha, anchor=True),
        )

    @cached_property
    def held_out(self) -> list[tuple[int, Observed]]:
        """The outcome on held-out prompts, evaluation after evaluation."""
        return evaluations(self.history.evaluations, "eval", visual=self.visual)

    @cached_property
    def held_out_change(self) -> Estimate | None:
        """Change of the outcome on held-out prompts from the first evaluation to the last."""
        if len(self.held_out) < 2 or self.outcome is None:
            return None
        bounds = (self.outcome.low, self.outcome.high)
        found = difference(self.held_out[0][1], self.held_out[-1][1], bounds, 2 * self.thresholds.gain_alpha)
        return found if math.isfinite(found.low) else None

    def progress(self, bound: float | None = None) -> Progress:
        """Say what the outcome did.

        Args:
            bound: gains surely below that are none, and only those from there on are gains, as a share of
                the range; `standstill` if none is given.
        """
        assert self.outcome is not None
        bound = (self.thresholds.standstill if bound is None else bound) * span(self.outcome)
        wide, narrow = (one.estimate for one in self.anchors)
        held = self.held_out_change
        strict = narrow.value - 2.33 * narrow.standard_error  # 1%: this window is short, and one more try
        sure = [one.value for one in (wide, held) if one and one.low > 0] + [narrow.value] * (strict > 0)
        if any(value >= bound for value in sure):
            return "gain"
        start = mean(self.anchors[0].first).value
        if start > self.outcome.high - self.thresholds.room * span(self.outcome) and not wide.high < 0:
            return "no room"
        if narrow.value >= bound or (held is not None and held.value >= bound):
            return "unclear"
        return "none" if wide.high < bound or (held is not None and held.high < bound) else "unclear"

    def step(self, index: int) -> int:
        """Return the number of a step by its place."""
        return int(self.history.steps[index])


def span(component: ComponentRule) -> float:
    """Return the width of a component's range."""
    return component.high - component.low


def evaluations(
    found: Sequence[Evaluation], phase: str, *, visual: bool, samplings: frozenset[str] | None = None
) -> list[tuple[int, Observed]]:
    """Add the outcome up by step and prompt over the samplings that every evaluation has."""
    mine = [one for one in found if one.phase == phase]
    steps = sorted({one.step for one in mine})
    if not steps:
        return []
    common = frozenset.intersection(*(frozenset(o.sampling for o in mine if o.step == step) for step in steps))
    common = common if samplings is None else common & samplings
    joined = [(step, [one for one in mine if one.step == step and one.sampling in common]) for step in steps]
    return [(step, _joined(parts, visual=visual)) for step, parts in joined if parts]


def _joined(parts: Sequence[Evaluation], *, visual: bool) -> Observed:
    prompt, cluster, sums, counts = (
        np.concatenate([getattr(one, name) for one in parts]) for name in ("prompt", "cluster", "sums", "counts")
    )
    seen = np.concatenate([one.visual for one in parts])
    return observed(prompt, cluster, sums, np.where(seen | (not visual), counts, 0.0))


def smooth(values: Floats, width: int) -> Floats:
    """Average each value with those before it, `width` in all; NaN is passed over."""
    known = ~np.isnan(values)
    sums, counts = np.cumsum(np.where(known, values, 0.0)), np.cumsum(known.astype(np.float64))
    late = np.arange(len(values)) - width
    before = np.where(late >= 0, sums[late], 0.0), np.where(late >= 0, counts[late], 0.0)
    count = counts - before[1]
    means: Floats = np.divide(sums - before[0], count, out=np.full(len(values), np.nan), where=count > 0)
    return means
