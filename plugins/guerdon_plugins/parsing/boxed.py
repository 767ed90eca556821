r"""LaTeX boxes: ``\boxed{...}`` with balanced braces."""

import re

from guerdon_plugins.parsing.span import Span

_TOKEN = re.compile(r"\\(?:boxed|fbox|framebox)\s*\{|\\.|[{}]", re.DOTALL)
_FIRST = re.compile(r"\\(?:boxed|fbox|framebox)\s*\{")


def last_box(text: str) -> Span | None:
    r"""Return what stands in the last balanced ``\boxed{}``, or None without one.

    Of nested boxes the outermost counts. Linear in the text's length.
    """
    first = _FIRST.search(text)
    if first is None:
        return None
    place: tuple[int, int] | None = None
    opened: list[int] = []
    for token in _TOKEN.finditer(text, first.start()):
        if token[0] == "}":
            if opened and (start := opened.pop()) >= 0:
                place = (start, token.start())
        elif token[0][-1] == "{" and token[0] != r"\{":
            opened.append(token.end() if len(token[0]) > 1 else -1)
    return Span(text[slice(*place)], place[0]) if place else None
