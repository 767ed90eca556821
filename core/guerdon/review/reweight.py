"""Other weights, modes and schedules on the scores of a finished run, without scoring anything again."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from guerdon.advantage import Advantages, ComponentMatrix, check_advantage, compute_advantages
from guerdon.advantage.config import AdvantageConfig
from guerdon.config import RunConfig
from guerdon.errors import ConfigError, LedgerError
from guerdon.ledger.parts import Part
from guerdon.ledger.rule import ComponentRule, Rule
from guerdon.review.estimate import Floats, Ints
from guerdon.review.run import Run
from guerdon.reward import Reward
from guerdon.schedule import weight_at

WEIGHING = frozenset({"use", "weight", "role", "min_spread", "timeout_s", "isolation", "limits"})
"""Fields of a reward that do not change any score."""

SHOWN = 20
"""How many samples are named whose advantage changes sign."""

ROUNDING = 1e-9
"""Advantages that differ by less are the same."""

type Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Side:
    """One step under one rule."""

    total: float
    """Mean over the samples that have one; NaN without any."""

    constant: int
    """Groups whose advantages are all 0."""

    trained: int
    """Samples that take part in the update."""

    update: Mapping[str, float]
    """By component: its share in the update, ``sum(share * advantage) / sum(advantage^2)``; empty
    where shares are unknown or nothing is updated."""


@dataclass(frozen=True, slots=True)
class StepChange:
    """What another rule makes of one training step."""

    step: int
    samples: int
    groups: int
    before: Side
    after: Side
    flips: int
    """Samples whose advantage changes sign."""

    ordered: int
    """Pairs of samples of one group that have different advantages under both rules."""

    reversed: int
    """Of these, the pairs whose order turns round."""

    winners: int
    """Groups in which no sample is best under both rules."""

    correlation: float
    """Of the advantages; NaN where one side has no spread."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A sample whose advantage changes sign."""

    step: int
    sample_id: str
    before: float
    after: float
    values: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Reweighting:
    """A run under another rule."""

    run: str
    outcome: str | None
    modes: tuple[str, str]
    weights: Mapping[str, tuple[str, str]]
    """By component, before and after, in words: ``0.5``, ``1 to 0.2`` where it changes from the first
    step to the last, ``monitor`` where it is not trained on."""

    steps: tuple[StepChange, ...]
    flips: tuple[Flip, ...]
    """Those with the largest change, at most `SHOWN`."""


def reweight(run: Run, config: RunConfig) -> Reweighting:
    """Apply the weights, roles, schedules and advantage rule of `config` to the scores of a run.

    Raises:
        ConfigError: the configuration has other components, or one that would score differently.
        LedgerError: the run has no training step, or its ledger is damaged.
    """
    stored = run.rule()
    check_components(run, stored, config)
    check_advantage(config.algorithm, config.rewards, config.outcome)
    parts = run.parts("train")
    if not parts:
        raise LedgerError(f"the ledger of {run.name} has no training step, so there is nothing to reweight")
    changes: list[StepChange] = []
    flips: list[Flip] = []
    olds, news = [run.ledger.rule(part) for part in parts], [rule_for(config, stored, part.step) for part in parts]
    for part, old, new in zip(parts, olds, news, strict=True):
        change, flipped = _step(run, part, old, new)
        changes.append(change)
        flips = sorted([*flips, *flipped], key=lambda flip: -abs(flip.after - flip.before))[:SHOWN]
    return Reweighting(
        run=run.name,
        outcome=config.outcome,
        modes=(stored.advantage.advantage, config.algorithm.advantage),
        weights={
            component.name: (_weights(olds, component.name), _weights(news, component.name))
            for component in stored.components
        },
        steps=tuple(changes),
        flips=tuple(flips),
    )


def check_components(run: Run, stored: Rule, config: RunConfig) -> None:
    """Refuse a configuration whose components are not those of the ledger.

    Raises:
        ConfigError: names the component and field, with both values.
    """
    names = {component.name for component in stored.components}
    if names != set(config.rewards):
        parts = [
            f"{what} {', '.join(sorted(which))}"
            for what, which in (("it lacks", names - set(config.rewards)), ("it adds", set(config.rewards) - names))
            if which
        ]
        raise ConfigError(
            f"the configuration has other components than the ledger of {run.name} ({'; '.join(parts)}). Reweighting "
            "scores nothing again: keep every component, with role: monitor or weight: 0 for one that should not count"
        )
    scored = run.facts.get("config", {}).get("rewards")
    for name, reward in config.rewards.items() if isinstance(scored, dict) else ():
        _check_same(run, name, scored.get(name), reward)


def _check_same(run: Run, name: str, scored: Mapping[str, Any] | None, reward: Reward) -> None:
    """Compare the fields that scores depend on."""
    now = {"use": reward.name, **reward.model_dump(mode="json")}
    then = scored or {}
    for field in ("use", *sorted((now.keys() & then.keys()) - WEIGHING)):
        if field in then and now[field] != then[field]:
            raise ConfigError(
                f"rewards.{name}.{field} is {now[field]!r}, and the scores of {run.name} were made with "
                f"{then[field]!r}; reweighting scores nothing again, so restore it (only weight, role and min_spread "
                "may differ)"
            )


def rule_for(config: RunConfig, stored: Rule, step: int) -> Rule:
    """Return the rule of a configuration at a training step, its components in the ledger's order."""
    fields = config.algorithm.model_dump(include=set(AdvantageConfig.model_fields))
    return Rule(
        AdvantageConfig.model_validate(fields),
        tuple(_component_rule(component, config.rewards[component.name], step) for component in stored.components),
        config.outcome,
    )


def _component_rule(stored: ComponentRule, reward: Reward, step: int) -> ComponentRule:
    low, high = reward.range()
    weight = weight_at(reward.weight, step)
    return replace(stored, role=reward.role, weight=weight, min_spread=reward.min_spread, low=low, high=high)


def _weights(rules: Sequence[Rule], name: str) -> str:
    """Say how a component counts from the first step to the last."""
    first, last = (
        f"{one.weight:g}" if one.role == "train" else "monitor"
        for rule in (rules[0], rules[-1])
        for one in rule.components
        if one.name == name
    )
    return first if first == last else f"{first} to {last}"


def _step(run: Run, part: Part, old: Rule, new: Rule) -> tuple[StepChange, list[Flip]]:
    """Compare both rules on one part."""
    matrices = [run.ledger.matrix_of(part, rule) for rule in (old, new)]
    before, after = (
        compute_advantages(matrix, rule.advantage) for matrix, rule in zip(matrices, (old, new), strict=True)
    )
    groups = matrices[0].groups
    moved = ranking(groups, before.trained & after.trained, before.advantages, after.advantages)
    flipped = flips(before.advantages, after.advantages)
    change = StepChange(
        step=part.step,
        samples=len(groups),
        groups=len(np.unique(groups)),
        before=_side(before, matrices[0]),
        after=_side(after, matrices[1]),
        flips=int(flipped.sum()),
        ordered=moved.ordered,
        reversed=moved.reversed,
        winners=moved.winners,
        correlation=_correlation(before.advantages, after.advantages),
    )
    return change, _flips(run, part, matrices[0], before, after, flipped)


@dataclass(frozen=True, slots=True)
class Ranking:
    """How the order within groups moved; see `StepChange`."""

    ordered: int
    reversed: int
    winners: int


def ranking(groups: Ints, trained: Bools, before: Floats, after: Floats) -> Ranking:
    """Compare the order of advantages within each group, [N] each, among the samples that are `trained`."""
    ordered, turned, winners = 0, 0, 0
    for members in _members(groups, trained):
        pairs = _order(before[members]) * _order(after[members])
        ordered += int((pairs != 0).sum()) // 2
        turned += int((pairs < 0).sum()) // 2
        winners += not (_best(before[members]) & _best(after[members])).any()
    return Ranking(ordered, turned, winners)


def flips(before: Floats, after: Floats) -> Bools:
    """Tell which advantages change sign; what is 0 but for rounding has none."""
    changed: Bools = (before * after < 0) & (np.minimum(np.abs(before), np.abs(after)) > ROUNDING)
    return changed


def _members(groups: Ints, trained: Bools) -> Iterator[Ints]:
    """Return the samples of each group that take part under both rules."""
    for group in np.unique(groups):
        members = np.flatnonzero((groups == group) & trained)
        if len(members) > 1:
            yield members


def _order(advantages: Floats) -> Floats:
    """Compare each with each: 1, 0 or -1 [n, n]; differences by rounding count as none."""
    gaps = advantages[:, None] - advantages[None, :]
    return np.where(np.abs(gaps) > ROUNDING, np.sign(gaps), 0.0)


def _best(advantages: Floats) -> Bools:
    best: Bools = advantages >= advantages.max() - ROUNDING
    return best


def _correlation(one: Floats, other: Floats) -> float:
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return math.nan
    return float(np.corrcoef(one, other)[0, 1])


def _side(advantages: Advantages, matrix: ComponentMatrix) -> Side:
    totals = advantages.totals[~np.isnan(advantages.totals)]
    size = float((advantages.advantages**2).sum())
    update: dict[str, float] = {}
    if advantages.shares is not None and size > 0:
        moved = (advantages.shares * advantages.advantages[:, None]).sum(axis=0) / size
        update = {name: float(moved[k]) for k, name in enumerate(matrix.components) if matrix.trained_on[k]}
    heard = np.unique(matrix.groups[advantages.advantages != 0])
    return Side(
        total=float(totals.mean()) if len(totals) else math.nan,
        constant=len(np.unique(matrix.groups)) - len(heard),
        trained=int(advantages.trained.sum()),
        update=update,
    )


def _flips(
    run: Run, part: Part, matrix: ComponentMatrix, before: Advantages, after: Advantages, flipped: Bools
) -> list[Flip]:
    """Name the samples of a part with the largest changes of sign."""
    change = np.where(flipped, np.abs(after.advantages - before.advantages), -1.0)
    chosen = [int(row) for row in np.argsort(-change, kind="stable")[:SHOWN] if flipped[row]]
    if not chosen:
        return []
    ids = run.ledger.read("samples", [part])["sample_id"]
    return [
        Flip(
            step=part.step,
            sample_id=ids[row].as_py(),
            before=float(before.advantages[row]),
            after=float(after.advantages[row]),
            values={
                name: None if math.isnan(matrix.values[row, k]) else float(matrix.values[row, k])
                for k, name in enumerate(matrix.components)
            },
        )
        for row in chosen
    ]
