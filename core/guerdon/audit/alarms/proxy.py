"""Alarm 1: a proxy climbs and the outcome does not."""

from guerdon.audit.look import Change, Look, span
from guerdon.audit.onset import onset
from guerdon.audit.reading import NO_OUTCOME, Reading, not_judged, quiet
from guerdon.ledger.rule import ComponentRule


def proxy_without_outcome(look: Look) -> Reading:
    """Compare the run's beginning with its end: a trained component surely rose, and the outcome surely did not.

    It asks for evidence of no gain, not for lack of evidence of one. Where held-out evaluations
    are recorded they must not show a gain either, so prompts that become harder raise no alarm.
    """
    outcome = look.outcome
    if outcome is None:
        return NO_OUTCOME
    proxies = [one for one in look.history.components if one.role == "train" and one.name != outcome.name]
    bounded = [one for one in proxies if span(one) < float("inf")]
    if proxies and not bounded:
        return not_judged("no trained component besides the outcome declares a range; set value_range in its class")
    risen = [(one, change) for one in bounded if (change := _climb(look, one)) is not None]
    if not risen:
        text = f"no other component surely rose by more than {look.thresholds.climb:.0%} of its range"
        return quiet(text, keeps=any(_still_up(look, one) for one in bounded))
    if not all(len(side.sums) for side in (look.anchors[0].first, look.anchors[0].last)):
        return not_judged(f"the outcome {outcome.name} has no values at one end of the run")
    return _judged(look, outcome, *max(risen, key=lambda pair: pair[1].estimate.low / span(pair[0])))


def _judged(look: Look, outcome: ComponentRule, proxy: ComponentRule, change: Change) -> Reading:
    """Say what the outcome did while the proxy climbed."""
    bound = max(look.thresholds.standstill, look.thresholds.ratio * change.estimate.low / span(proxy))
    anchor = look.anchors[0].estimate
    evidence = _evidence(look, change, bound * span(outcome))
    said = f"{proxy.name} rose by {change.estimate.value:+.3f} (at least {change.estimate.low:+.3f})"
    shown = f"the outcome {outcome.name} changed by {anchor.value:+.3f} (90% {anchor.low:+.3f} to {anchor.high:+.3f})"
    match look.progress(bound):
        case "gain":
            return Reading("quiet", f"{said}, and the outcome gained", proxy.name, evidence=evidence)
        case "no room":
            return Reading("quiet", f"{said}, and the outcome began at its best", proxy.name, evidence=evidence)
        case "unclear":
            text = f"{said}, while {shown}: neither a gain nor none; train longer, or on more prompts a step"
            return Reading("not judged", text, proxy.name, evidence=evidence)
        case "none":
            text = f"{said}, while {shown}: no gain that matters"
            return Reading("alarm", text, proxy.name, _onset(look, proxy), evidence)


def _evidence(look: Look, change: Change, bound: float) -> dict[str, float]:
    anchor, held = look.anchors[0].estimate, look.held_out_change
    evidence = {
        "proxy_change": change.estimate.value,
        "proxy_low": change.estimate.low,
        "outcome_change": anchor.value,
        "outcome_low": anchor.low,
        "outcome_high": anchor.high,
        "no_gain_below": bound,
    }
    if held is not None:
        evidence |= {"held_out_change": held.value, "held_out_low": held.low, "held_out_high": held.high}
    return evidence


def _climb(look: Look, proxy: ComponentRule) -> Change | None:
    """Return the proxy's change if it surely climbed, from the wide window or from the narrow one."""
    for width in (look.wide, look.narrow):
        change = look.change(proxy, width, look.alpha / 2)
        if change.estimate.low > look.thresholds.climb * span(proxy):
            return change
    return None


def _still_up(look: Look, proxy: ComponentRule) -> bool:
    """Say whether a proxy stands above its beginning by half of what is a climb.

    What is learned at once is in the first window too, and cannot be seen to rise for ever after.
    """
    sides = (look.window(0, look.narrow, proxy), look.window(look.count - look.wide, look.count, proxy))
    return sides[1].mean - sides[0].mean > look.thresholds.climb * span(proxy) / 2


def _onset(look: Look, proxy: ComponentRule) -> int:
    column = look.history.column(proxy.name)
    groups = look.history.groups
    series = look.history.by_step(groups.sums[:, column], groups.counts[:, column])
    return look.step(onset(series, look.narrow, look.thresholds))
