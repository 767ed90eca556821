"""Fold look-alikes of plain characters, one character for one, so that positions stay true."""

import unicodedata

_RANGES = (
    (0x2010, 0x2011),  # hyphens
    (0x2100, 0x214F),  # letter-like symbols
    (0x2460, 0x24FF),  # circled letters and digits
    (0xFE50, 0xFE6F),  # small forms
    (0xFF01, 0xFF5E),  # full-width ASCII
    (0x1D400, 0x1D7FF),  # mathematical alphanumerics
)

_EXTRA = {0x2212: "-", 0xFE63: "-", 0x3000: " ", 0xFFE5: "¥", 0x2010: "-", 0x2011: "-", 0x2236: ":", 0x2215: "/"}


def _single(code: int) -> str | None:
    """Return the one compatible character, or None where there is none or several."""
    folded = unicodedata.normalize("NFKC", chr(code))
    return folded if len(folded) == 1 and folded != chr(code) else None


def _table() -> dict[int, str]:
    table = {code: char for low, high in _RANGES for code in range(low, high + 1) if (char := _single(code))}
    return table | _EXTRA


class _Translation(dict[int, int | str]):
    """A table for `str.translate` in which digits of all scripts are plain and other characters themselves."""

    def __missing__(self, code: int) -> int | str:
        digit = unicodedata.decimal(chr(code), None)
        plain = code if digit is None else str(digit)
        if len(self) < MAX_KNOWN:
            self[code] = plain
        return plain


MAX_KNOWN = 50_000
"""Characters that the table keeps; others are looked up anew."""

_TABLE = _Translation(_table())


def fold(text: str) -> str:
    """Return `text` with full-width, circled and mathematical letters, digits and signs made plain.

    The result has the same length: every position in it is one in `text`. Superscripts and
    fractions stay as they are, because ``10²`` is not ``102``.
    """
    if text.isascii():
        return text
    return text.translate(_TABLE)
