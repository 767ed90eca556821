"""An object of named values, such as what an invoice says."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, Self

from guerdon_plugins.correctness.reading import BadGoldError, Reading, Reference
from guerdon_plugins.parsing.fold import fold
from guerdon_plugins.parsing.json_text import find_json, read_json, strip_fence
from guerdon_plugins.parsing.normalise import ALL_FOLDS, Fold, normalise
from guerdon_plugins.parsing.numbers import quantities
from guerdon_plugins.parsing.span import Span

type Path = tuple[str | int, ...]
MAX_LEAVES = 10_000
"""Values of one object that are compared."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The populated values of the gold object by their paths."""

    answer: Any
    leaves: Mapping[Path, Any]
    folds: Collection[Fold] = ALL_FOLDS

    @classmethod
    def of(cls, reference: Reference, folds: Collection[Fold] = ALL_FOLDS) -> Self:
        """Read the reference.

        Raises:
            BadGoldError: the answer is no object, has no populated value, or a number in it is not finite.
        """
        answer = reference.get("answer")
        if not isinstance(answer, Mapping):
            raise BadGoldError(f"the reference's answer is {type(answer).__name__}, not an object of fields")
        leaves = dict(_leaves(answer))
        if not leaves:
            raise BadGoldError("every field of the reference's answer is empty")
        if len(leaves) > MAX_LEAVES:
            raise BadGoldError(f"the reference's answer has {len(leaves)} values; at most {MAX_LEAVES}")
        if any(isinstance(value, float) and not isfinite(value) for value in leaves.values()):
            raise BadGoldError("a number in the reference's answer is not finite")
        return cls(answer, leaves, folds)

    @property
    def gold(self) -> Any:
        """The gold object."""
        return self.answer

    def read(self, place: Span, *, declared: bool) -> Reading:  # noqa: ARG002  # an object is one wherever it stands
        """Return the share of the populated gold values that the object in the place has right.

        What the object says of fields that are empty in the gold does not change the share; it is
        named in the reason, and such a reading is not strict.
        """
        found, span, alone = _object(place)
        if not isinstance(found, dict):
            return Reading(0.0, span, f"no JSON object: {found}")
        given = dict(_leaves(found))
        right = [path for path, value in self.leaves.items() if path in given and self._equal(given[path], value)]
        wrong = [path for path in self.leaves if path not in set(right)]
        invented = [path for path in given if not _beside(path, self.leaves)]
        reason = (
            f"{len(right)} of {len(self.leaves)} fields are right"
            + _named("; not", wrong)
            + _named("; invented", invented)
        )
        return Reading(len(right) / len(self.leaves), span, reason, alone=alone and not invented)

    def _equal(self, found: Any, gold: Any) -> bool:
        if isinstance(found, bool) or isinstance(gold, bool):
            return found is gold
        if isinstance(gold, int | float) or isinstance(found, int | float):
            numbers = _number(found), _number(gold)
            return None not in numbers and numbers[0] == numbers[1]
        return normalise(self._folded(found), self.folds) == normalise(self._folded(gold), self.folds)

    def _folded(self, text: str) -> str:
        return fold(text) if "nfkc" in self.folds else text


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the populated values; null, blank text and empty containers are not, 0 and false are."""
    if isinstance(value, Mapping):
        for key, child in value.items():
            yield from _leaves(child, (*path, str(key)))
    elif isinstance(value, list | tuple):
        for index, child in enumerate(value):
            yield from _leaves(child, (*path, index))
    elif value is not None and not (isinstance(value, str) and not value.strip()):
        yield path, value


def _object(place: Span) -> tuple[Any, Span | None, bool]:
    """Return the JSON object of a place (or what is wrong), where it stands, and whether it stands alone."""
    whole = place.strip()
    inner = strip_fence(whole.text)
    found = read_json(inner.text if inner else whole.text)
    if not found.fault:
        return found.value if isinstance(found.value, dict) else "another value", whole, True
    objects = [item for item in find_json(whole.text) if item.fault or isinstance(item.value, dict)]
    if not objects:
        return "none found", None, False
    last = objects[-1]
    return last.fault or last.value, whole.part(last.start, last.end), False


def _number(value: Any) -> Fraction | None:
    """Return a number, also one that is written as text without sign of being a code."""
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, float):
        return Fraction(repr(value)) if isfinite(value) else None
    if not isinstance(value, str) or len(value) > 100:
        return None
    text = fold(value).strip()
    numbers = quantities(text, words=False)
    if len(numbers) != 1 or (numbers[0].start, numbers[0].end) != (0, len(text)) or numbers[0].percent:
        return None
    return (
        None
        if text.lstrip("+-").startswith("0") and text.lstrip("+-").isdigit() and len(text) > 1
        else numbers[0].value
    )


def _beside(path: Path, gold: Mapping[Path, Any]) -> bool:
    """Tell whether a value stands where the gold has one, or within one."""
    return any(path[:length] in gold for length in range(1, len(path) + 1))


def _named(word: str, paths: list[Path]) -> str:
    if not paths:
        return ""
    names = ", ".join(".".join(map(str, path)) for path in paths[:5])
    return f"{word}: {names}"[:200]
