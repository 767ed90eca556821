"""From tokens as they come to text that may be sent."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

UNFINISHED: Final = "\N{REPLACEMENT CHARACTER}"


@dataclass(slots=True)
class TextStream:
    """Detokenizes step by step, and cuts at the first stop text.

    The pieces joined are the decoded whole; nothing is sent that a later token could change, and no
    beginning of a stop text.
    """

    tokenizer: Any
    stops: Sequence[str] = ()
    ids: list[int] = field(default_factory=list)
    text: str = ""
    """All that has been decoded."""
    sent: int = 0
    """Characters of it that were handed out."""
    stopped: bool = False
    _read: int = 0
    """Tokens that `text` covers."""
    _context: int = 0
    """Where decoding starts, so that a token is read with the one before it."""

    def push(self, token: int) -> str:
        """Take a token; return the text that can be sent now."""
        self.ids.append(token)
        before = self._decode(self.ids[self._context : self._read])
        after = self._decode(self.ids[self._context :])
        if after.endswith(UNFINISHED):
            return ""
        self._context, self._read = self._read, len(self.ids)
        self.text += after[len(before) :]
        return self._release(final=False)

    def finish(self) -> str:
        """Return what is left."""
        if not self.stopped:
            before = self._decode(self.ids[self._context : self._read])
            self.text += self._decode(self.ids[self._context :])[len(before) :]
            self._context = self._read = len(self.ids)
        return self._release(final=True)

    def _decode(self, ids: Sequence[int]) -> str:
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True))

    def _release(self, *, final: bool) -> str:
        found = [place for stop in self.stops if (place := self.text.find(stop, max(0, self.sent - len(stop)))) >= 0]
        if found:
            self.stopped = True
            self.text = self.text[: min(found)]
        held = 0 if final or self.stopped else max((_overlap(self.text, stop) for stop in self.stops), default=0)
        piece = self.text[self.sent : len(self.text) - held]
        self.sent += len(piece)
        return piece


def _overlap(text: str, stop: str) -> int:
    """Return how much of the beginning of `stop` the text ends with."""
    return next((size for size in range(min(len(stop), len(text)), 0, -1) if text.endswith(stop[:size])), 0)
