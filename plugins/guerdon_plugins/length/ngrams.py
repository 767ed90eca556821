"""Counting n-grams exactly, in O(m log m log n) time for m ids."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_LARGEST = 2**62


@dataclass(frozen=True, slots=True)
class Ngrams:
    """The n-grams of a sequence."""

    size: int
    """n."""

    total: int
    """How many there are: ids less n, plus 1."""

    distinct: int

    most: int = 0
    """How often the most frequent one occurs."""

    first: int = 0
    """The position of its first occurrence."""

    @property
    def repeated(self) -> float:
        """1 - distinct / total, 0 to 1; 0 for a sequence shorter than n."""
        return 1.0 - self.distinct / self.total if self.total else 0.0


def count_ngrams(ids: NDArray[np.int64], size: int) -> Ngrams:
    """Count the n-grams of a sequence of ids."""
    total = len(ids) - size + 1
    if total <= 0:
        return Ngrams(size, 0, 0)
    _, firsts, counts = np.unique(_keys(ids, size), return_index=True, return_counts=True)
    most = int(counts.argmax())
    return Ngrams(size, total, len(counts), int(counts[most]), int(firsts[most]))


def _keys(ids: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return a number for each n-gram; equal n-grams have equal numbers, others different ones.

    Numbers of k-grams and of those d <= k places further on join to numbers of (k + d)-grams.
    They are replaced by their ranks, at the cost of a sort, only before they would overflow.
    """
    keys, kinds = _ranks(ids)
    length = 1
    while length < size:
        step = min(length, size - length)
        if kinds * kinds > _LARGEST:
            keys, kinds = _ranks(keys)
        keys = keys[:-step] * kinds + keys[step:]
        kinds *= kinds
        length += step
    return keys


def _ranks(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    distinct, ranks = np.unique(values, return_inverse=True)
    return ranks, len(distinct)
