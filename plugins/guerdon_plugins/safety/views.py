"""Readings of a text in which disguises fall away, each with a way back to the original.

Look-alikes are folded (NFKC, accents, Unicode's confusables, tag characters) and what is invisible
is dropped; `disguises` builds the other readings on that.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

type Span = tuple[int, int]
"""Start and end (0-based, end exclusive)."""


@dataclass(frozen=True, slots=True)
class View:
    """A text, and where its characters stand in the original."""

    text: str
    locate: Callable[[Span], Span]
    """Takes a span of `text` to the smallest span of the original that holds it."""


def folded(original: str) -> View:
    """Return the text with look-alikes folded and invisible characters dropped. Linear time."""
    if original.isascii():
        return View(original, lambda span: span)
    return View(fold(original), _Unfold(original).locate)


def fold(text: str) -> str:
    """Fold look-alikes and drop invisible characters."""
    return text if text.isascii() else text.translate(_table())


def mirrored(view: View) -> View:
    """Return the view read backwards."""
    length = len(view.text)
    return View(view.text[::-1], lambda span: view.locate((length - span[1], length - span[0])))


def replaced(view: View, pattern: re.Pattern[str], replacement: Callable[[str], str]) -> View | None:
    """Return the view with each match replaced, or None if that changes nothing."""
    text = pattern.sub(lambda match: replacement(match[0]), view.text)
    return None if text == view.text else View(text, _Replaced(view, pattern, replacement).locate)


class _Replaced:
    """Takes spans of a text with replacements back; finds the replacements again on the first call."""

    def __init__(self, view: View, pattern: re.Pattern[str], replacement: Callable[[str], str]) -> None:
        self._view = view
        self._pattern = pattern
        self._replacement = replacement

    @cached_property
    def _pieces(self) -> list[tuple[int, int, Span]]:
        """Start and end of each replacement in the new text, and its span in the old one."""
        pieces, growth = [], 0
        for match in self._pattern.finditer(self._view.text):
            length = len(self._replacement(match[0]))
            start = match.start() + growth
            pieces.append((start, start + length, match.span()))
            growth += length - len(match[0])
        return pieces

    def locate(self, span: Span) -> Span:
        """Return the old span; what touches a replacement takes all of it."""
        start, _ = self._place(span[0])
        _, end = self._place(max(span[0], span[1] - 1))
        return self._view.locate((start, max(start, end)))

    def _place(self, position: int) -> Span:
        index = bisect_right(self._pieces, position, key=lambda piece: piece[0]) - 1
        if index < 0:
            return position, position + 1
        _, new_end, (old_start, old_end) = self._pieces[index]
        if position < new_end:
            return old_start, old_end
        return old_end + position - new_end, old_end + position - new_end + 1


class _Unfold:
    """Takes spans of a folded text back; counts on the first call."""

    def __init__(self, original: str) -> None:
        self._original = original

    @cached_property
    def _ends(self) -> list[int]:
        table = _table()
        return list(accumulate(len(table[ord(char)]) for char in self._original))

    def locate(self, span: Span) -> Span:
        first = bisect_right(self._ends, span[0])
        last = bisect_right(self._ends, max(span[0], span[1] - 1))
        return first, min(len(self._original), last + 1)


class _Table(dict[int, str]):
    """What one character folds to; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        self[code] = plain = _fold_char(chr(code))
        return plain


@lru_cache(maxsize=1)
def _table() -> _Table:
    return _Table(
        {code: chr(code) for code in range(0x20, 0x7F)}
        | {9: "\t", 10: "\n", 13: "\r"}
        | {ord(char): plain for char, plain in _PUNCTUATION.items()}
    )


def _fold_char(char: str) -> str:
    code, category = ord(char), unicodedata.category(char)
    for first, letter, count in _ALPHABETS:
        if first <= code < first + count:
            return chr(ord(letter) + code - first)
    plain = unicodedata.normalize("NFKD", char)
    if category == "So" and plain.isascii():  # letters in circles and squares
        return plain
    if category in _BY_CATEGORY or code in _BLANK:
        return _BY_CATEGORY.get(category, "")
    if 0xAC00 <= code <= 0xD7A3:  # Hangul syllables come apart under NFKD
        return char
    kept = (c for c in plain if unicodedata.category(c) not in ("Mn", "Me"))
    return "".join(_PUNCTUATION.get(c) or _confusables().get(c, c) for c in kept)


@lru_cache(maxsize=1)
def _confusables() -> dict[str, str]:
    """Return Unicode's confusables of ASCII letters (UTS 39), and letters with a stroke."""
    from confusable_homoglyphs.confusables import confusables_data

    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    alike = ((entry["c"], letter) for letter in letters for entry in confusables_data.get(letter, ()))
    return {char: letter for char, letter in alike if len(char) == 1 and not char.isascii()} | _STROKED


_ALPHABETS = ((0xE0020, " ", 95), (0x1F150, "A", 26), (0x1F170, "A", 26), (0x1F1E6, "A", 26))
"""First code, first letter and number of the tag characters (invisible ASCII) and of letters in
black circles, in black squares and of flags."""

_BY_CATEGORY = {"Cf": "", "Mn": "", "Me": "", "Cc": "", "Cs": " ", "Zs": " ", "Zl": "\n", "Zp": "\n", "So": " "}
_BLANK = frozenset({0x115F, 0x1160, 0x3164, 0xFFA0})
"""Letters that show nothing."""

_STROKED = dict(zip("ʀɴᴍʟʜɪᴇᴅᴘᴛᴀʙɢғᴋøØłđħıΙІⅠꓲӀ", "RNMLHIEDPTABGFKoOldhiIIIII", strict=True))
_PUNCTUATION = {
    char: plain
    for chars, plain in (
        ("“”„‟″", '"'),
        ("‘’‚‛′＇", "'"),
        ("‐‑‒–—−", "-"),
        ("⁄∕", "/"),
        ("։∶", ":"),
        ("‹", "<"),
        ("›", ">"),
    )
    for char in chars
}
