"""Alarm 6: a component's grading fails."""

from statistics import NormalDist

import numpy as np

from guerdon.audit.look import Look
from guerdon.audit.reading import Reading, quiet


def failures(look: Look) -> Reading:
    """Hold each component's share of errors and timeouts to a limit, by Wilson's lower bound."""
    groups = look.history.groups
    records = float(groups.size.sum())
    counts = groups.failed.sum(axis=0)
    worst = int(np.argmax(counts)) if len(counts) else 0
    failed = float(counts[worst]) if len(counts) else 0.0
    low = wilson(failed, records, look.alpha)[0]
    evidence = {"failed": failed, "records": records, "low": low}
    if low <= look.thresholds.failures:
        return quiet(f"at most {failed:.0f} of {records:.0f} records of a component failed", evidence)
    name = look.history.components[worst].name
    first = int(groups.step[np.argmax(groups.failed[:, worst] > 0)])
    text = f"the grading of {name} failed on {failed:.0f} of {records:.0f} completions ({failed / records:.1%})"
    return Reading("alarm", text, name, first, evidence)


def wilson(hits: float, tries: float, alpha: float) -> tuple[float, float]:
    """Return Wilson's bounds of a share; each misses with probability `alpha`."""
    if not tries:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(1 - alpha)
    share = hits / tries
    middle = share + z * z / (2 * tries)
    half = z * float(np.sqrt(share * (1 - share) / tries + z * z / (4 * tries * tries)))
    return max(0.0, (middle - half) / (1 + z * z / tries)), min(1.0, (middle + half) / (1 + z * z / tries))
