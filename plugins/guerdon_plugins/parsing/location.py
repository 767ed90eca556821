"""Finding the answer where the configuration says it stands."""

from dataclasses import dataclass
from typing import Literal

from guerdon_plugins.parsing.boxed import last_box
from guerdon_plugins.parsing.fold import fold
from guerdon_plugins.parsing.reasoning import outside_reasoning
from guerdon_plugins.parsing.span import Span
from guerdon_plugins.parsing.tags import last_block

type AnswerFrom = Literal["any", "tag", "boxed", "marker"]
"""Where an answer stands: anywhere outside the reasoning, in the last block of a tag, in the last
balanced box, or after the last marker."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where to look for the answer."""

    answer_from: AnswerFrom = "any"
    tag: str = "answer"
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Located:
    """What a completion offers to read."""

    outside: Span
    """All text outside the reasoning; every position is one in the completion."""

    place: Span | None
    """The configured place: None where the completion has none; all of `outside` for ``any``."""

    cut_off: bool = False
    """The reasoning is never closed: the completion has no answer."""


def locate(completion: str, location: Location, *, folded: bool = True) -> Located:
    """Cut the reasoning, fold look-alikes (unless told not to) and find the configured place. Linear time."""
    visible = outside_reasoning(completion)
    outside = Span(fold(visible.text) if folded else visible.text, 0).strip()
    return Located(outside, _place(outside, location), visible.cut_off)


def _place(outside: Span, location: Location) -> Span | None:
    match location.answer_from:
        case "tag":
            return _within(outside, last_block(outside.text, location.tag))
        case "boxed":
            return _within(outside, last_box(outside.text))
        case "marker":
            return _within(outside, after_marker(outside.text, fold(location.marker)))
        case "any":
            return outside


def _within(outside: Span, found: Span | None) -> Span | None:
    return outside.part(found.start, found.end) if found is not None else None


def after_marker(text: str, marker: str) -> Span | None:
    """Return the rest of the line after the last marker, or the next line where that rest is blank."""
    found = text.rfind(marker)
    if found < 0:
        return None
    start = found + len(marker)
    while start < len(text) and text[start].isspace():
        start += 1
    end = text.find("\n", start)
    return Span(text[start : end if end >= 0 else len(text)], start)
