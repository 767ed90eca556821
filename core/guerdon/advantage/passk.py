"""How often at least one of k completions is right."""

from math import nan

import numpy as np

from guerdon.advantage.matrix import Floats, Ints


def pass_at_k(outcome: Floats, groups: Ints, k: int, *, threshold: float = 0.5) -> float:
    """Return the mean of the unbiased estimates of the groups (Chen et al. 2021, arXiv 2107.03374).

    Args:
        outcome: [N], the outcome component's values; NaN (masked or abstained) is left out.
        groups: [N], the number of each sample's group.
        k: how many completions may be tried.
        threshold: the value from which on a completion is right.

    Returns:
        1 - C(n - c, k) / C(n, k), averaged over the groups with at least k values; NaN without any.
    """
    if k < 1:
        raise ValueError(f"pass@k needs k of at least 1, found {k}")
    judged = ~np.isnan(outcome)
    _, group = np.unique(groups[judged], return_inverse=True)
    drawn = np.bincount(group)
    right = np.bincount(group, weights=outcome[judged] >= threshold).astype(np.int64)
    estimates = [_estimate(int(n), int(c), k) for n, c in zip(drawn, right, strict=True) if n >= k]
    return float(np.mean(estimates)) if estimates else nan


def _estimate(drawn: int, right: int, k: int) -> float:
    """Return the chance that k of the drawn, without putting back, hold a right one."""
    if drawn - right < k:
        return 1.0
    return 1.0 - float(np.prod(1.0 - k / np.arange(drawn - right + 1, drawn + 1)))
