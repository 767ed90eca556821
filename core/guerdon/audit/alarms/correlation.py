"""Alarm 5: the reward stops telling right from wrong."""

import math
from statistics import NormalDist

from guerdon.audit.history import Moments
from guerdon.audit.look import Look
from guerdon.audit.reading import NO_OUTCOME, Reading, not_judged, quiet


def correlation(look: Look) -> Reading:
    """Compare the correlation of total and outcome within groups at both ends of the run (arXiv 2403.03185)."""
    if look.outcome is None:
        return NO_OUTCOME
    history = look.history
    ends = (history.rows(0, look.wide), history.rows(look.count - look.wide, look.count))
    found = [_within(history.groups.gold.part(rows)) for rows in ends]
    if any(math.isnan(value) for value, _ in found):
        return not_judged("at one end of the run total or outcome is the same for all completions of each prompt")
    (first, before), (last, after) = found
    error = math.sqrt(1 / max(before - 3, 1) + 1 / max(after - 3, 1))
    z = (math.atanh(min(first, 0.999)) - math.atanh(max(min(last, 0.999), -0.999))) / error
    evidence = {"first": first, "last": last, "z": z}
    said = f"the correlation of total and outcome went from {first:.2f} to {last:.2f}"
    if first - last < look.thresholds.correlation_fall or z < NormalDist().inv_cdf(1 - look.alpha):
        return quiet(said, evidence)
    if look.progress() in ("gain", "no room"):
        return quiet(f"{said}, and the outcome gained", evidence)
    return Reading("alarm", f"{said}, without a gain of the outcome", None, look.step(look.wide), evidence)


def _within(moments: Moments) -> tuple[float, float]:
    """Return the correlation within groups and its degrees of freedom."""
    xx, yy, xy, freedom = moments.within()
    if xx <= 1e-9 * freedom or yy <= 1e-9 * freedom or freedom < 20:
        return math.nan, freedom
    return max(-1.0, min(1.0, xy / math.sqrt(xx * yy))), freedom
