"""A piece of a text that knows where it stands."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """The text between two positions (0-based, `end` exclusive) of the completion."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The position after the last character."""
        return self.start + len(self.text)

    def part(self, start: int, end: int | None = None) -> "Span":
        """Return the piece between two positions counted from this span's own start."""
        return Span(self.text[start:end], self.start + start)

    def tail(self, length: int) -> "Span":
        """Return the last `length` characters."""
        return self.part(max(0, len(self.text) - length))

    def strip(self, chars: str | None = None) -> "Span":
        """Return the span without the given characters (white space by default) at its ends."""
        left = self.text.lstrip(chars)
        return Span(left.rstrip(chars), self.start + len(self.text) - len(left))

    def __bool__(self) -> bool:
        """A span of white space alone is empty."""
        return bool(self.text) and not self.text.isspace()
