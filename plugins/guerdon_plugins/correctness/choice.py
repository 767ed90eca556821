"""One or several options of a closed list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from guerdon_plugins.correctness.reading import BadGoldError, Reading, Reference
from guerdon_plugins.parsing.choose import select
from guerdon_plugins.parsing.fold import fold
from guerdon_plugins.parsing.options import Options
from guerdon_plugins.parsing.span import Span


@dataclass(frozen=True, slots=True)
class Choice:
    """The options that exist, and those that are right."""

    options: Options
    right: frozenset[str]
    several: bool
    """Every right option must be named, and no other."""

    @classmethod
    def of(cls, reference: Reference) -> Self:
        """Read the reference.

        Raises:
            BadGoldError: no options, or a right answer that is none of them.
        """
        options = _options(reference.get("options"))
        answer = reference.get("answer")
        answers = answer if isinstance(answer, list | tuple) else [answer]
        right = frozenset(_label(item, options) for item in answers)
        if not right:
            raise BadGoldError("the reference's answer is empty")
        return cls(options, right, several=_several(reference.get("multi")) or len(right) > 1)

    @property
    def gold(self) -> Any:
        """The right letter, or the right letters in order."""
        return sorted(self.right) if self.several else next(iter(self.right))

    def read(self, place: Span, *, declared: bool) -> Reading:
        """Read the options that the place chooses."""
        selection = select(place, self.options, declared=declared)
        if not selection.chosen:
            return Reading(0.0, None, "no option is chosen")
        named = ", ".join(sorted(selection.chosen))
        if not self.several and len(selection.chosen) > 1:
            return Reading(0.0, selection.span, f"does not decide between {named}"[:200])
        if selection.alternatives and len(selection.chosen) > 1:
            return Reading(0.0, selection.span, f"leaves open which of {named}"[:200])
        right = selection.chosen == self.right
        return Reading(float(right), selection.span, f"chooses {named}"[:200], alone=selection.alone)


def _several(multi: object) -> bool:
    if multi in (None, False):
        return False
    if multi in (True, "exact_set"):
        return True
    raise BadGoldError(f"the reference's multi {str(multi)[:20]!r} is not known; known: exact_set")


def _options(options: object) -> Options:
    """Read the options: a list of labels, or a mapping of labels to texts."""
    if isinstance(options, Mapping) and options:
        texts = tuple(fold(str(text)) if text is not None else "" for text in options.values())
        return Options(tuple(map(str, options)), texts)
    if isinstance(options, Sequence) and not isinstance(options, str) and options:
        return Options(tuple(map(str, options)))
    raise BadGoldError("the reference names no options")


def _label(answer: object, options: Options) -> str:
    """Return the label that the gold answer names, by letter or by text."""
    text = fold(str(answer)).strip() if answer is not None else ""
    if not text:
        raise BadGoldError("the reference's answer is empty")
    label = options.label(text)
    if label is None:
        raise BadGoldError(
            f"the reference's answer {text[:40]!r} is none of the options {', '.join(options.labels)[:80]}"
        )
    return label
