"""A mathematical answer."""

import math
import re
from dataclasses import dataclass
from typing import Any, Self, get_args

from guerdon_plugins.correctness.maths.bounds import TooLargeError
from guerdon_plugins.correctness.maths.clean import NoMathsError, clean
from guerdon_plugins.correctness.maths.compare import MathKind, equal
from guerdon_plugins.correctness.maths.equality import parse, plain_number
from guerdon_plugins.correctness.maths.find import candidates
from guerdon_plugins.correctness.maths.measure import split_unit
from guerdon_plugins.correctness.maths.structure import Answer, read
from guerdon_plugins.correctness.reading import BadGoldError, Reading, Reference
from guerdon_plugins.correctness.units import convert
from guerdon_plugins.parsing.latex import flatten, unfill
from guerdon_plugins.parsing.normalise import normalise
from guerdon_plugins.parsing.span import Span

_PHRASE = re.compile(r"[^\W\d_][\w\s'’-]{0,100}")
_TEXT = re.compile(
    r"\$?\s*\\(?:text|mbox|textbf|textit|mathrm)\s?\{\s*[A-Za-z][A-Za-z' -]+\}\s*\.?\$?|yes|no", re.IGNORECASE
)
"""Words that are no product of variables."""
_NOTHING = frozenset({"nan", "none", "null", "n/a"})


@dataclass(frozen=True, slots=True)
class Gold:
    """One right answer: mathematics, or words."""

    text: str
    answer: Answer | None
    """Without its unit; None for words."""

    unit: str | None = None
    """As pint spells it. An answer without a unit is taken to be in it."""


@dataclass(frozen=True, slots=True)
class Math:
    """The right answers."""

    golds: tuple[Gold, ...]
    kind: MathKind | None = None

    @classmethod
    def of(cls, reference: Reference) -> Self:
        """Read the reference.

        Raises:
            BadGoldError: an answer is empty, not finite or cannot be parsed.
        """
        kind = reference.get("math_kind")
        if kind is not None and kind not in get_args(MathKind.__value__):
            raise BadGoldError(
                f"the reference's math_kind {str(kind)[:20]!r} is not known; known: interval, set, tuple"
            )
        answer = reference.get("answer")
        answers = answer if isinstance(answer, list | tuple) else [answer]
        if not answers:
            raise BadGoldError("the reference's answer is empty")
        return cls(tuple(map(_gold, answers)), kind)

    @property
    def gold(self) -> Any:
        """The right answer, or the list of them."""
        return self.golds[0].text if len(self.golds) == 1 else [gold.text for gold in self.golds]

    def read(self, place: Span, *, declared: bool) -> Reading:
        """Compare the stated expression with the right answers."""
        found = candidates(place, declared=declared)
        if isinstance(found, str):
            return Reading(0.0, None, found)
        right = any(self._right(found.text, gold) for gold in self.golds)
        return Reading(float(right), found.span, f"reads {found.text[:80]!r}", alone=found.alone)

    def _right(self, text: str, gold: Gold) -> bool:
        if gold.answer is None:
            return _words(text) == _words(gold.text)
        bare, unit = split_unit(text)
        try:
            found = read(clean(bare))
        except NoMathsError:
            return False
        if unit and gold.unit and unit != gold.unit:
            return _converted(found, unit, gold)
        return equal(gold.answer, found, self.kind)


def _converted(found: Answer, unit: str, gold: Gold) -> bool:
    """Compare plain numbers in different units."""
    assert gold.answer is not None
    assert gold.unit is not None
    numbers = plain_number(gold.answer.latex), plain_number(found.latex)
    if numbers[0] is None or numbers[1] is None:
        return False
    value = convert(numbers[1][0], unit, gold.unit)
    return value is not None and abs(value - numbers[0][0]) <= abs(numbers[0][0]) / 10**9


def _words(text: str) -> str:
    return normalise(unfill(flatten(text)))


def _gold(answer: object) -> Gold:
    if isinstance(answer, bool) or not isinstance(answer, str | int | float):
        raise BadGoldError(f"the reference's answer {str(answer)[:40]!r} is no expression")
    if isinstance(answer, float) and not math.isfinite(answer):
        raise BadGoldError(f"the reference's answer {answer!r} is not finite")
    text = str(answer).strip()
    if not text or text.lower() in _NOTHING:
        raise BadGoldError(f"the reference's answer {text!r} is empty")
    if _TEXT.fullmatch(text):
        return Gold(text, None)
    bare, unit = split_unit(text)
    try:
        gold = read(clean(bare))
    except NoMathsError as error:
        if _PHRASE.fullmatch(_words(text)):
            return Gold(text, None)
        raise BadGoldError(f"the reference's answer {text[:40]!r} cannot be parsed: {error}") from error
    _check(gold, text)
    return Gold(text, gold, unit)


def _check(gold: Answer, text: str) -> None:
    """Refuse a gold of which a part cannot be parsed; one that is too large may still be equal by its spelling."""
    if gold.parts and gold.form != "relation":
        for part in gold.parts:
            _check(part, text)
    elif gold.latex != r"\ldots" and plain_number(gold.latex) is None and not _parses(gold.latex):
        raise BadGoldError(f"the reference's answer {text[:40]!r} cannot be parsed")


def _parses(latex: str) -> bool:
    try:
        return parse(latex) is not None
    except TooLargeError:
        return True
