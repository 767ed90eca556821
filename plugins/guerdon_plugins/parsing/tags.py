"""Blocks between an opening and a closing tag."""

import re
from functools import lru_cache

from guerdon_plugins.parsing.span import Span


@lru_cache(maxsize=64)
def _pattern(tag: str) -> re.Pattern[str]:
    return re.compile(rf"<\s*+(/?)\s*+{re.escape(tag)}\s*+>", re.IGNORECASE)


def last_block(text: str, tag: str) -> Span | None:
    """Return what stands in the last closed ``<tag>...</tag>``, or None without one.

    Of openings that follow each other the last one counts. Linear in the text's length.
    """
    block: Span | None = None
    opened: int | None = None
    for match in _pattern(tag).finditer(text):
        if not match[1]:
            opened = match.end()
        elif opened is not None:
            block, opened = Span(text[opened : match.start()], opened), None
    return block
