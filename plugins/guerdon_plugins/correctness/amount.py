"""A number with its percent sign and unit."""

import math
import re
from dataclasses import dataclass, replace
from fractions import Fraction

from guerdon_plugins.correctness.reading import BadGoldError
from guerdon_plugins.correctness.units import convert, currency_before, unit_after
from guerdon_plugins.parsing.fold import fold
from guerdon_plugins.parsing.latex import FILL, flatten
from guerdon_plugins.parsing.numbers import NumberLocale, Quantity, quantities
from guerdon_plugins.parsing.numbers.scan import ENGLISH
from guerdon_plugins.parsing.span import Span

_SUFFIXES = {"k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12}
_SUFFIX = re.compile(r"[kKmMBT](?![A-Za-z0-9])")


@dataclass(frozen=True, slots=True)
class Amount:
    """What a text says a quantity is."""

    value: Fraction | None
    """Exact; None where it is no plain number."""
    percent: bool
    unit: str | None
    span: Span
    """The number with sign and unit."""
    digits: str = ""
    """The digits as written; empty for words, fractions and powers."""
    alone: bool = False
    """Nothing but the amount stands in the place that was read."""

    @property
    def text(self) -> str:
        """The amount as it is written."""
        return self.span.text.replace(FILL, "").strip()


def attach_unit(place: Span, text: str, quantity: Quantity, *, with_unit: bool) -> Amount:
    """Join a number with the unit beside it. `text` is the place's text, flattened."""
    start, end, unit = quantity.start, quantity.end, None
    if with_unit and not quantity.percent:
        unit = currency_before(text, start)
        if (after := unit_after(text, end)) and unit is None:
            unit, end = after.unit, after.end
    return Amount(quantity.value, quantity.percent, unit, place.part(start, end), quantity.digits)


def with_magnitude(text: str, quantity: Quantity) -> Quantity:
    """Apply a letter that is glued to a number: 12k, 3.8M, 2B."""
    match = _SUFFIX.match(text, quantity.end)
    if match is None or quantity.value is None:
        return quantity
    return replace(quantity, value=quantity.value * _SUFFIXES[match[0].lower()], end=match.end(), digits="")


def joined(first: Amount, second: Amount) -> Amount | None:
    """Add up two parts of one amount, such as 1 h 30 min; None where they are not."""
    if first.value is None or second.value is None or not first.unit or not second.unit or first.unit == second.unit:
        return None
    unit = "minute" if (first.unit, second.unit) == ("hour", "meter") else second.unit  # 1h30m
    part = convert(second.value, unit, first.unit)
    if part is None or not 0 <= part < 1 or first.value != int(first.value):
        return None
    span = Span(first.span.text + second.span.text, first.span.start)
    return Amount(first.value + (part if first.value >= 0 else -part), False, first.unit, span)


def amount_of(answer: object, locale: NumberLocale) -> Amount:
    """Read the gold answer.

    Raises:
        BadGoldError: it is empty, not finite, or no single plain number.
    """
    if isinstance(answer, bool) or answer is None:
        raise BadGoldError(f"the reference's answer {answer!r} is no number")
    if isinstance(answer, int | float):
        return _from_number(answer)
    if not isinstance(answer, str):
        raise BadGoldError(f"the reference's answer is {type(answer).__name__}, no number")
    text = answer.strip()
    for reading in (locale, ENGLISH):
        if (amount := _from_text(text, reading)) is not None:
            return amount
    raise BadGoldError(f"the reference's answer {text[:40]!r} is no single finite number")


def _from_number(answer: float) -> Amount:
    if not math.isfinite(answer):
        raise BadGoldError(f"the reference's answer {answer!r} is not finite")
    written = repr(answer)
    return Amount(Fraction(written), False, None, Span(written, 0), written if isinstance(answer, int) else "")


def _from_text(text: str, locale: NumberLocale) -> Amount | None:
    from guerdon_plugins.correctness.numeric_reading import AmountReader

    found = AmountReader(locale, with_unit=True, magnitudes=False).read(Span(fold(text), 0), declared=True)
    return found if isinstance(found, Amount) and found.value is not None else None


def place_amounts(place: Span, locale: NumberLocale, *, with_unit: bool, magnitudes: bool) -> tuple[str, list[Amount]]:
    """Return the place's flattened text and its amounts in order, parts of one amount joined."""
    text = flatten(place.text)
    amounts: list[Amount] = []
    for quantity in quantities(text, locale):
        if amounts and quantity.start < amounts[-1].span.end - place.start:
            continue  # the power of a unit
        scaled = magnitudes or currency_before(text, quantity.start) is not None
        found = with_magnitude(text, quantity) if scaled else quantity
        amount = attach_unit(place, text, found, with_unit=with_unit)
        gap = text[amounts[-1].span.end - place.start : quantity.start] if amounts else "x"
        whole = joined(amounts[-1], amount) if gap.strip(" ,\u2060和又零") in ("", "and") else None
        if whole:
            amounts[-1] = whole
        else:
            amounts.append(amount)
    return text, amounts
