"""Alarm 3: the policy runs away from its reference."""

import numpy as np

from guerdon.audit.look import Look
from guerdon.audit.onset import onset
from guerdon.audit.reading import Reading, not_judged, quiet


def kl(look: Look) -> Reading:
    """Compare KL, in nats a token, with its early median, several steps in a row."""
    values = look.history.metrics.get("kl")
    known = np.zeros(0) if values is None else values[~np.isnan(values)]
    if values is None or len(known) < look.thresholds.first_look:
        return not_judged("no KL is recorded; a KL coefficient above 0 records it")
    limits = look.thresholds
    early = float(np.median(known[: max(look.narrow, 3)]))
    limit = max(limits.kl_factor * early, limits.kl_floor)
    above = np.nan_to_num(values, nan=-np.inf) > limit
    run = np.convolve(above, np.ones(limits.kl_steps), mode="valid") >= limits.kl_steps
    highest = float(known.max())
    if not run.any():
        return quiet(f"KL stayed below {limit:.3g}, at most {highest:.3g}", {"kl_max": highest, "limit": limit})
    at = look.step(int(np.argmax(run)))
    text = f"KL rose above {limit:.3g} from step {at} on, to {highest:.3g}; it began at {early:.3g}"
    begin = look.step(onset(values, look.narrow, limits))
    return Reading("alarm", text, None, begin, {"kl_max": highest, "limit": limit, "kl_early": early})
