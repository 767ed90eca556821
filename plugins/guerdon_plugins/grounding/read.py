"""Where in a completion the answer is read."""

from dataclasses import dataclass

from guerdon_plugins.parsing.declare import last_declaration
from guerdon_plugins.parsing.fold import fold
from guerdon_plugins.parsing.location import Location, locate
from guerdon_plugins.parsing.reasoning import outside_reasoning
from guerdon_plugins.parsing.span import Span
from guerdon_plugins.parsing.tags import last_block


@dataclass(frozen=True, slots=True)
class Reading:
    """The text that is judged."""

    text: Span | None
    """Folded; None where the completion has no such place or its reasoning is cut off."""

    free: bool
    """Free text outside the reasoning, in which a declaration may stand."""


def read_answer(completion: str, location: Location) -> Reading:
    """Find the answer outside the reasoning. Reasoning that is cut off means no answer."""
    if outside_reasoning(completion).cut_off:
        return Reading(None, free=False)
    return Reading(locate(completion, location).place, free=location.answer_from == "any")


def read_block(completion: str, tag: str) -> Reading:
    """Find the last closed block of `tag` anywhere, such as boxes that a recipe writes into ``<think>``."""
    return Reading(last_block(fold(completion), tag), free=False)


def after_declaration(text: Span) -> Span | None:
    """Return what follows the last "the answer is", or the last block or box; None without one."""
    declared = last_declaration(text)
    if declared is None:
        return None
    return declared.payload if declared.enclosed else text.part(declared.payload.start - text.start)
