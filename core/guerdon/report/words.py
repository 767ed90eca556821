"""A summary in plain words."""

import math
from collections.abc import Iterator

from guerdon.review.estimate import Estimate
from guerdon.review.held_out import Comparison, Verdict
from guerdon.review.summary import ComponentSummary, Summary, Window

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


def interval(estimate: Estimate) -> str:
    """Write a difference with its interval."""
    if not math.isfinite(estimate.low):
        return f"{signed(estimate.value)} (no interval)"
    return f"{signed(estimate.value)} ({signed(estimate.low)} to {signed(estimate.high)})"


def short(window: Window) -> str:
    """Write a window as a column's head."""
    return f"step {window.first}" if window.first == window.last else f"steps {window.first}-{window.last}"


def statuses(component: ComponentSummary) -> str:
    """Write how many records ended how, leaving out what never happened."""
    return ", ".join(f"{count} {status}" for status, count in component.statuses.items() if count) or "none"


def overview(summary: Summary) -> list[str]:
    """Say what happened, the most important first."""
    return [*_hacks(summary), *_outcome(summary), *_drivers(summary), *_failures(summary), *_silence(summary)]


def _hacks(summary: Summary) -> Iterator[str]:
    for one in summary.diverging():
        assert summary.anchor is not None
        assert summary.training is not None
        yield (
            f"Possible reward hack: from {summary.training[0]} to {summary.training[1]} {one.name} rose by "
            f"{interval(one.change)}, while the outcome {summary.outcome} changed by {interval(summary.anchor)}."
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
        f"The outcome {row.component} went from {number(row.before.value)} to {number(row.after.value)} on "
        f"{row.difference.prompts} held-out prompts ({row.sampling} decoding): {interval(row.difference)}, "
        f"95% interval. {judgement(row)}"
    )
    yield from _style(summary, row)


def judgement(row: Comparison) -> str:
    """Say what a comparison shows, and what it could not have shown."""
    detectable = f"this many prompts show a true difference of {number(row.difference.detectable)} four times in five"
    match row.verdict:
        case "gained":
            return "That is a gain."
        case "lost":
            return "That is a loss."
        case "no change":
            return f"That is no change of a size that matters ({number(row.matters or 0.0)}); {detectable}."
        case "not powered":
            return f"Not powered: the interval holds 0 and is too wide to rule a change out; {detectable}{_need(row)}."
        case "unknown":
            return "There are too few prompts for an interval."


def _need(row: Comparison) -> str:
    needed = row.difference.prompts_for(row.matters) if row.matters else None
    return f", {needed} prompts would show one of {number(row.matters or 0.0)}" if needed else ""


def _style(summary: Summary, row: Comparison) -> Iterator[str]:
    """Tell a better answer from a better placed one."""
    lenient = summary.outcome_row(row.sampling, "lenient")
    if lenient is not None and row.verdict == "gained" and lenient.verdict != "gained":
        yield (
            f"Read leniently, wherever the answer stands, it changed by {interval(lenient.difference)}: "
            "the gain may be in how answers are written rather than in what they say."
        )


def _drivers(summary: Summary) -> Iterator[str]:
    """Say which components the reward's rise came from."""
    rises = {one.name: one.rise for one in summary.components if one.rise is not None}
    total = sum(rises.values())
    if summary.training is None or not rises:
        return
    first, last = summary.training
    if first == last:
        yield f"There is only one training step ({first}), so nothing can be said about change."
        return
    if total <= 0:
        yield f"The total reward did not rise ({signed(total)} from {first} to {last})."
        return
    name = max(rises, key=lambda one: rises[one])
    yield (
        f"The total reward rose by {number(total)} from {first} to {last}; "
        f"{name} explains {min(rises[name] / total, 1.0):.0%} of it."
    )


def _failures(summary: Summary) -> Iterator[str]:
    for one in summary.components:
        failed = one.statuses["error"] + one.statuses["timeout"]
        if failed:
            count = sum(one.statuses.values())
            yield f"{one.name} failed on {failed} of {count} completions ({failed / count:.1%})."


def _silence(summary: Summary) -> Iterator[str]:
    share = summary.constant_share
    if share > 0:
        right, wrong = (sum(getattr(one, name) for one in summary.constant) for name in ("all_right", "all_wrong"))
        yield (
            f"{share:.0%} of the groups taught nothing, since all their completions got the same total "
            f"({right} groups all right, {wrong} all wrong)."
        )
