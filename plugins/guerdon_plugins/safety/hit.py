"""A place in a text where a rule's pattern matches."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from guerdon_plugins.safety.views import Span

type UrlPolicy = Literal["allow_static", "deny"]
"""``allow_static``: links and pictures that carry no data are fine; ``deny``: no link at all."""


@dataclass(frozen=True, slots=True)
class Hit:
    """The match and what stands around it, in one view of the text."""

    text: str
    """The whole view."""

    start: int
    end: int
    value: str
    """What the pattern names ``value``, else the whole match."""

    value_start: int
    shown: str
    """What the pattern names ``shown``: the visible text of a link."""

    source: str
    """The original text."""

    locate: Callable[[Span], Span]
    """Takes a span of `text` to one of `source`."""

    url_policy: UrlPolicy

    @property
    def original(self) -> str:
        """The match as the original text has it."""
        start, end = self.locate((self.start, self.end))
        return self.source[start:end]

    @property
    def matched(self) -> str:
        """The whole match."""
        return self.text[self.start : self.end]

    def window(self, name: str) -> str:
        """Return the text that a rule's `Context` calls by this name."""
        match name:
            case "before":
                return self.before()
            case "inside":
                return self.matched
            case "near":
                return self.near()
            case _:
                return self.sentence()

    def before(self, width: int = 80) -> str:
        """Return up to `width` characters before the match."""
        return self.text[max(0, self.start - width) : self.start]

    def after(self, width: int = 80) -> str:
        """Return up to `width` characters after the match."""
        return self.text[self.end : self.end + width]

    def near(self, width: int = 80) -> str:
        """Return the match with up to `width` characters at each side."""
        return self.text[max(0, self.start - width) : self.end + width]

    def sentence(self, width: int = 300) -> str:
        """Return the sentence (or sentences) that the match stands in, cut to `width` at each side."""
        before, after = self.before(width), self.after(width)
        begin = max((before.rfind(sign) for sign in (". ", "! ", "? ", "。", "\n", "!", "?")), default=-1)
        ends = [place for sign in (". ", "! ", "? ", "。", "\n", "!", "?") if (place := after.find(sign)) >= 0]
        return before[begin + 1 :] + self.matched + after[: min(ends, default=len(after))]
