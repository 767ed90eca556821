"""A number with tolerance, percent convention, unit and locale."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Self, get_args

from guerdon_plugins.correctness.amount import Amount, amount_of
from guerdon_plugins.correctness.numeric_reading import AmountReader
from guerdon_plugins.correctness.reading import BadGoldError, Reading, Reference
from guerdon_plugins.correctness.units import convert, unit_after
from guerdon_plugins.parsing.numbers import NumberLocale, number_locale
from guerdon_plugins.parsing.span import Span

type NumericKind = Literal["number", "year", "count", "code"]
type PercentMode = Literal["like", "value"]
_ROUNDING = Fraction(1, 10**9)
"""Relative difference that counts as the rounding of floating-point numbers."""


@dataclass(frozen=True, slots=True)
class Numeric:
    """The right numbers, and how closely an answer must agree with one of them."""

    golds: tuple[Amount, ...]
    rel_tol: Fraction
    abs_tol: Fraction
    """In the gold's unit. Of the two tolerances the wider one holds."""
    kind: NumericKind
    percent_mode: PercentMode
    assumed_unit: str | None
    """What an answer without a unit is in; ``percent`` for percent; None: there is no such unit."""
    locale: NumberLocale

    @classmethod
    def of(cls, reference: Reference) -> Self:
        """Read the reference.

        Raises:
            BadGoldError: the answer is no finite number, or a key has no valid value.
        """
        locale = _locale(reference.get("locale", "en"))
        answer = reference.get("answer")
        answers: Sequence[object] = answer if isinstance(answer, list | tuple) else [answer]
        if not answers:
            raise BadGoldError("the reference's answer is empty")
        return cls(
            golds=tuple(amount_of(item, locale) for item in answers),
            rel_tol=_tolerance("rel_tol", reference.get("rel_tol")),
            abs_tol=_tolerance("abs_tol", reference.get("abs_tol")),
            kind=_one_of("numeric_kind", reference.get("numeric_kind"), get_args(NumericKind.__value__)),
            percent_mode=_one_of("percent_mode", reference.get("percent_mode"), get_args(PercentMode.__value__)),
            assumed_unit=_assumed(reference.get("unit_in_prompt")),
            locale=locale,
        )

    @property
    def gold(self) -> Any:
        """The right numbers as written."""
        return self.golds[0].text if len(self.golds) == 1 else [gold.text for gold in self.golds]

    def read(self, place: Span, *, declared: bool) -> Reading:
        """Read the number that the place states."""
        units = {gold.unit or self.assumed_unit for gold in self.golds} - {None, "percent"}
        plain = all(unit.startswith("currency:") for unit in units if unit)
        reader = AmountReader(self.locale, with_unit=bool(units), magnitudes=plain, year=self.kind == "year")
        found = reader.read(place, declared=declared)
        if isinstance(found, str):
            return Reading(0.0, None, found)
        faults = [self._fault(found, gold) for gold in self.golds]
        right = None in faults
        reason = f"reads {found.text[:60]}" if right else f"reads {found.text[:60]}: {faults[0]}"
        return Reading(float(right), found.span, reason, alone=found.alone)

    def _fault(self, found: Amount, gold: Amount) -> str | None:
        """Say what is wrong with an answer; None if it is right."""
        if found.value is None or gold.value is None:
            return "it is no plain number"
        if self.kind == "code":
            return None if (found.digits or found.text) == (gold.digits or gold.text) else "it is another code"
        value, wanted = self._percent(found, gold)
        if value is None or wanted is None:
            return "percent and plain number differ"
        value = self._in_unit(value, found, gold)
        if value is None:
            return f"the unit is {found.unit or 'missing'}, not {gold.unit or self.assumed_unit}"
        return None if abs(value - wanted) <= self._tolerance(wanted) else "it is another number"

    def _tolerance(self, wanted: Fraction) -> Fraction:
        """Return the largest difference that counts as right; years, counts and codes have none."""
        rounding = _ROUNDING * abs(wanted)
        return max(rounding, self.rel_tol * abs(wanted), self.abs_tol) if self.kind == "number" else rounding

    def _percent(self, found: Amount, gold: Amount) -> tuple[Fraction | None, Fraction | None]:
        """Bring answer and gold to one scale; None where they are not alike."""
        assert found.value is not None
        assert gold.value is not None
        if self.percent_mode == "value":
            return found.value / (100 if found.percent else 1), gold.value / (100 if gold.percent else 1)
        if found.percent == gold.percent or self.assumed_unit == "percent":
            return found.value, gold.value
        return None, None

    def _in_unit(self, value: Fraction, found: Amount, gold: Amount) -> Fraction | None:
        """Express the answer in the gold's unit; None where that cannot be done."""
        assumed = None if self.assumed_unit == "percent" else self.assumed_unit
        wanted = gold.unit or assumed
        if wanted is None or gold.percent:
            return value
        unit = found.unit or assumed
        return None if unit is None else convert(value, unit, wanted)


def _locale(name: object) -> NumberLocale:
    locale = number_locale(str(name))
    if locale is None:
        raise BadGoldError(
            f"the reference's locale {str(name)[:20]!r} is not known; write a language tag such as en or de-CH"
        )
    return locale


def _tolerance(key: str, value: object) -> Fraction:
    if value is None:
        return Fraction(0)
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if isinstance(value, bool) or not (math.isfinite(number) and number >= 0):
        raise BadGoldError(f"the reference's {key} {str(value)[:20]!r} is no number of 0 or more")
    return Fraction(number)


def _one_of[T: str](key: str, value: object, known: tuple[T, ...]) -> T:
    """Return a key's value; the first known one stands for None."""
    for item in known:
        if value == item or (value is None and item == known[0]):
            return item
    raise BadGoldError(f"the reference's {key} {str(value)[:20]!r} is not known; known: {', '.join(known)}")


def _assumed(unit: object) -> str | None:
    text = str(unit or "").strip()
    if text.lower().rstrip(".") in ("%", "percent", "per cent", "percentage", "pct", "百分比"):
        return "percent"
    found = unit_after(text, 0) if text else None
    return found.unit if found else None
