"""A run in a few numbers: what each component did, and what held-out prompts say."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from guerdon.ledger.rule import ComponentRule, Rule
from guerdon.review.estimate import Estimate, difference, mean
from guerdon.review.groups import Bools, GroupTable, read_groups
from guerdon.review.held_out import Comparison, compare
from guerdon.review.prompts import ModalitySource, read_prompts
from guerdon.review.run import Run
from guerdon.review.shares import ConstantGroups, Share, read_constant_groups, read_shares

WINDOW = 20
"""At most so many steps at each end of the run are averaged (as alarm 1 of the audit does)."""

CLIMB = 0.10
STANDSTILL = 0.05

ADDITIVE = frozenset({"sum", "gdpo", "gate"})
"""Modes in which a total is the sum of its contributions."""


type Progress = Literal["gain", "none", "unclear", "unknown"]


@dataclass(frozen=True, slots=True)
class Window:
    """The steps from `first` to `last`, both included."""

    first: int
    last: int

    def __str__(self) -> str:
        """Write it as a reader would say it."""
        return f"step {self.first}" if self.first == self.last else f"steps {self.first} to {self.last}"


@dataclass(frozen=True, slots=True)
class ComponentSummary:
    """One component over the training of a run."""

    name: str
    plugin: str
    role: str
    weights: tuple[float, float]
    """At the first and the last training step."""

    low: float
    high: float
    first: Estimate
    last: Estimate
    change: Estimate
    statuses: dict[str, int]
    """Training records by status."""

    share: Share | None
    rise: float | None
    """What its own change added to the mean total; None for a monitor. The rest of the total's
    change is the mix of prompts: a component abstains for some, and takes no part in their total."""

    @property
    def span(self) -> float:
        """Highest less lowest possible value; infinite without bounds."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class Summary:
    """All that the overview of a run is made of."""

    run: str
    mode: str
    outcome: str | None
    training: tuple[Window, Window] | None
    """The two ends of the training that are compared; None before the first step is done."""

    evaluations: tuple[int, ...]
    """Steps with a held-out evaluation; the first and the last are compared."""

    components: tuple[ComponentSummary, ...]
    held_out: tuple[Comparison, ...]
    constant: tuple[ConstantGroups, ...]
    modalities: ModalitySource
    totals: tuple[float, float] | None
    """Mean total reward at both ends of the training; None before the first step is done."""

    anchor: Estimate | None
    """The change of the outcome in training, on prompts with pictures, or on all if none has any."""

    def outcome_row(self, sampling: str, measure: str = "value") -> Comparison | None:
        """Return the outcome's comparison over all held-out prompts."""
        for row in self.held_out:
            if (row.component, row.sampling, row.measure, row.modality) == (self.outcome, sampling, measure, None):
                return row
        return None

    def climbing(self) -> list[ComponentSummary]:
        """Return trained components, the outcome aside, that surely rose by more than `CLIMB` of their range."""
        return [
            one
            for one in self.components
            if one.name != self.outcome and one.role == "train" and one.change.low > CLIMB * one.span
        ]

    def progress(self) -> Progress:
        """Say what the outcome did in training, by `anchor`.

        ``none``, by the bound of the audit's first alarm: the interval lies below `STANDSTILL` of
        the range. ``unclear``: it holds 0, but a gain as well.
        """
        outcome = next((one for one in self.components if one.name == self.outcome), None)
        if outcome is None or self.anchor is None or not math.isfinite(self.anchor.low):
            return "unknown"
        if self.anchor.high < STANDSTILL * outcome.span:
            return "none"
        return "gain" if self.anchor.low > 0 else "unclear"

    @property
    def constant_share(self) -> float:
        """Share of all training groups that taught nothing; NaN without groups."""
        groups = sum(one.groups for one in self.constant)
        return sum(one.constant for one in self.constant) / groups if groups else math.nan


def summarise(run: Run, groups: GroupTable | None = None) -> Summary:
    """Summarise a run.

    Args:
        run: the run.
        groups: its sums by group, where the caller has them already.

    Raises:
        LedgerError: the ledger is empty or damaged.
    """
    rule = run.rule()
    groups = groups or read_groups(run.ledger, read_prompts(run.ledger))
    evaluations = tuple(sorted(set(groups.steps("eval", "greedy")) | set(groups.steps("eval", "sampled"))))
    bounds = next((c for c in rule.components if c.name == rule.outcome), None)
    return Summary(
        run=run.name,
        mode=rule.advantage.advantage,
        outcome=rule.outcome,
        training=windows(groups.steps()),
        evaluations=evaluations,
        components=tuple(_components(run, rule, groups)),
        held_out=_held_out(run, rule, groups, evaluations),
        constant=tuple(read_constant_groups(run.ledger, rule.outcome, _middle(bounds))),
        modalities=groups.prompts.source,
        totals=_totals(run, windows(groups.steps())),
        anchor=_anchor(groups, bounds),
    )


def windows(steps: Sequence[int]) -> tuple[Window, Window] | None:
    """Choose both ends of a training: a fifth of its steps each, at least one, at most `WINDOW`."""
    if not steps:
        return None
    width = max(1, min(WINDOW, len(steps) // 5))
    return Window(steps[0], steps[width - 1]), Window(steps[-width], steps[-1])


def _totals(run: Run, ends: tuple[Window, Window] | None) -> tuple[float, float] | None:
    if ends is None:
        return None
    found = [run.ledger.sql(_TOTAL.format(first=end.first, last=end.last)).to_pylist()[0]["total"] for end in ends]
    return None if None in found else (found[0], found[1])


_TOTAL = "SELECT avg(total) AS total FROM samples WHERE phase = 'train' AND step BETWEEN {first} AND {last}"


def _middle(bounds: ComponentRule | None) -> float:
    """Tell right from wrong: half-way between worst and best."""
    middle = math.nan if bounds is None else (bounds.low + bounds.high) / 2
    return middle if math.isfinite(middle) else math.inf


def _anchor(groups: GroupTable, outcome: ComponentRule | None) -> Estimate | None:
    ends = windows(groups.steps())
    if outcome is None or ends is None:
        return None
    for modalities in (groups.prompts.visual, None):
        sides = [
            groups.observed(
                groups.chosen(component=outcome.name, steps=range(end.first, end.last + 1), modalities=modalities)
            )
            for end in ends
        ]
        estimate = difference(sides[0], sides[1], (outcome.low, outcome.high))
        if estimate.prompts:
            return estimate
    return None


def _held_out(run: Run, rule: Rule, groups: GroupTable, steps: Sequence[int]) -> tuple[Comparison, ...]:
    if len(steps) < 2:
        return ()
    bounds = {component.name: (component.low, component.high) for component in rule.components}
    return tuple(compare(run.ledger, groups.prompts, (steps[0], steps[-1]), bounds, rule.outcome))


def _components(run: Run, rule: Rule, groups: GroupTable) -> list[ComponentSummary]:
    ends = windows(groups.steps())
    if ends is None:
        return []
    shares = read_shares(run.ledger, additive=rule.advantage.advantage in ADDITIVE)
    plugins = {row["component"]: row["plugin"] for row in run.ledger.sql(_PLUGINS).to_pylist()}
    return [
        _component(component, groups, ends, plugins.get(component.name, ""), shares.get(component.name))
        for component in sorted(rule.components, key=lambda component: component.name != rule.outcome)
    ]


_PLUGINS = "SELECT component, any_value(plugin) AS plugin FROM records GROUP BY component"


def _component(
    rule: ComponentRule, groups: GroupTable, ends: tuple[Window, Window], plugin: str, share: Share | None
) -> ComponentSummary:
    rows = [groups.chosen(component=rule.name, steps=range(end.first, end.last + 1)) for end in ends]
    first, last = (groups.observed(side) for side in rows)
    weights = [groups.numbers["weight"][groups.chosen(component=rule.name, steps=[step])] for step in _outer(ends)]
    bounds = (rule.low, rule.high)
    return ComponentSummary(
        name=rule.name,
        plugin=plugin,
        role=rule.role,
        weights=(float(weights[0].max()), float(weights[1].max())),
        low=rule.low,
        high=rule.high,
        first=mean(first, bounds),
        last=mean(last, bounds),
        change=difference(first, last, bounds),
        statuses=groups.statuses(groups.chosen(component=rule.name)),
        share=share,
        rise=_rise(groups, rows) if rule.role == "train" else None,
    )


def _rise(groups: GroupTable, sides: Sequence[Bools]) -> float:
    """Change of the mean contribution where it counts, times the share of samples for which it does."""
    earned = [groups.observed(side, "contribution", "counted").mean for side in sides]
    counted, records = ([float(groups.numbers[name][side].sum()) for side in sides] for name in ("counted", "records"))
    if not all(counted):
        return 0.0
    return (earned[1] - earned[0]) * (counted[0] / records[0] + counted[1] / records[1]) / 2


def _outer(ends: tuple[Window, Window]) -> tuple[int, int]:
    return ends[0].first, ends[1].last
