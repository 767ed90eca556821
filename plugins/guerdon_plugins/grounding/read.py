"""Where in a completion the answer is read."""

from dataclasses import dataclass

from guerdon_plugins.parsing.declare import last_declaration
from guerdon_plugins.parsing.fold import fold
from guerdon_plugins.parsing.location import Location, locate
from guerdon_plugins.parsing.reasoning import outside_reasoning
from guerdon_plugins.parsing.span import Span
from guerdon_plugins.parsing.tags import last_block

MAX_PROSE = 100_000
"""Characters of an answer that are read as prose (counts, claims, texts). A longer one scores 0."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The text that is judged."""

    text: Span | None
    """Folded; None where the completion has no such place or its reasoning is cut off."""

    free: bool
    """Free text outside the reasoning, in which a declaration may stand."""

    @property
    def prose(self) -> Span | None:
        """The text, or None where it is missing or longer than `MAX_PROSE`."""
        return self.text if self.text and len(self.text.text) <= MAX_PROSE else None


def read_answer(completion: str, location: Location) -> Reading:
    """Find the answer outside the reasoning. Reasoning that is cut off means no answer."""
    if outside_reasoning(completion).cut_off:
        return Reading(None, free=False)
    place = locate(completion, location).place
    return Reading(place.strip() if place else None, free=location.answer_from == "any")


def read_block(completion: str, tag: str) -> Reading:
    """Find the last closed block of `tag` anywhere, such as boxes that a recipe writes into ``<think>``."""
    block = last_block(fold(completion), tag)
    return Reading(block.strip() if block else None, free=False)


def declared_text(text: Span) -> Span | None:
    """Return what the last declaration declares: a block, a box or a sentence; None without one."""
    declared = last_declaration(text)
    return declared.payload if declared else None


def after_declaration(text: Span) -> Span | None:
    """Return what follows the last "the answer is", or the last block or box; None without one."""
    declared = last_declaration(text)
    if declared is None:
        return None
    return declared.payload if declared.enclosed else text.part(declared.payload.start - text.start)
