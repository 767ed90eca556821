r"""LaTeX boxes: ``\boxed{...}`` with balanced braces."""

import re

from guerdon_plugins.parsing.span import Span

_OPENING = re.compile(r"\\(?:boxed|fbox|framebox)\s{0,3}\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
MAX_BOX = 20_000
"""Characters of a box; a longer one is no answer and counts as unbalanced."""
MAX_BOXES = 1000
"""Of more boxes only the last ones are looked at."""


def last_box(text: str) -> Span | None:
    r"""Return what stands in the last balanced ``\boxed{}``, or None without one.

    Of nested boxes the outermost counts. Linear in the text's length.
    """
    openings = [match.span() for match in _OPENING.finditer(text)][-MAX_BOXES:]
    limit = len(text)
    for index in range(len(openings) - 1, -1, -1):
        start, inner = openings[index]
        end = _closing(text, inner, limit)
        if end is not None:
            return _outermost(text, openings[:index], Span(text[inner:end], inner))
        limit = start  # a box around this one is not closed either
    return None


def _closing(text: str, start: int, limit: int) -> int | None:
    """Return the position of the brace that closes what opened before `start`."""
    depth = 1
    for brace in _BRACE.finditer(text, start, min(limit, start + MAX_BOX)):
        depth += (brace[0] == "{") - (brace[0] == "}")
        if depth == 0:
            return brace.start()
    return None


def _outermost(text: str, openings: list[tuple[int, int]], box: Span) -> Span:
    """Return the box that holds `box` and is held by none, looking at boxes that open right before it."""
    for _, inner in reversed(openings):
        if text[inner : box.start].strip() and _closing(text, inner, box.start) is not None:
            break
        end = _closing(text, inner, len(text))
        if end is None or end < box.end:
            break
        box = Span(text[inner:end], inner)
    return box
