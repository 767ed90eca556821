"""Tables of words, written as text."""

import re


def listed(text: str, separator: str | None = None) -> tuple[str, ...]:
    """Split a table at white space, or at the separator; pieces are stripped."""
    return tuple(piece.strip() for piece in text.split(separator) if piece.strip())


def phrases(english: str, chinese: str = "", *, after: str = "") -> re.Pattern[str]:
    """Compile a table of phrases, letter case ignored.

    Args:
        english: regular expressions separated by commas; none begins or ends inside a word.
        chinese: regular expressions separated by white space.
        after: a regular expression that must follow the phrase.
    """
    latin = rf"(?<![A-Za-z])(?:{'|'.join(listed(english, ','))})(?![A-Za-z])"
    return re.compile(rf"(?:{'|'.join((latin, *listed(chinese)))}){after}", re.IGNORECASE)
