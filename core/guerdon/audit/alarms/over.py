"""Alarm 2: the outcome falls from its peak while the reward goes on rising."""

import math

import numpy as np

from guerdon.audit.look import Look, span
from guerdon.audit.reading import NO_OUTCOME, Reading, not_judged, quiet
from guerdon.ledger.rule import ComponentRule
from guerdon.review.estimate import Estimate, Floats, difference

DRAWS = 100
"""Bootstrap samples for the peak of the fitted curve."""


def over_optimisation(look: Look) -> Reading:
    """Look for a fall of the outcome from its best evaluation, or from its best window in training.

    A fall in training counts only while the total surely rises, and while held-out prompts do not
    show the opposite: prompts that become harder lower both. Where KL is recorded the peak of
    ``d (a - b ln d)``, d = sqrt(KL), is fitted for the evidence (Gao et al., arXiv 2210.10760).
    """
    outcome = look.outcome
    if outcome is None:
        return NO_OUTCOME
    held = _held_out_fall(look, outcome)
    if held is not None:
        step, fall = held
        text = (
            f"on held-out prompts the outcome {outcome.name} fell by {fall.value:+.3f} "
            f"(at most {fall.high:+.3f}) from its best evaluation, at step {step}"
        )
        return Reading("alarm", text, outcome.name, step, _evidence(look, fall), held_out=True)
    if look.count < 3 * look.wide:
        return not_judged(f"only {look.count} training steps")
    place, fall = _training_fall(look, outcome)
    total = look.total_change
    gained = look.held_out_change is not None and look.held_out_change.value > 0
    fell = fall.high < 0 and fall.value < -look.thresholds.standstill * span(outcome)
    if fell and total.low > 0 and not gained:
        text = (
            f"the outcome {outcome.name} fell by {fall.value:+.3f} (at most {fall.high:+.3f}) from its best window, "
            f"from step {look.step(place)}, while the total reward rose by {total.value:+.3f}"
        )
        return Reading("alarm", text, outcome.name, look.step(place + look.wide - 1), _evidence(look, fall))
    return quiet("the outcome did not surely fall from its peak while the reward rose", {"fall": fall.value})


def _held_out_fall(look: Look, outcome: ComponentRule) -> tuple[int, Estimate] | None:
    """Return the step of the best evaluation and the change since, if it is surely a fall that matters."""
    if len(look.held_out) < 2:
        return None
    *earlier, last = look.held_out
    step, best = max(earlier, key=lambda pair: pair[1].mean)
    alpha = look.alpha / len(earlier)  # the best of several is the luckiest of several
    fall = difference(best, last[1], (outcome.low, outcome.high), 2 * alpha)
    matters = fall.high < 0 and fall.value < -look.thresholds.standstill * span(outcome)
    return (step, fall) if matters else None


def _training_fall(look: Look, outcome: ComponentRule) -> tuple[int, Estimate]:
    """Return the place where the outcome's best window begins, and the change from it to the last window."""
    width = look.wide
    begins = range(0, look.count - 2 * width + 1, width)
    windows = [look.window(begin, begin + width, outcome, anchor=True) for begin in begins]
    best = max(range(len(windows)), key=lambda number: _mean(windows[number].mean))
    last = look.anchors[0].last
    fall = difference(windows[best], last, (outcome.low, outcome.high), 2 * look.alpha / len(windows))
    return begins[best], fall


def _mean(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _evidence(look: Look, fall: Estimate) -> dict[str, float]:
    found = {"fall": fall.value, "fall_high": fall.high, "total_change": look.total_change.value}
    kl = look.history.metrics.get("kl")
    assert look.outcome is not None
    column = look.history.column(look.outcome.name)
    groups = look.history.groups
    gold = look.history.by_step(groups.sums[:, column], groups.counts[:, column])
    if kl is not None and (usable := ~np.isnan(kl) & (kl > 0) & ~np.isnan(gold)).sum() >= look.thresholds.first_look:
        found |= peak(np.sqrt(kl[usable]), gold[usable])
    return found


def peak(distance: Floats, gold: Floats) -> dict[str, float]:
    """Fit ``gold = c + d (a - b ln d)`` and return the distance of its peak, with a bootstrap interval of 90%.

    Args:
        distance: [S], square root of KL.
        gold: [S], the outcome.
    """
    design = np.stack([np.ones_like(distance), distance, -distance * np.log(distance)], axis=1)
    rng = np.random.default_rng(0)
    draws = [np.arange(len(gold)), *rng.integers(0, len(gold), (DRAWS, len(gold)))]
    peaks = []
    for draw in draws:
        _, a, b = np.linalg.lstsq(design[draw], gold[draw], rcond=None)[0]
        peaks.append(math.exp(min(a / b - 1, 50.0)) if b > 0 else math.inf)
    if not math.isfinite(peaks[0]):
        return {}
    low, high = np.quantile(peaks[1:], [0.05, 0.95], method="lower")
    bounds = {"peak_distance_low": float(low), "peak_distance_high": float(high)}
    return {"distance": float(distance[-1]), "peak_distance": peaks[0]} | {
        name: value for name, value in bounds.items() if math.isfinite(value)
    }
