"""Find the numbers of a text."""

from collections.abc import Iterator
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
    return list(islice(_apart(merge(digits, _written(text), key=lambda quantity: quantity.start)), MANY))


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
