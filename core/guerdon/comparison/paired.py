"""Intervals and tests of paired differences, clustered by picture.

Evan Miller, "Adding error bars to evals", arXiv 2411.00640.
"""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from guerdon.review.estimate import Bounds, Estimate, Floats, Ints, Observed, difference

RESAMPLES = 2000
"""Of the bootstrap and of the permutation test; the smallest p it can give is 1 / (RESAMPLES + 1)."""

BCA_CLUSTERS = 50
"""With fewer, Student's t for the number of clusters covers better than the bootstrap."""


def paired(before: Floats, after: Floats, clusters: Ints, bounds: Bounds) -> Estimate:
    """Estimate the mean of ``after - before`` over prompts with its 95% interval.

    The interval is a bootstrap over clusters, bias-corrected and accelerated (BCa); Student's t with
    clustered errors where there are fewer than `BCA_CLUSTERS`, or where the bootstrap is degenerate.

    Args:
        before: [P], no NaN.
        after: [P], no NaN.
        clusters: [P], the same number for prompts that are not independent.
        bounds: lowest and highest possible value.
    """
    ones = np.ones(len(before))
    known = difference(Observed(before, ones, clusters), Observed(after, ones, clusters), bounds)
    if known.clusters < BCA_CLUSTERS or known.standard_error == 0:
        return known
    from scipy import stats  # 0.4 s, and only here

    sums, counts = clustered(after - before, clusters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a degenerate bootstrap says so by NaN, which is looked for below
        found = stats.bootstrap(
            (sums, counts), _ratio, paired=True, vectorized=True, n_resamples=RESAMPLES, method="BCa", rng=0
        ).confidence_interval
    low, high = float(found.low), float(found.high)
    return replace(known, low=low, high=high) if np.isfinite(low) and np.isfinite(high) else known


def _ratio(sums: Any, counts: Any, axis: int = -1) -> Any:
    return sums.sum(axis=axis) / counts.sum(axis=axis)


def clustered(values: Floats, clusters: Ints) -> tuple[Floats, Floats]:
    """Add up by cluster: sums and counts [C]."""
    _, place = np.unique(clusters, return_inverse=True)
    return np.bincount(place, values), np.bincount(place).astype(np.float64)


def p_value(before: Floats, after: Floats, clusters: Ints) -> float:
    """Test that the two sides do not differ: McNemar's exact test where it applies, else by permutation.

    McNemar's needs one 0 or 1 for each independent prompt. The permutation swaps the sides of whole
    clusters (`scipy.stats.permutation_test`, paired samples). Two-sided.
    """
    moved = after - before
    if not moved.any():
        return 1.0
    from scipy import stats

    binary = bool(np.isin(before, (0.0, 1.0)).all() and np.isin(after, (0.0, 1.0)).all())
    if binary and len(np.unique(clusters)) == len(clusters):
        better, worse = int((moved > 0).sum()), int((moved < 0).sum())
        return float(stats.binomtest(better, better + worse).pvalue)
    sides = [clustered(side, clusters)[0] for side in (after, before)]
    found = stats.permutation_test(
        sides, _gap, permutation_type="samples", vectorized=True, n_resamples=RESAMPLES, rng=0
    )
    return float(found.pvalue)


def _gap(after: Any, before: Any, axis: int = -1) -> Any:
    return (after - before).mean(axis=axis)


def holm(values: Sequence[float]) -> list[float]:
    """Correct p-values for their number (Holm 1979)."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    corrected, highest = [0.0] * len(values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[place]))
        corrected[place] = highest
    return corrected
