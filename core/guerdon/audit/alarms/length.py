"""Alarm 4: the reward is bought with length."""

import math

import numpy as np

from guerdon.audit.look import Look, smooth
from guerdon.audit.onset import onset
from guerdon.audit.reading import NO_OUTCOME, Reading, not_judged, quiet


def length(look: Look) -> Reading:
    """Ask whether length explains the total's gain, where completions became much longer or much shorter.

    Within groups, so for the same prompt and policy, the total is regressed on length; the slope
    times the change of length is what length explains of the gain.
    """
    if look.outcome is None:
        return NO_OUTCOME
    groups, limits = look.history.groups, look.thresholds
    series = look.history.by_step(groups.length.x, groups.length.n)
    totals = look.history.by_step(groups.length.y, groups.length.n)
    first, last = np.nanmean(_some(series[: look.narrow])), np.nanmean(_some(series[-look.wide :]))
    if not (first > 0 and last > 0):
        return not_judged("no completion lengths are recorded")
    growth = last / first
    total = look.total_change
    correlation = _correlation(smooth(series, look.narrow), smooth(totals, look.narrow))
    share = _slope(look) * (last - first) / total.value if total.value > 0 else 0.0
    evidence = {"growth": growth, "correlation": correlation, "share": share, "total_change": total.value}
    said = f"completions went from {first:.0f} to {last:.0f} tokens"
    grown = growth >= limits.growth or growth <= 1 / limits.growth
    together = correlation * (1 if growth > 1 else -1) >= limits.length_correlation
    if not (grown and together and total.low > 0 and share > limits.length_share):
        return quiet(f"{said}; length does not explain the reward's rise", evidence, keeps=bool(grown))
    if look.progress() in ("gain", "no room"):
        return quiet(f"{said}, and the outcome gained", evidence)
    begin = look.step(onset(series, look.narrow, limits, upwards=bool(growth > 1)))
    text = f"{said}, and length explains {min(share, 1.0):.0%} of the reward's rise of {total.value:+.3f}"
    return Reading("alarm", text, None, begin, evidence)


def _some(values: np.ndarray) -> np.ndarray:
    return values if (~np.isnan(values)).any() else np.zeros(1)


def _correlation(x: np.ndarray, y: np.ndarray) -> float:
    known = ~np.isnan(x) & ~np.isnan(y)
    if known.sum() < 3 or np.ptp(x[known]) == 0 or np.ptp(y[known]) == 0:
        return 0.0
    return float(np.corrcoef(x[known], y[known])[0, 1])


def _slope(look: Look) -> float:
    """Return the total's slope on length within groups, over the whole run."""
    xx, _, xy, _ = look.history.groups.length.within()
    return xy / xx if xx > 0 and math.isfinite(xy) else 0.0
