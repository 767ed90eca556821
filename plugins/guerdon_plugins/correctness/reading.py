"""What a subject reads from a completion, and why it may refuse a reference."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from guerdon_plugins.parsing.span import Span


class BadGoldError(ValueError):
    """The reference cannot confirm any answer; the sample is unscorable."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How right an answer is, and where it was read."""

    value: float
    """0 (wrong, or no answer) to 1 (right)."""

    answer: Span | None
    """The answer as it stands in the text; None where none was found."""

    reason: str
    """One line for a human reader."""

    alone: bool = False
    """Nothing but the answer stands in the place that was read."""


class Subject(Protocol):
    """Compares answers with one reference."""

    @property
    def gold(self) -> Any:
        """The right answer as JSON."""

    def read(self, place: Span, *, declared: bool) -> Reading:
        """Read an answer.

        Args:
            place: the text to read.
            declared: the whole place is said to be the answer (a block, a box, a marked line);
                else the answer must be looked for in it.
        """


type Reference = Mapping[str, Any]
