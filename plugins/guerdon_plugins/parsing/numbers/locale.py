"""How languages group and point their digits (Unicode CLDR, chart "Number Symbols")."""

import re
from dataclasses import dataclass
from functools import lru_cache

from guerdon_plugins.parsing.listed import listed

_FIXED = "\u00a0\u202f\u2009\u2007"
"""Spaces that do not break: they group digits in every language (SI Brochure, 5.4.4)."""

_COMMA_DECIMAL = frozenset(
    listed("de fr es it pt nl ru pl sv da nb nn no fi cs sk tr id uk ro hu bg el hr sl sr lt lv et is ca vi")
)
_POINT_DECIMAL = frozenset(listed("en zh ja ko th he hi bn ta te mr gu ur ms"))
_INDIAN = frozenset(listed("hi bn ta te mr gu"))
_SPACE_GROUPS = frozenset(listed("fr ru pl sv nb nn no fi cs sk uk hu bg lt lv et"))
KNOWN = _COMMA_DECIMAL | _POINT_DECIMAL


@dataclass(frozen=True, slots=True)
class NumberLocale:
    """The digits of one language."""

    decimal: str
    groups: str
    """The signs that may group digits by three."""

    indian: bool = False
    """Groups of two above the thousand: 12,34,567."""

    def value_of(self, digits: str) -> str | None:
        """Return plain digits with a decimal point, or None where signs and groups are malformed."""
        whole, point, fraction = digits.partition(self.decimal)
        if point and not fraction.isdigit():
            return None
        plain = self._ungroup(whole)
        return plain if plain is None or not point else f"{plain}.{fraction}"

    def _ungroup(self, whole: str) -> str | None:
        if whole.isdigit():
            return whole
        sign = next((char for char in whole if not char.isdigit()), "")
        if not whole:
            return "0"
        if sign not in self.groups + _FIXED:
            return None
        parts = whole.split(sign)
        return "".join(parts) if self._well_grouped(parts) else None

    def _well_grouped(self, parts: list[str]) -> bool:
        middle = 2 if self.indian and len(parts) > 2 else 3
        lengths = [len(part) for part in parts]
        sound = all(part.isdigit() for part in parts) and not parts[0].startswith("0")
        return sound and 1 <= lengths[0] <= middle and lengths[-1] == 3 and all(n == middle for n in lengths[1:-1])

    @property
    def pattern(self) -> re.Pattern[str]:
        """A pattern for a run of digits with signs in it, well-formed or not."""
        return _pattern("".join(sorted({".", ",", *_FIXED, *self.groups} - {"'", "’"})))


@lru_cache(maxsize=64)
def _pattern(signs: str) -> re.Pattern[str]:
    inner = rf"(?:[0-9{re.escape(signs)}\u2060]|['’](?=[0-9]{{3}}(?![0-9])))"
    return re.compile(rf"[0-9](?:{inner}*[0-9])?|\.[0-9]+|\\frac(?![A-Za-z])|[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]")


@lru_cache(maxsize=64)
def number_locale(name: str) -> NumberLocale | None:
    """Return the number signs of a language tag such as ``de``, ``en-IN`` or ``de-CH``; None if unknown."""
    language, _, region = name.replace("_", "-").partition("-")
    language, region = language.lower(), region.upper()
    if language not in KNOWN:
        return None
    if region in ("CH", "LI"):
        return NumberLocale(".", "'’")
    if language in _INDIAN or region == "IN":
        return NumberLocale(".", ",", indian=True)
    if language in _POINT_DECIMAL:
        return NumberLocale(".", ",'’" if language != "en" else ",")
    return NumberLocale(",", ". " if language in _SPACE_GROUPS else ".")
