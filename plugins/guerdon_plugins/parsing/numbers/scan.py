"""Find the numbers of a text."""

from collections.abc import Iterator
from dataclasses import replace
from heapq import merge
from itertools import islice

from guerdon_plugins.parsing.numbers.around import finish
from guerdon_plugins.parsing.numbers.chinese import chinese_numbers
from guerdon_plugins.parsing.numbers.digits import digit_numbers
from guerdon_plugins.parsing.numbers.english import english_numbers
from guerdon_plugins.parsing.numbers.locale import NumberLocale
from guerdon_plugins.parsing.numbers.quantity import Quantity

ENGLISH = NumberLocale(".", ",")
MANY = 64
"""So many numbers are found at most; nobody's answer needs more."""


def quantities(text: str, locale: NumberLocale = ENGLISH, *, words: bool = True) -> list[Quantity]:
    """Return the first `MANY` numbers of a text in order.

    Args:
        text: folded; LaTeX in it flattened.
        locale: how digits are grouped and pointed.
        words: read English and Chinese number words as well.
    """
    digits = (quantity for raw in digit_numbers(text, locale) if (quantity := finish(text, raw)))
    if not words:
        return list(islice(digits, MANY))
    ordered = _apart(merge(digits, _written(text), key=lambda quantity: quantity.start))
    return list(islice(_joined(text, ordered), MANY))


def _written(text: str) -> Iterator[Quantity]:
    english = (Quantity(value, start, end, "", written=True) for start, end, value in english_numbers(text))
    chinese = (Quantity(v, start, end, "", percent=p, written=True) for start, end, v, p in chinese_numbers(text))
    for quantity in merge(english, chinese, key=lambda quantity: quantity.start):
        if finished := finish(text, quantity):
            yield finished


def _apart(ordered: Iterator[Quantity]) -> Iterator[Quantity]:
    """Leave out a number that begins inside the one before: the 万 of 3万."""
    end = -1
    for quantity in ordered:
        if quantity.start >= end:
            yield quantity
            end = quantity.end


_SCALES = {"百": 10**2, "千": 10**3, "万": 10**4, "亿": 10**8, "萬": 10**4, "億": 10**8}


def _joined(text: str, ordered: Iterator[Quantity]) -> Iterator[Quantity]:
    """Add up numbers that follow each other without a gap after a scale: 1亿2000万, 1万2千."""
    held: Quantity | None = None
    for quantity in ordered:
        whole = _sum(text, held, quantity) if held else None
        if held and not whole:
            yield held
        held = whole or quantity
    if held:
        yield held


def _sum(text: str, first: Quantity, second: Quantity) -> Quantity | None:
    scale = _SCALES.get(text[first.end - 1], 0)
    if first.end != second.start or first.value is None or second.value is None or not 0 <= second.value < scale:
        return None
    value = second.value * scale / 10 if second.digits and second.value < 10 else second.value  # 3万5 is 35,000
    return replace(first, value=first.value + value, end=second.end, digits="", percent=second.percent)
