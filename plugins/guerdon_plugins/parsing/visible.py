"""What of a text can be seen, and how many words it has in any script."""

import html
import re
import unicodedata
from collections.abc import Iterator

NO_SPACES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3040, 0x30FF),  # Japanese syllables
    (0x3400, 0x9FFF),  # Chinese
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
"""Scripts that write no spaces between words: one character counts as a word."""

_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0\ufffd"  # Hangul fillers, the empty Braille cell, the replacement
_DOTS = ".…‥·•・。"
_DIACRITICS = ((0x0300, 0x036F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE00, 0xFE0F))
_MARKUP = re.compile(r"</?[A-Za-z!][^<>]{0,200}>")
_UNIT = re.compile(r"c|[wmu][wmux]*|[sd]")
_ASCII_UNIT = re.compile(r"\w+|[!-/:-@\[-^`{-~]", re.ASCII)
_CONTROL = re.compile(r"[^\x20-\x7e\s]")
_EDGES = " .,;:!?…。，；：！？\"'`*_()[]{}"


class _Kinds(dict[int, str]):
    """A table for `str.translate`: one letter for the kind of each character."""

    def __missing__(self, code: int) -> str:
        kind = _kind(chr(code))
        if _is_kept(code):
            self[code] = kind
        return kind


class _Seen(dict[int, int | None]):
    """A table for `str.translate` that drops what cannot be seen and keeps white space."""

    def __missing__(self, code: int) -> int | None:
        char = chr(code)
        seen = code if char.isspace() or _kind(char) not in " x" else None
        if _is_kept(code):
            self[code] = seen
        return seen


class _Spaced(dict[int, str | None]):
    """A table for `str.translate` that folds characters and parts units by spaces."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        kind = _kind(char)
        spaced = None if kind == "x" else " " if kind == " " else _folded(char)
        if kind in "csd":
            spaced = f" {spaced} "
        if _is_kept(code):
            self[code] = spaced
        return spaced


def _folded(char: str) -> str:
    compatible = unicodedata.normalize("NFKC", char)
    folded = (compatible if len(compatible) == 1 else char).casefold()
    return folded if len(folded) == 1 else "".join(c for c in folded if _kind(c) != "x")


def _is_kept(code: int) -> bool:
    """Keep what is assigned (some 160,000 characters); the rest is blank and quickly looked up."""
    return unicodedata.category(chr(code)) not in ("Cn", "Co")


def _kind(char: str) -> str:
    """Return blank, x (diacritic), m (other mark), u (underscore), d (dot), c (a word by itself), w or s (sign)."""
    code, category = ord(char), unicodedata.category(char)
    if char in _BLANK_LETTERS or category[0] in "ZC":
        return " "
    if char == "_":
        return "u"
    if char in _DOTS:
        return "d"
    if category == "Me" or _within(code, _DIACRITICS):
        return "x"
    if category[0] not in "LMN":
        return "s"
    return "c" if _within(code, NO_SPACES) else "m" if category[0] == "M" else "w"


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= code <= high for low, high in ranges)


_KINDS = _Kinds()
_SEEN = _Seen()
_SPACED = _Spaced()


def kinds(text: str) -> str:
    """Return one letter for each character.

    Blank: shows nothing (white space, control, invisible and unassigned characters, fillers).
    c: a word by itself; w: part of a word; m: a mark within a word; x: a diacritic; u: underscore;
    d: a dot; s: another sign.
    """
    return text.translate(_KINDS)


def units(text: str) -> list[str]:
    """Return words and single signs in lower case, without blanks and diacritics. Linear time."""
    return _ASCII_UNIT.findall(text.lower()) if text.isascii() else text.translate(_SPACED).split()


def unit_spans(text: str) -> Iterator[tuple[int, int]]:
    """Return where the `units` stand."""
    return (match.span() for match in _UNIT.finditer(kinds(text)))


def count_words(text: str) -> int:
    """Count words; markup, blanks and signs are none."""
    return sum(1 for unit in _UNIT.finditer(kinds(without_markup(text))) if unit[0][0] in "cw")


def visible(text: str) -> str:
    """Return the text without invisible characters, which would split words and hide copies."""
    return text if text.isascii() and not _CONTROL.search(text) else text.translate(_SEEN)


def without_blanks(text: str) -> str:
    """Return the text without characters that show nothing."""
    return "".join(visible(text).split())


def without_markup(text: str) -> str:
    """Return the text without tags and with character references resolved."""
    return _MARKUP.sub("", unescape(text)) if "<" in text else unescape(text)


def unescape(text: str) -> str:
    """Resolve character references such as ``&nbsp;``."""
    return html.unescape(text) if "&" in text else text


def canonical(text: str) -> str:
    """Fold what a copy may change without being new: letter case, blanks, compatible characters,
    punctuation at the ends.
    """
    return " ".join(unicodedata.normalize("NFKC", visible(text)).casefold().split()).strip(_EDGES)
