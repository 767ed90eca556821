"""A summary in plain words."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from guerdon.review.estimate import Estimate
from guerdon.review.held_out import Comparison, Verdict
from guerdon.review.summary import ADDITIVE, ComponentSummary, Summary, Window

ALARMING = 0.01
"""Failed gradings beyond this share are a warning."""

TELLING = 0.01
"""Of smaller changes of the total no parts are told."""

VERDICTS: dict[Verdict, str] = {
    "gained": "gained",
    "lost": "lost",
    "no change": "no change",
    "not powered": "not powered",
    "unknown": "no interval",
}


def number(value: float) -> str:
    """Write a mean."""
    return f"{value:.3f}" if math.isfinite(value) else "none"


def signed(value: float) -> str:
    """Write a difference."""
    return f"{value:+.3f}" if math.isfinite(value) else "none"


def interval(estimate: Estimate, level: str = "") -> str:
    """Write a difference with its interval; `level` goes before the interval."""
    if not math.isfinite(estimate.low):
        return f"{signed(estimate.value)} (no interval)"
    return f"{signed(estimate.value)} ({level}{signed(estimate.low)} to {signed(estimate.high)})"


def bracketed(estimate: Estimate) -> str:
    """Write a difference with its interval, briefly."""
    if not math.isfinite(estimate.low):
        return f"{signed(estimate.value)} (no interval)"
    return f"{signed(estimate.value)} ({signed(estimate.low)}, {signed(estimate.high)})"


def short(window: Window) -> str:
    """Write a window as a column's head."""
    return f"step {window.first}" if window.first == window.last else f"steps {window.first}-{window.last}"


def statuses(component: ComponentSummary) -> str:
    """Write how many records ended how, leaving out what never happened."""
    return ", ".join(f"{count} {status}" for status, count in component.statuses.items() if count) or "none"


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence or two of the overview."""

    text: str
    warning: bool = False
    """A reader should not miss it."""


def overview(summary: Summary) -> list[Line]:
    """Say what happened, warnings first."""
    lines = [*_outcome(summary), *_losses(summary), *_drivers(summary), *_silence(summary)]
    return [*_hacks(summary), *_failures(summary), *(Line(text) for text in lines)]


def _hacks(summary: Summary) -> Iterator[Line]:
    """Name components that climb without the outcome."""
    climbing, progress = summary.climbing(), summary.progress()
    if not climbing or progress not in ("none", "unclear") or summary.training is None or summary.anchor is None:
        return
    first, last = summary.training
    risen = " and ".join(f"{one.name} rose by {interval(one.change)}" for one in climbing)
    outcome = f"the outcome {summary.outcome} changed by {interval(summary.anchor)}"
    if progress == "none":
        yield Line(
            f"Possible reward hack: between {first} and {last} {risen}, and {outcome}: no gain that matters.", True
        )
    else:
        yield Line(
            f"Watch for a reward hack: between {first} and {last} {risen}, while {outcome}: no gain is shown.", True
        )


def _outcome(summary: Summary) -> Iterator[str]:
    if summary.outcome is None:
        yield "No outcome is declared, so nobody can say whether this run reached what it was for."
        return
    row = summary.outcome_row("greedy") or summary.outcome_row("sampled")
    if row is None:
        yield (
            f"The outcome {summary.outcome} was not measured on held-out prompts both before and after training, "
            "so a rise in training may be practice on the same prompts."
        )
        return
    yield (
        f"On {row.difference.prompts} held-out prompts ({row.sampling} decoding) the outcome {row.component} went from "
        f"{number(row.before.value)} to {number(row.after.value)}, a change of {interval(row.difference, '95% ')}. "
        f"{judgement(row)}"
    )
    yield from _style(summary, row)


def judgement(row: Comparison) -> str:
    """Say what a comparison shows, and what it could not have shown."""
    detectable = f"a true change of {number(row.difference.detectable)} would show four times in five"
    match row.verdict:
        case "gained":
            return "That is a gain."
        case "lost":
            return "That is a loss."
        case "no change":
            return f"That is no change of a size that matters ({number(row.matters or 0.0)})."
        case "not powered":
            return f"Not powered: too few prompts to tell a change of this size from chance; {detectable}{_need(row)}."
        case "unknown":
            return "There are too few prompts for an interval."


def _need(row: Comparison) -> str:
    needed = row.difference.prompts_for(row.matters) if row.matters else None
    return f", one of {number(row.matters or 0.0)} would need {needed} prompts" if needed else ""


def _style(summary: Summary, row: Comparison) -> Iterator[str]:
    """Tell a better answer from a better placed one."""
    lenient = summary.outcome_row(row.sampling, "lenient")
    if lenient is not None and row.verdict == "gained" and lenient.verdict != "gained":
        yield (
            f"Read leniently, wherever the answer stands, it changed by {interval(lenient.difference)}: "
            "the gain may be in how answers are written rather than in what they say."
        )


def _losses(summary: Summary) -> Iterator[str]:
    """Name what got worse on held-out prompts beside the outcome."""
    for row in summary.held_out:
        others = row.component != summary.outcome and row.modality is None
        if others and row.sampling == "greedy" and row.verdict == "lost":
            yield f"On held-out prompts {row.component} fell: {interval(row.difference, '95% ')}, greedy decoding."


def _drivers(summary: Summary) -> Iterator[str]:
    """Say which components the reward's rise came from."""
    if summary.training is None or summary.totals is None:
        return
    first, last = summary.training
    if first == last:
        yield f"There is only one training step ({first}), so nothing can be said about change."
        return
    rises = {one.name: one.rise for one in summary.components if one.rise is not None}
    total = summary.totals[1] - summary.totals[0]
    ranked = sorted(rises.items(), key=lambda item: -abs(item[1]))
    parts = [f"{name} {signed(rise)}{_part(rise, total)}" for name, rise in ranked]
    mix = total - sum(rises.values())
    if summary.mode in ADDITIVE and abs(mix) >= 0.0005:
        parts.append(f"the mix of prompts {signed(mix)}")
    verb = "rose" if total > 0 else "fell" if total < 0 else "changed"
    made = f": {', '.join(parts)}" if summary.mode in ADDITIVE else ""
    yield f"The mean total reward {verb} by {number(abs(total))} between {first} and {last}{made}."


def _part(rise: float, total: float) -> str:
    """Write a component's part in the total's change, where it goes the same way."""
    part = rise / total if abs(total) >= TELLING else 0.0
    return f" ({part:.0%} of it)" if 0.005 <= part <= 1 else ""


def _failures(summary: Summary) -> Iterator[Line]:
    for one in summary.components:
        failed = one.statuses["error"] + one.statuses["timeout"]
        if failed:
            count = sum(one.statuses.values())
            text = f"The grading of {one.name} failed on {failed} of {count} completions ({failed / count:.1%})."
            yield Line(text, failed / count > ALARMING)


def _silence(summary: Summary) -> Iterator[str]:
    groups = sum(one.groups for one in summary.constant)
    constant, right, wrong = (
        sum(getattr(one, name) for one in summary.constant) for name in ("constant", "all_right", "all_wrong")
    )
    if constant:
        yield (
            f"{constant} of {groups} groups ({constant / groups:.1%}) taught nothing, since no completion in them was "
            f"better than another: {right} with all outcomes right, {wrong} with all wrong."
        )
