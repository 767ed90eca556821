"""What a form asks for, part by part."""

from collections.abc import Sequence
from dataclasses import dataclass


def one_line(text: str) -> str:
    """Return a message as one line of valid UTF-8, whatever it quotes from a completion."""
    return " ".join(text.encode("utf-8", "backslashreplace").decode().split())


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that the form asks for, and whether the text has it."""

    name: str
    fault: str = ""
    """What is wrong; empty if the part is fulfilled."""

    span: tuple[int, int] | None = None
    """Where it is wrong, as (start, end) in the judged text."""

    @property
    def fulfilled(self) -> bool:
        """Nothing is wrong with it."""
        return not self.fault


def all_missing(names: Sequence[str], fault: str, span: tuple[int, int] | None = None) -> list[Part]:
    """Return the parts of which a text has none, for one reason."""
    return [Part(name, fault, span) for name in names]
