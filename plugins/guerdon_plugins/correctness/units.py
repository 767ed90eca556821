"""Units of measure and currencies: their names, and conversion through pint."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from guerdon_plugins.correctness.unit_names import ALIASES, COUNTED, PREFIXED, WORDS
from guerdon_plugins.parsing.listed import listed

if TYPE_CHECKING:
    from pint import UnitRegistry

_NAMES_OF_POUND = ("pound", "pounds")
_HAN = "|".join(sorted((name for name in ALIASES if not name.isascii() and name[0] > "\u2e80"), key=len, reverse=True))
_WORD = rf"{_HAN}|°[ ]?[CF](?![A-Za-z])|US\$|[$€£¥₹¢℃℉°Ω]|[µμ]?[A-Za-z]{{1,20}}"
_POWER = r"(?:\u2060{0,6}\^?\{?\u2060{0,6}([23])\}?(?![0-9]|\.[0-9])|([²³])|[ ](squared|cubed))?"
_FACTOR = re.compile(rf"(?:(square|sq\.?|cubic|cu\.?)[ ])?({_WORD}){_POWER}", re.IGNORECASE)
_GAP = re.compile(r"[ \u00a0\u2009\u2060-]{0,16}")
_JOINT = re.compile(r"[ \u2060]{0,3}(?:(/|(?<![A-Za-z])per(?![A-Za-z])|每)|·|\*)[ \u2060]{0,3}", re.IGNORECASE)
_EXPONENTS = {"²": "2", "³": "3", "squared": "2", "cubed": "3"}
_QUOTES = {"'": "foot", "′": "foot", '"': "inch", "″": "inch"}
_PARTS = {"currency:cent": ("currency:USD", "currency:EUR"), "currency:penny": ("currency:GBP",)}
"""Hundredths of a currency, and the currencies that they may be of."""

_SIGNS = listed("US$ USD EUR GBP CNY RMB JPY INR Rs $ € £ ¥ ₹")


@dataclass(frozen=True, slots=True)
class UnitAt:
    """A unit and where it ends."""

    unit: str
    """As pint spells it, or ``currency:CODE``."""

    end: int


def unit_after(text: str, position: int) -> UnitAt | None:
    """Read the unit that stands right after a number: ``kg``, ``square meters``, ``km per hour``."""
    if text[position : position + 1] in _QUOTES:
        return UnitAt(_QUOTES[text[position]], position + 1)
    gap = _GAP.match(text, position)
    first = _factor(text, gap.end() if gap else position)
    if first is None:
        return None
    joint = _JOINT.match(text, first.end)
    second = _factor(text, joint.end()) if joint else None
    if joint is None or second is None:
        return first
    return UnitAt(f"{first.unit} {'/' if joint[1] else '*'} {second.unit}", second.end)


def _factor(text: str, position: int) -> UnitAt | None:
    match = _FACTOR.match(text, position)
    if match is None:
        return None
    prefix, word = match[1], match[2]
    name = unit_name(word)
    if name is None or (word == "in" and text[match.end(2) : match.end(2) + 2].strip(" .,;)")):
        return None
    exponent = match[3] or _EXPONENTS.get((match[4] or match[5] or "").lower())
    if prefix:
        exponent = "3" if prefix.lower().startswith("cu") else "2"
    return UnitAt(f"{name} ** {exponent}" if exponent else name, match.end())


def currency_before(text: str, position: int) -> str | None:
    """Read the currency sign that stands right before a number (and its sign)."""
    head = text[max(0, position - 12) : position].rstrip(" \u2060")
    return next((ALIASES[sign] for sign in _SIGNS if head.endswith(sign)), None)


def unit_name(word: str) -> str | None:
    """Return pint's name of a unit word, or None if it names no unit."""
    word = word.replace(" ", "")
    if word.lower() in _NAMES_OF_POUND:
        return "pound"
    if word == "in":
        return "inch"
    if known := ALIASES.get(word) or (ALIASES.get(word.lower()) if len(word) > 2 else None):
        return known
    if word.lower() in WORDS or not word.isascii() or not word.isalpha() or len(word) < 2:
        return None
    return _pint_name(word)


@lru_cache(maxsize=1024)
def _pint_name(word: str) -> str | None:
    for prefix, name, _ in registry().parse_unit_name(word):
        if name not in COUNTED and (not prefix or name in PREFIXED):
            return prefix + name
    return None


@lru_cache(maxsize=1)
def registry() -> "UnitRegistry[float]":
    """Load pint's registry, once a process; it takes about a second."""
    import pint

    return pint.UnitRegistry(cache_folder=None)


@lru_cache(maxsize=1024)
def _linear(source: str, target: str) -> tuple[float, float] | None:
    """Return (factor, offset) of a conversion; None between different dimensions."""
    if source.startswith("currency:") or target.startswith("currency:"):
        return None
    units = registry()
    try:
        zero, one = (float(units.convert(x, source, target)) for x in (0.0, 1.0))
    except Exception:  # noqa: BLE001  # pint raises its own, the tokenizer's and arithmetic errors: no conversion
        return None
    return one - zero, zero


def convert(value: Fraction, source: str, target: str) -> Fraction | None:
    """Express a value in another unit; None where the dimensions differ.

    Degrees without a scale are those of the target; ¥ is yuan or yen, a pound money or mass.
    """
    if source == target or (source == "degree" and target in ("degC", "degF")):
        return value
    if {source, target} in ({"currency:¥", "currency:CNY"}, {"currency:¥", "currency:JPY"}, {"pound", "currency:GBP"}):
        return value
    if target in _PARTS.get(source, ()) or source in _PARTS.get(target, ()):
        return value / 100 if source in _PARTS else value * 100
    linear = _linear(source, target)
    return None if linear is None else value * Fraction(linear[0]) + Fraction(linear[1])
