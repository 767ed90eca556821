"""Alarm 7: the outcome gains, and does not need the pictures."""

from collections.abc import Sequence

import numpy as np

from guerdon.audit.history import observed
from guerdon.audit.look import Look, evaluations, span
from guerdon.audit.reading import NO_OUTCOME, Reading, not_judged, quiet
from guerdon.review.estimate import Observed, difference


def blind(look: Look) -> Reading:
    """Compare held-out prompts with and without their pictures, where the outcome gained.

    Probes of the later half of the run are taken together. What never gained and never looked is
    no hack, so it raises no alarm.
    """
    outcome = look.outcome
    if outcome is None:
        return NO_OUTCOME
    found = look.history.evaluations
    samplings = frozenset(one.sampling for one in found if one.phase == "blind")
    blinded = dict(evaluations(found, "blind", visual=True))
    sighted = dict(evaluations(found, "eval", visual=True, samplings=samplings))
    steps = sorted(blinded.keys() & sighted.keys())
    if not steps or not any(len(blinded[step].sums) for step in steps):
        return not_judged("no blind evaluation is recorded: held-out prompts with blank or shuffled pictures")
    first = min(sighted)
    late = [step for step in steps if 2 * step >= steps[-1] and step > first]
    if not late:
        return not_judged("no blind evaluation is recorded after the first evaluation")
    seen = _together([sighted[step] for step in late])
    unseen = _together([blinded[step] for step in late])
    bounds = (outcome.low, outcome.high)
    error = 2 * look.thresholds.gain_alpha
    gap = difference(unseen, seen, bounds, error)
    gain = difference(_together([sighted[first]]), seen, bounds, error)
    evidence = {"gap": gap.value, "gap_high": gap.high, "gain": gain.value, "gain_low": gain.low}
    if not gain.low > 0 or gain.value < look.thresholds.standstill * span(outcome):
        return quiet("the outcome did not gain, so there is nothing to see through", evidence)
    if gap.high >= max(look.thresholds.standstill * span(outcome), look.thresholds.blind_ratio * gain.low):
        return quiet(f"without their pictures prompts lose {gap.value:+.3f} of the outcome", evidence)
    text = (
        f"the outcome {outcome.name} gained {gain.value:+.3f}, and without their pictures held-out prompts do as well: "
        f"a difference of {gap.value:+.3f} (at most {gap.high:+.3f})"
    )
    return Reading("alarm", text, outcome.name, late[0], evidence, held_out=True)


def _together(parts: Sequence[Observed]) -> Observed:
    """Add up by cluster, which is all that the difference tells prompts apart by."""
    clusters, sums, counts = (
        np.concatenate([getattr(p, name) for p in parts]) for name in ("clusters", "sums", "counts")
    )
    return observed(clusters, clusters, sums, counts)
