"""Shapley values: what each component adds to a total, averaged over all orders of adding them."""

from collections.abc import Callable
from math import factorial

import numpy as np

from guerdon.advantage.matrix import Bools, Floats

MOST = 8
"""Up to this many components; the number of coalitions is two to their number."""


def shapley(count: int, play: Callable[[Bools], Floats]) -> Floats:
    """Return each component's value [..., count]; they add up to ``play(all) - play(none)``.

    Shapley, A value for n-person games (1953). `play` maps a coalition, flags [count], to an
    array of totals [...].

    Raises:
        ValueError: more than `MOST` components.
    """
    if count > MOST:
        raise ValueError(f"{count} components; Shapley values are computed for up to {MOST}")
    shares: Floats | None = None
    for number in range(2**count):
        coalition = np.array([number >> k & 1 for k in range(count)], dtype=np.bool_)
        earned = play(coalition)[..., None] * _coefficients(coalition)
        shares = earned if shares is None else shares + earned
    assert shares is not None
    return shares


def _coefficients(coalition: Bools) -> Floats:
    """How often the coalition's total counts for each component: + for members, - for the others."""
    count, size = len(coalition), int(coalition.sum())
    member = factorial(size - 1) * factorial(count - size) / factorial(count) if size else 0.0
    other = factorial(size) * factorial(count - size - 1) / factorial(count) if size < count else 0.0
    return np.where(coalition, member, -other)
