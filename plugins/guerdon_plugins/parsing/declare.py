"""Explicit declarations of an answer: tags, boxes, ``####`` and phrases such as "the answer is"."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from guerdon_plugins.parsing.boxed import last_box
from guerdon_plugins.parsing.phrases import DECLARES
from guerdon_plugins.parsing.sentences import sentences
from guerdon_plugins.parsing.span import Span
from guerdon_plugins.parsing.tags import last_block

MAX_DECLARATIONS = 50
"""Of more phrases that declare something only the last ones count."""
FOLLOWING = 8
"""Sentences after a declaration that may withdraw it."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A place in the text that says: this is my answer."""

    payload: Span
    """What it declares: a block, a box, or the rest of the sentence."""

    following: tuple[Span, ...] = ()
    """The sentences after it, which may withdraw it or leave it open; none after a block or box."""

    enclosed: bool = False
    """The place has an end of its own: a block or a box."""


def declarations(text: Span) -> Iterator[Declaration]:
    """Yield the declarations in a text, the last one first. Linear time."""
    blocks = _enclosed(text)
    found = [*((block, block.start - text.start) for block in blocks), *((None, start) for start in _starts(text.text))]
    for block, start in sorted(found, key=lambda item: item[1], reverse=True):
        if block is not None:
            yield Declaration(block, enclosed=True)
        elif declaration := _phrase(_around(text, blocks, start), text.start + start):
            yield declaration


def last_declaration(text: Span) -> Declaration | None:
    """Return the declaration that stands last, or None without one."""
    return next(declarations(text), None)


def _enclosed(text: Span) -> list[Span]:
    spans = (last_block(text.text, "answer"), last_box(text.text))
    return [text.part(span.start, span.end) for span in spans if span]


def _around(text: Span, blocks: list[Span], start: int) -> Span:
    """Return the block that a phrase stands in, or the whole text."""
    position = text.start + start
    return next((block for block in blocks if block.start <= position <= block.end), text)


def _starts(text: str) -> list[int]:
    starts = [match.end() for match in DECLARES.finditer(text)]
    hashes = text.rfind("####")
    return [*starts[-MAX_DECLARATIONS:], *([hashes + 4] if hashes >= 0 else [])]


def _phrase(text: Span, start: int) -> Declaration | None:
    """Read the sentence that begins at a position of the completion, or on the next line that is not blank."""
    found = list(islice(sentences(text, start - text.start), FOLLOWING))
    if not found:
        return None
    return Declaration(found[0].strip(), tuple(found[1:]))
