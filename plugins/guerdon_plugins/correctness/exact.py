"""A short text, open or from a closed list."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Self

from guerdon_plugins.correctness.reading import BadGoldError, Reading, Reference
from guerdon_plugins.parsing.choose import select
from guerdon_plugins.parsing.declare import declarations
from guerdon_plugins.parsing.fold import fold
from guerdon_plugins.parsing.latex import flatten, unfill
from guerdon_plugins.parsing.normalise import ALL_FOLDS, Fold, normalise
from guerdon_plugins.parsing.options import Options
from guerdon_plugins.parsing.span import Span

MAX_SHORT = 2000
"""A longer text is no short answer."""


@dataclass(frozen=True, slots=True)
class Exact:
    """Right answers, and how they are compared."""

    golds: tuple[str, ...]
    """Normalised; any of them is right."""
    options: Options | None
    """The closed list, where there is one."""
    folds: Collection[Fold] = ALL_FOLDS

    @classmethod
    def of(cls, reference: Reference, folds: Collection[Fold] = ALL_FOLDS) -> Self:
        """Read the reference.

        Raises:
            BadGoldError: an answer is empty, no text or number, or none of the choices.
        """
        answer = reference.get("answer")
        answers = answer if isinstance(answer, list | tuple) else [answer]
        golds = tuple(_gold(item, folds) for item in answers)
        if not golds:
            raise BadGoldError("the reference's answer is empty")
        options = _closed(reference.get("choices"))
        if options and not all(options.label(gold) for gold in golds):
            raise BadGoldError(f"the reference's answer {golds[0][:40]!r} is none of the choices")
        return cls(golds, options, folds)

    @property
    def gold(self) -> Any:
        """The right answer, or the list of them."""
        return self.golds[0] if len(self.golds) == 1 else list(self.golds)

    def read(self, place: Span, *, declared: bool) -> Reading:
        """Compare the stated text with the right answers."""
        return self._closed(place, declared=declared) if self.options else self._open(place)

    def _closed(self, place: Span, *, declared: bool) -> Reading:
        assert self.options is not None
        selection = select(place, self.options, declared=declared)
        if len(selection.chosen) != 1:
            return Reading(0.0, selection.span, "no choice" if not selection.chosen else "does not decide")
        chosen = next(iter(selection.chosen))
        right = chosen in {self.options.label(gold) for gold in self.golds}
        return Reading(float(right), selection.span, f"chooses {chosen!r}"[:200], alone=selection.alone)

    def _open(self, place: Span) -> Reading:
        whole = place.strip()
        if self._equal(whole):
            return Reading(1.0, whole, f"reads {whole.text[:60]!r}", alone=True)
        for declaration in declarations(place):
            payload = declaration.payload.strip()
            if self._equal(payload):
                return Reading(1.0, payload, f"reads {payload.text[:60]!r}", alone=declaration.enclosed)
            return Reading(0.0, payload, f"reads {payload.text[:60]!r}")
        return Reading(0.0, whole or None, f"reads {whole.text[:60]!r}" if whole else "no answer")

    def _equal(self, found: Span) -> bool:
        if not found or len(found.text) > MAX_SHORT:
            return False
        return any(normalise(form, self.folds) in self.golds for form in (found.text, unfill(flatten(found.text))))


def _gold(answer: object, folds: Collection[Fold]) -> str:
    if isinstance(answer, bool) or not isinstance(answer, str | int | float):
        raise BadGoldError(f"the reference's answer {str(answer)[:40]!r} is no text")
    text = normalise(fold(str(answer)) if "nfkc" in folds else str(answer), folds)
    if not text or (isinstance(answer, float) and not math.isfinite(answer)):
        raise BadGoldError(f"the reference's answer {str(answer)[:40]!r} is empty")
    return text


def _closed(choices: object) -> Options | None:
    if choices is None:
        return None
    if not isinstance(choices, Sequence) or isinstance(choices, str) or not choices:
        raise BadGoldError("the reference's choices are no list of texts")
    return Options(tuple(fold(str(choice)) for choice in choices))
