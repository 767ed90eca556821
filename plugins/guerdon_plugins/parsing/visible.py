"""What of a text can be seen, and how many words it has in any script."""

import html
import re
import unicodedata
from collections.abc import Iterator

BLANK = (
    r"\s\x00-\x1f\x7f-\x9f\u00ad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f"
    r"\u205f-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\U000e0000-\U000e0fff"
)
"""Characters that show nothing by themselves, for a character class: white space, invisible and
combining characters, blank letters such as the Hangul fillers, halves of surrogate pairs."""

NO_SPACES = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts that write no spaces between words (Thai, Lao, Burmese, Khmer, Japanese, Chinese), for a
character class. One character of them counts as a word."""

WORD = re.compile(rf"[{NO_SPACES}]|(?:(?![{NO_SPACES}{BLANK}])[^\W_])+")
"""A word: letters and digits."""

_UNIT = re.compile(rf"[{NO_SPACES}]|(?:(?![{NO_SPACES}{BLANK}])\w)+|[^\w{BLANK}]")
_ASCII_UNIT = re.compile(r"\w+|[!-/:-@\[-^`{-~]", re.ASCII)

_BLANKS = re.compile(f"[{BLANK}]+")
_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]+")
_MARKUP = re.compile(r"</?[A-Za-z!][^<>]{0,200}>")
_EDGES = " .,;:!?…。，；：！？\"'`*_()[]{}"


def visible(text: str) -> str:
    """Return the text without invisible characters, which would split words and hide copies."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def without_blanks(text: str) -> str:
    """Return the text without characters that show nothing."""
    return _BLANKS.sub("", text)


def without_markup(text: str) -> str:
    """Return the text without tags and with character references resolved."""
    return _MARKUP.sub("", unescape(text))


def unescape(text: str) -> str:
    """Resolve character references such as ``&nbsp;``."""
    return html.unescape(text) if "&" in text else text


def units(text: str) -> list[str]:
    """Return the words and other single signs of a text, without blanks."""
    return (_ASCII_UNIT if text.isascii() else _UNIT).findall(text)


def unit_spans(text: str) -> Iterator[tuple[int, int]]:
    """Return where the `units` stand."""
    return (match.span() for match in (_ASCII_UNIT if text.isascii() else _UNIT).finditer(text))


def count_words(text: str) -> int:
    """Count words; markup and blanks are none."""
    return sum(1 for _ in WORD.finditer(without_markup(text)))


def canonical(text: str) -> str:
    """Fold what a copy may change without being new: letter case, blanks, compatible characters,
    punctuation at the ends.
    """
    folded = visible(unicodedata.normalize("NFKC", text)).casefold()
    return " ".join(_BLANKS.sub(" ", folded).split()).strip(_EDGES)
