"""The scores of a batch as one matrix, which is all that the advantages depend on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from guerdon.errors import ScoringError
from guerdon.reward import Reward
from guerdon.schedule import weight_at
from guerdon.score import Record, Status
from guerdon.scoring.batch import ScoredGroup

type Floats = npt.NDArray[np.float64]
type Ints = npt.NDArray[np.int64]
type Bools = npt.NDArray[np.bool_]

LARGEST = 1e100
"""A value beyond this counts as none: sums of it could overflow and poison the whole batch."""


@dataclass(frozen=True, slots=True)
class ComponentMatrix:
    """N samples by K components, and what the rule must know about each component."""

    values: Floats
    """[N, K], NaN where the component is left out for the sample."""

    groups: Ints
    """[N], the number of the sample's group."""

    masked: Bools
    """[N], samples that take no part in baseline, scale and update."""

    components: tuple[str, ...]
    weights: Floats
    """[K], at this training step."""

    min_spread: Floats
    """[K]"""

    low: Floats
    """[K], the lowest value of the declared range: what a broken grader counts as."""

    high: Floats
    """[K], the highest value of the declared range."""

    trained_on: Bools
    """[K], false for ``role: monitor``."""

    outcome: int | None = None
    """The column of the outcome component, if one is declared."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The records of a batch as arrays [N, K]."""

    values: Floats
    """NaN where a record has no usable value."""

    abstained: Bools
    masks: Bools
    """The record takes its sample out, if the component is trained on."""

    def left_in(self, groups: Ints) -> Floats:
        """Return the values, NaN wherever the component abstains for any sample of the group."""
        _, group = np.unique(groups, return_inverse=True)
        out = np.zeros((int(group.max(initial=-1)) + 1, self.values.shape[1]), dtype=np.bool_)
        np.logical_or.at(out, group, self.abstained)
        return np.where(out[group], np.nan, self.values)

    def masked(self, trained_on: Bools) -> Bools:
        """Tell which samples [N] a trained component takes out; no value and no abstention does, too."""
        lost = self.masks | (np.isnan(self.values) & ~self.abstained)
        taken: Bools = (lost & trained_on).any(axis=1)
        return taken


def usable(values: Floats) -> Floats:
    """Replace what is not finite, or larger than `LARGEST`, by NaN."""
    return np.where(np.abs(values) <= LARGEST, values, np.nan)


def matrix_from(
    scored: Sequence[ScoredGroup],
    rewards: Mapping[str, Reward],
    *,
    step: int,
    outcome: str | None,
    mask_truncated: bool = False,
) -> ComponentMatrix:
    """Lay out scored groups, sample after sample in their order, with the weights of `step`.

    A component that abstains for one sample is left out for the whole group. A sample is masked
    where a record of a trained component says so or has no usable value, or, if asked for, where
    the completion was truncated.

    Raises:
        ScoringError: a group carries other components than the rewards of the run, or not one
            row of records a sample.
    """
    names = tuple(rewards)
    _check(scored, names)
    groups = np.repeat(np.arange(len(scored)), [len(group.records) for group in scored])
    cells = _cells([row for group in scored for row in group.records], len(names))
    trained = np.array([reward.role == "train" for reward in rewards.values()], dtype=np.bool_)
    masked = cells.masked(trained)
    if mask_truncated:
        masked |= np.array([sample.truncated for group in scored for sample in group.group.samples], dtype=np.bool_)
    ranges = np.array([reward.range() for reward in rewards.values()], dtype=np.float64).reshape(len(names), 2)
    return ComponentMatrix(
        values=cells.left_in(groups),
        groups=groups,
        masked=masked,
        components=names,
        weights=np.array([weight_at(reward.weight, step) for reward in rewards.values()], dtype=np.float64),
        min_spread=np.array([reward.min_spread for reward in rewards.values()], dtype=np.float64),
        low=ranges[:, 0],
        high=ranges[:, 1],
        trained_on=trained,
        outcome=names.index(outcome) if outcome is not None else None,
    )


def _check(scored: Sequence[ScoredGroup], names: tuple[str, ...]) -> None:
    for group in scored:
        if tuple(group.components) != names:
            raise ScoringError(
                f"group {group.group.id!r} carries components {list(group.components)}, the run has {list(names)}"
            )
        if len(group.records) != len(group.group.samples) or any(len(row) != len(names) for row in group.records):
            raise ScoringError(f"group {group.group.id!r} lacks records: one for each sample and component is needed")


def _cells(rows: Sequence[Sequence[Record]], count: int) -> Cells:
    shape = (len(rows), count)
    values = np.array([record.value for row in rows for record in row], dtype=np.float64)  # None becomes NaN
    abstained = [record.status is Status.ABSTAIN for row in rows for record in row]
    masks = [record.masks for row in rows for record in row]
    return Cells(
        usable(values).reshape(shape),
        np.array(abstained, dtype=np.bool_).reshape(shape),
        np.array(masks, dtype=np.bool_).reshape(shape),
    )
