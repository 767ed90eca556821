"""When a change began."""

import numpy as np

from guerdon.audit.thresholds import Thresholds
from guerdon.review.estimate import Floats


def onset(values: Floats, baseline: int, thresholds: Thresholds, *, upwards: bool = True) -> int:
    """Date a change by a cumulative sum of robust z-values (Page 1954).

    Args:
        values: [S], NaN where nothing was measured.
        baseline: the first values, which are normal.
        thresholds: slack and height of the sum.
        upwards: the direction of the change.

    Returns:
        The place from which on the sum crossed its height and never was 0 again; if it was, where it
        first left 0 to cross it; the end of the baseline if it never crossed.
    """
    early = values[:baseline][~np.isnan(values[:baseline])]
    if not len(early):
        return min(baseline, len(values) - 1)
    middle = float(np.median(early))
    # The noise from one step to the next: a baseline that already moves would hide its own change.
    known = values[~np.isnan(values)][: max(4 * baseline, 12)]
    steps = np.abs(np.diff(known))
    spread = 1.4826 * float(np.median(steps)) / np.sqrt(2) if len(steps) else 0.0
    z = (np.nan_to_num(values, nan=middle) - middle) / (spread or 1e-12)
    slack = thresholds.cusum_slack + 1.25 / np.sqrt(len(early))  # a median of few values is off by so much itself
    found = _crossing(z if upwards else -z, slack, thresholds.cusum_height)
    return min(baseline, len(values) - 1) if found is None else found


def _crossing(z: Floats, slack: float, height: float) -> int | None:
    """Return where the sum left 0 for good, having crossed its height; else where it first did so."""
    total, begin, first, lasting = 0.0, 0, None, None
    for place, value in enumerate(z):
        total = max(0.0, total + float(value) - slack)
        if total == 0:
            begin, lasting = place + 1, None
        elif total > height:
            first = begin if first is None else first
            lasting = begin
    return first if lasting is None else lasting
