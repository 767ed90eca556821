"""Whether a block holds anything.

An empty scaffold earns nothing: with an empty reasoning block and one letter, a public format
reward paid in full (MakazhanAlpamys/Soup#814).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from guerdon_plugins.parsing.visible import count_words, kinds, unescape, without_markup

_PLAIN = re.compile("[A-Za-z0-9]")
_SAYS_SOMETHING = re.compile("[cws]")
_HAS_WORD = re.compile("[cw]")
_LATEX_BLANK = re.compile(
    r"\\[hv]?phantom\s?\{[^{}]{0,200}\}|\\(?:boxed|fbox|text|mathrm|mathbf|mbox|quad|qquad|[,;:! ])|[{}~$&]"
)


def says_something(text: str) -> bool:
    """Say whether a short answer stands here: anything but blanks, dots and empty markup."""
    bare = without_markup(text) if "</" in text else unescape(text)
    return _PLAIN.search(bare) is not None or _SAYS_SOMETHING.search(kinds(bare)) is not None


def has_words(text: str, minimum: int = 1) -> bool:
    """Say whether the text has so many words; without spaces between them, every character is one."""
    if minimum > 1:
        return count_words(text) >= minimum
    bare = without_markup(text)
    return _PLAIN.search(bare) is not None or _HAS_WORD.search(kinds(bare)) is not None


def box_says_something(text: str) -> bool:
    r"""Say whether a ``\boxed{}`` holds more than LaTeX spacing, empty groups and dots."""
    return _SAYS_SOMETHING.search(kinds(_LATEX_BLANK.sub("", text))) is not None


def prompt_text(prompt: Sequence[Mapping[str, Any]]) -> str:
    """Join the texts of a conversation with newlines; pictures and malformed parts are left out."""
    pieces: list[str] = []
    for message in prompt:
        content = message.get("content")
        for part in content if isinstance(content, list | tuple) else [content]:
            text = part.get("text") if isinstance(part, Mapping) else part
            if isinstance(text, str):
                pieces.append(text)
    return "\n".join(pieces)
