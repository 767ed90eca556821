"""Cut text into sentences."""

import re
from collections.abc import Iterator

from guerdon_plugins.parsing.span import Span

_ABBREVIATED = r"(?<!approx)(?<![Nn]o)(?<![Ff]ig)(?<![Ee]q)(?<! ca)(?<!Mr)(?<!Mrs)(?<!Ms)(?<!Dr)"
_END = re.compile(
    rf"{_ABBREVIATED}[.!?][\"”'’)*_\]]{{0,4}}(?=\s+[^\sa-z]|\s+(?:or|maybe|wait|actually|no)\b)|[。！？；]|\n"
)
MAX_SENTENCE = 4000
"""Characters of a sentence that are read."""


def sentences(text: Span, start: int = 0) -> Iterator[Span]:
    """Yield the sentences from a position on, without blank ones, each cut to `MAX_SENTENCE`.

    A full stop ends one unless a small letter follows, so ``3.5`` and ``e.g. this`` stay whole.
    """
    for match in _END.finditer(text.text, start):
        sentence = text.part(start, min(match.end(), start + MAX_SENTENCE))
        if sentence:
            yield sentence
        start = match.end()
    if sentence := text.part(start, start + MAX_SENTENCE):
        yield sentence


def sentence_at(text: Span, position: int) -> Span:
    """Return the sentence around a position, at most `MAX_SENTENCE` characters to either side."""
    start = max(0, position - MAX_SENTENCE)
    for match in _END.finditer(text.text, start, position):
        start = match.end()
    end = _END.search(text.text, position, position + MAX_SENTENCE)
    return text.part(start, end.end() if end else position + MAX_SENTENCE)
