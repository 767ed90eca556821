r"""Numbers in digits: groups, decimals, powers of ten, fractions, mixed fractions and ``\frac``."""

import re
from collections.abc import Iterator
from fractions import Fraction

from guerdon_plugins.parsing.listed import listed
from guerdon_plugins.parsing.numbers.locale import NumberLocale
from guerdon_plugins.parsing.numbers.quantity import Quantity

MAX_DIGITS = 400
"""Digits of the longest number that is read, and of the largest power."""

_VULGAR = {
    char: Fraction(share)
    for char, share in zip(
        "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞",
        listed("1/2 1/3 2/3 1/4 3/4 1/5 2/5 3/5 4/5 1/6 5/6 1/8 3/8 5/8 7/8"),
        strict=True,
    )
}
_SUPERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−", "0123456789+--")
_F = "\u2060{0,12}"
_ARGUMENT = rf"(?:\{{{_F}[ ]?(-?[0-9]{{1,40}}){_F}[ ]?\}}|([0-9]))"
_FRAC = re.compile(rf"\\frac{_F}[ ]?{_ARGUMENT}{_F}[ ]?{_ARGUMENT}")
_OVER = re.compile(r"[ ]?[/⁄][ ]?([0-9]{1,40})(?![0-9]|[/⁄.,][0-9])")
_MIXED = re.compile(r"(?:[ ]{1,2}|[ ]and[ ])([0-9]{1,40})[/⁄]([0-9]{1,40})(?![0-9]|[/⁄.,][0-9])")
_SIGNED = r"([-+−]?[0-9]{1,6})"
_POWER = (
    rf"(?:\^{_F}[ ]?(?:\{{{_F}[ ]?{_SIGNED}{_F}[ ]?\}}|\({_SIGNED}\)|{_SIGNED})"
    rf"|\*\*[ ]?{_SIGNED}|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,6}}))"
)
_TIMES_TEN = re.compile(rf"[ ]?(?:×|·|\*|[xX](?=[ ]?10)){_F}[ ]{{0,2}}10{_F}{_POWER}")
_RAISED = re.compile(_F + _POWER)
_EXPONENT = re.compile(r"[eE]([-+]?[0-9]{1,6})(?![0-9A-Za-z])")


def digit_numbers(text: str, locale: NumberLocale) -> Iterator[Quantity]:
    """Yield every number in digits, without its sign, whether or not it can be read."""
    pattern = locale.pattern
    position = 0
    while match := pattern.search(text, position):
        quantity = _one(text, match.start(), match.end(), locale)
        yield quantity
        position = quantity.end


def _one(text: str, start: int, end: int, locale: NumberLocale) -> Quantity:
    if text[start] == "\\":
        return _latex_fraction(text, start, end)
    if text[start] in _VULGAR:
        return Quantity(_VULGAR[text[start]], start, end, "")
    digits = text[start:end].replace("\u2060", "")
    plain = locale.value_of(digits)
    if plain is None or len(plain) > MAX_DIGITS:
        return Quantity(None, start, end, digits)
    if "." not in plain and (quantity := _with_fraction(text, start, end, int(plain))):
        return quantity
    return _with_power(text, Quantity(Fraction(plain), start, end, plain))


def _latex_fraction(text: str, start: int, end: int) -> Quantity:
    match = _FRAC.match(text, start)
    if match is None:
        return Quantity(None, start, end, "")
    return Quantity(_ratio(match[1] or match[2], match[3] or match[4]), start, match.end(), "")


def _ratio(above: str, below: str) -> Fraction | None:
    return Fraction(int(above), int(below)) if int(below) else None


def _with_fraction(text: str, start: int, end: int, whole: int) -> Quantity | None:
    r"""Read ``3/4``, ``1 3/4``, ``1½`` and ``1\frac{3}{4}``; None where no fraction follows."""
    if match := _OVER.match(text, end):
        return Quantity(_ratio(str(whole), match[1]), start, match.end(), "")
    if match := _MIXED.match(text, end):
        part, end = _ratio(match[1], match[2]), match.end()
    elif match := _FRAC.match(text, end):
        part, end = _ratio(match[1] or match[2], match[3] or match[4]), match.end()
    elif text[end : end + 1] in _VULGAR:
        part, end = _VULGAR[text[end]], end + 1
    else:
        return None
    return Quantity(None if part is None else whole + part, start, end, "")


def _with_power(text: str, base: Quantity) -> Quantity:
    """Read ``3.2e4``, ``3.2 × 10^{4}``, ``10⁴`` and ``2^10``."""
    if match := _EXPONENT.match(text, base.end):
        power, factor = int(match[1]), Fraction(10)
    elif match := _TIMES_TEN.match(text, base.end):
        power, factor = _exponent(match), Fraction(10)
    elif match := _RAISED.match(text, base.end):
        return Quantity(_raise(base.value, _exponent(match)), base.start, match.end(), "")
    else:
        return base
    scale = _raise(factor, power)
    value = None if scale is None or base.value is None else base.value * scale
    return Quantity(value, base.start, match.end(), "")


def _exponent(match: re.Match[str]) -> int:
    return int(next(group for group in match.groups() if group).translate(_SUPERS))


def _raise(base: Fraction | None, power: int) -> Fraction | None:
    """Raise exactly; None where the result is not defined, or longer than `MAX_DIGITS`."""
    if base is None or (not base and power <= 0):
        return None
    length = max(len(str(base.numerator)), len(str(base.denominator)))
    return None if length * abs(power) > MAX_DIGITS * 2 else base**power
