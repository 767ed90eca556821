"""Means and differences with the uncertainty of the prompts that they were measured on.

The completions of one prompt, and the prompts on one picture, are not independent: they stand or
fall together. So the standard error is clustered (Miller, "Adding error bars to evals",
arXiv 2411.00640), and the interval takes Student's t for the number of clusters.
"""

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

type Floats = npt.NDArray[np.float64]
type Ints = npt.NDArray[np.int64]

ALPHA = 0.05
POWER = 0.80
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95% interval."""

    value: float
    """NaN where nothing was measured."""

    low: float
    """NaN, as `high`, where fewer than two clusters were measured."""

    high: float
    standard_error: float
    """NaN as above; 0 where no observation differs, and then the interval is one of "never seen"."""

    prompts: int
    clusters: int
    """Independent units: prompts that share a picture count once."""

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    @property
    def detectable(self) -> float:
        """The smallest true effect that a test at 5% finds with 80% power on as many prompts.

        ``(z_0.975 + z_0.8)`` standard errors (Miller, equation 9, solved for the effect).
        """
        if self.standard_error == 0:
            return self.half_width
        return float((_NORMAL.inv_cdf(1 - ALPHA / 2) + _NORMAL.inv_cdf(POWER)) * self.standard_error)

    def prompts_for(self, effect: float) -> int | None:
        """Return how many prompts would find `effect` with 80% power, all else equal; None if unknown."""
        if not math.isfinite(self.detectable) or self.detectable == 0:
            return None
        return math.ceil(self.prompts * (self.detectable / effect) ** 2)


NOTHING = Estimate(math.nan, math.nan, math.nan, math.nan, 0, 0)
"""The estimate from no observation."""


@dataclass(frozen=True, slots=True)
class Observed:
    """Sums over the completions of each prompt. P prompts."""

    sums: Floats
    """[P]"""

    counts: Floats
    """[P], completions that have a value; a prompt without one is left out by whoever builds this."""

    clusters: Ints
    """[P], the same number for prompts that are not independent."""

    @property
    def mean(self) -> float:
        """Mean over completions; NaN without any."""
        count = self.counts.sum()
        return float(self.sums.sum() / count) if count else math.nan

    def influence(self) -> Floats:
        """How far each prompt pulls the mean away from where it is [P]; sums to 0."""
        pull: Floats = (self.sums - self.counts * self.mean) / self.counts.sum()
        return pull


def observe(values: Floats, prompts: Ints, clusters: Ints) -> Observed:
    """Sum over each prompt's completions, NaN left out.

    Args:
        values: [N]
        prompts: [N], the number of each completion's prompt.
        clusters: [N], the number of its cluster, one for all completions of a prompt.
    """
    seen = ~np.isnan(values)
    names, place = np.unique(prompts[seen], return_inverse=True)
    cluster = np.zeros(len(names), dtype=np.int64)
    cluster[place] = clusters[seen]
    sums = np.bincount(place, values[seen], minlength=len(names))
    counts = np.bincount(place, minlength=len(names))
    return Observed(sums.astype(np.float64), counts.astype(np.float64), cluster)


type Bounds = tuple[float, float]
"""Lowest and highest possible value of a completion."""

UNBOUNDED: Bounds = (-math.inf, math.inf)


def mean(observed: Observed, bounds: Bounds = UNBOUNDED) -> Estimate:
    """Estimate the mean over completions."""
    return _within(_estimate(observed.mean, observed, None, bounds[1] - bounds[0], ALPHA), *bounds)


def difference(before: Observed, after: Observed, bounds: Bounds = UNBOUNDED, alpha: float = ALPHA) -> Estimate:
    """Estimate ``after - before`` where the two may share prompts, some or all.

    Prompts are matched by cluster: with the same prompts on both sides, one completion each, this
    is the paired difference; with none in common, Welch's. The interval misses the truth with
    probability `alpha`, half of it on either side.
    """
    span = bounds[1] - bounds[0]
    return _within(_estimate(after.mean - before.mean, after, before, span, alpha), -span, span)


def _within(estimate: Estimate, low: float, high: float) -> Estimate:
    """Cut what is impossible off an interval."""
    return replace(estimate, low=max(estimate.low, low), high=min(estimate.high, high))


def _estimate(value: float, plus: Observed, minus: Observed | None, span: float, alpha: float) -> Estimate:
    """Put an interval around ``plus - minus``."""
    if any(not len(side.sums) for side in (plus, minus) if side):
        return NOTHING
    clusters = np.concatenate([plus.clusters, *([minus.clusters] if minus else [])])
    prompts = len(plus.sums) if minus is None else max(len(plus.sums), len(minus.sums))
    count = len(np.unique(clusters))
    if min(len(np.unique(side.clusters)) for side in (plus, minus) if side) < 2:
        return Estimate(value, math.nan, math.nan, math.nan, prompts, count)
    error, freedom = _error(plus, minus)
    if error == 0:
        half = _never_seen(count, alpha) * span if math.isfinite(span) else math.nan
        return Estimate(value, value - half, value + half, 0.0, prompts, count)
    from scipy import special

    half = float(special.stdtrit(freedom, 1 - alpha / 2)) * error
    return Estimate(value, value - half, value + half, error, prompts, count)


def _error(plus: Observed, minus: Observed | None) -> tuple[float, float]:
    """Return the clustered standard error and Satterthwaite's degrees of freedom.

    The variance is that of the clusters' pulls. What the two sides share is subtracted; freedom
    is that of each side's own variance, so it errs on the side of wider intervals.
    """
    width = int(max(side.clusters.max() for side in (plus, minus) if side)) + 1
    pulls = [np.bincount(side.clusters, side.influence(), minlength=width) for side in (plus, minus) if side]
    sizes = [len(np.unique(side.clusters)) for side in (plus, minus) if side]
    variances = [float((pull**2).sum()) * size / (size - 1) for pull, size in zip(pulls, sizes, strict=True)]
    total = sum(variances)
    shared = 0.0
    if minus is not None:
        smaller = min(sizes)
        shared = 2.0 * float((pulls[0] * pulls[1]).sum()) * smaller / (smaller - 1)
    rounding = 1e-24 * max(1.0, *(float((side.sums**2).max()) for side in (plus, minus) if side))
    if total - shared <= rounding:
        return 0.0, 1.0
    freedom = total**2 / sum(v**2 / (size - 1) for v, size in zip(variances, sizes, strict=True))
    if shared and set(plus.clusters) == set(minus.clusters if minus else ()):
        freedom = min(sizes) - 1
    return math.sqrt(total - shared), freedom


def _never_seen(count: int, alpha: float) -> float:
    """Bound the share of units that differ, none of `count` having been seen to (Clopper and Pearson)."""
    return float(1.0 - (alpha / 2) ** (1.0 / count))
