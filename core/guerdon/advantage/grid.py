"""Statistics within groups, on arrays of [groups, places, ...] that are padded with NaN.

Sums are taken over sorted terms, so that the order of samples, groups or components changes no
bit of a result: a ledger read back in any order gives the same advantages.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from guerdon.advantage.matrix import Bools, Floats, Ints

RESIDUE = 1e-9
"""A spread up to this share of the terms' size is rounding, not signal.

Sums such as 0.1 + 0.2 and 0.3 differ in the last bits, and 99 of 100 equal rewards have a mean
that differs from each of them: normalising that gave advantages of 7428 (verl PR 4597).
"""


@dataclass(frozen=True, slots=True)
class Grid:
    """Where each sample of a batch sits: its group and its place in the group."""

    group: Ints
    """[N], 0-based and without gaps."""

    place: Ints
    """[N], 0-based."""

    shape: tuple[int, int]
    """Number of groups, and places in the largest."""

    @classmethod
    def of(cls, groups: Ints) -> "Grid":
        """Build it from group numbers [N] in any order."""
        names, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
        order = np.argsort(group, kind="stable")
        place = np.empty(len(groups), dtype=np.int64)
        place[order] = np.arange(len(groups)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return cls(group, place, (len(names), int(sizes.max(initial=0))))

    def spread_out(self, values: Floats) -> Floats:
        """Lay out [N, ...] as [groups, places, ...]; free places are NaN."""
        laid = np.full(self.shape + values.shape[1:], np.nan)
        laid[self.group, self.place] = values
        return laid

    def flags(self, values: Bools) -> Bools:
        """Lay out [N] flags as [groups, places]; free places are false."""
        laid = np.zeros(self.shape, dtype=np.bool_)
        laid[self.group, self.place] = values
        return laid

    def gather[T: np.generic](self, laid: npt.NDArray[T]) -> npt.NDArray[T]:
        """Undo `spread_out` and `flags`."""
        gathered: npt.NDArray[T] = laid[self.group, self.place]
        return gathered


def total(terms: Floats, axis: int) -> Floats:
    """Sum the terms that are not NaN, independent of their order."""
    ordered = np.sort(terms, axis=axis)
    summed: Floats = np.where(np.isnan(ordered), 0.0, ordered).sum(axis=axis)
    return summed


def centre(values: Floats, *, leave_one_out: bool = False) -> Floats:
    """Subtract the baseline within each group; NaN marks who takes no part.

    The mean of the others is n/(n-1) times as far away as the mean of all. A sample that is
    alone has no baseline and gets 0.
    """
    count = (~np.isnan(values)).sum(axis=1, keepdims=True)
    mean = np.expand_dims(total(values, 1), 1) / np.maximum(count, 1)
    factor = count / np.maximum(count - 1, 1) if leave_one_out else np.ones_like(mean)
    centred: Floats = np.where(count > 1, (values - mean) * factor, np.where(count == 1, values * 0.0, np.nan))
    return centred


def deviation(values: Floats) -> Floats:
    """Return the unbiased standard deviation in each group [groups, 1, ...]; 0 below two values."""
    centred = centre(values)
    count = (~np.isnan(centred)).sum(axis=1, keepdims=True)
    size = np.where(np.isnan(centred), 0.0, np.abs(centred)).max(axis=1, keepdims=True, initial=0.0)
    unit = np.where(size > 0, size, 1.0)  # squares of very small or large values would leave the range
    squares = np.expand_dims(total((centred / unit) ** 2, 1), 1)
    root: Floats = np.sqrt(squares / np.maximum(count - 1, 1)) * unit
    return root


def spread(values: Floats) -> Floats:
    """Return highest less lowest in each group [groups, ...]; 0 where nobody takes part."""
    low = np.where(np.isnan(values), np.inf, values).min(axis=1, initial=np.inf)
    high = np.where(np.isnan(values), -np.inf, values).max(axis=1, initial=-np.inf)
    return np.where(high > low, high - low, 0.0)


def varies(values: Floats, size: Floats) -> Bools:
    """Tell per group whether the values differ by more than rounding of terms as large as `size`."""
    large: Floats = np.where(np.isnan(size), 0.0, np.abs(size)).max(axis=1, initial=0.0)
    apart: Bools = spread(values) > RESIDUE * large
    return apart
