"""Checkable rules on the visible text, in the manner of IFEval (arXiv 2311.07911).

An unknown rule or argument is refused when configured; one that passes silently rewards every
text (confident-ai/deepeval#3066).
"""

import re
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from guerdon_plugins.format.content import says_something
from guerdon_plugins.parsing.fold import fold
from guerdon_plugins.parsing.visible import NO_SPACES, count_words, visible, without_blanks

_NO_SPACE = "".join(f"{chr(low)}-{chr(high)}" for low, high in NO_SPACES)
_JOINS = rf"(?:(?![{_NO_SPACE}])\w)"  # a character that continues a word
_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++(?=\s|$)|[。！？]+")
_BULLET = re.compile(r"^[ \t]{0,8}(?:[-*•+]|\d{1,3}[.)、])[ \t]+\S", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[ \t\r]*+\n")


def _is_seen(text: str) -> str:
    if not without_blanks(text):
        raise ValueError("a blank phrase occurs in every text; write what must be there")
    return text


type Text = Annotated[str, Field(max_length=1000), AfterValidator(_is_seen)]
type Whole = Annotated[int, Field(strict=True, ge=0)]


class _Rule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class _Words(_Rule):
    keywords: tuple[Text, ...] = Field(min_length=1)
    """Words or phrases; letter case does not matter, and none counts inside a longer word."""


class Exist(_Words):
    """All keywords occur."""

    id: Literal["keywords:exist"]

    def fault(self, text: str) -> str:
        """Return what is broken, or an empty string."""
        folded = _fold(text)
        missing = [word for word in self.keywords if not _occurs(word, folded)]
        return f"missing: {', '.join(missing)}" if missing else ""


class Forbid(_Words):
    """No keyword occurs."""

    id: Literal["keywords:forbid"]

    def fault(self, text: str) -> str:
        """Return what is broken, or an empty string."""
        folded = _fold(text)
        present = [word for word in self.keywords if _occurs(word, folded)]
        if not says_something(text):
            return "no text"
        return f"forbidden: {', '.join(present)}" if present else ""


class _Count(_Rule):
    minimum: Whole | None = None
    maximum: Whole | None = None

    @model_validator(mode="after")
    def _is_a_range(self) -> "_Count":
        if self.minimum is None and self.maximum is None:
            raise ValueError("give minimum, maximum or both; without them every text passes")
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise ValueError(f"minimum {self.minimum} exceeds maximum {self.maximum}")
        return self

    def judge(self, count: int, what: str) -> str:
        """Return how the count misses the range, or an empty string."""
        if self.minimum is not None and count < self.minimum:
            return f"{count} {what}; at least {self.minimum}"
        if self.maximum is not None and count > self.maximum:
            return f"{count} {what}; at most {self.maximum}"
        return ""


class CountWords(_Count):
    """The number of words lies in a range; without spaces, every character is a word."""

    id: Literal["count:words"]

    def fault(self, text: str) -> str:
        """Return what is broken, or an empty string."""
        return self.judge(count_words(text), "words") if says_something(text) else "no text"


class CountSentences(_Count):
    """The number of sentences lies in a range."""

    id: Literal["count:sentences"]

    def fault(self, text: str) -> str:
        """Return what is broken, or an empty string."""
        pieces = [piece for piece in _SENTENCE_END.split(text) if says_something(piece)]
        return self.judge(len(pieces), "sentences") if pieces else "no text"


class CountParagraphs(_Count):
    """The number of paragraphs, parted by blank lines, lies in a range."""

    id: Literal["count:paragraphs"]

    def fault(self, text: str) -> str:
        """Return what is broken, or an empty string."""
        pieces = [piece for piece in _BLANK_LINE.split(text) if says_something(piece)]
        return self.judge(len(pieces), "paragraphs") if pieces else "no text"


class CountBullets(_Count):
    """The number of bullet or numbered lines lies in a range."""

    id: Literal["count:bullets"]

    def fault(self, text: str) -> str:
        """Return what is broken, or an empty string."""
        return self.judge(len(_BULLET.findall(text)), "bullets") if says_something(text) else "no text"


class _Phrase(_Rule):
    text: Text


class Starts(_Phrase):
    """The text starts with a phrase, and goes on."""

    id: Literal["text:starts"]

    def fault(self, text: str) -> str:
        """Return what is broken, or an empty string."""
        whole, phrase = text.strip(), self.text.strip()
        return (
            ""
            if whole.startswith(phrase) and says_something(whole[len(phrase) :])
            else f"does not start with {phrase!r}"
        )


class Ends(_Phrase):
    """The text ends with a phrase, and has something before it."""

    id: Literal["text:ends"]

    def fault(self, text: str) -> str:
        """Return what is broken, or an empty string."""
        whole, phrase = text.strip(), self.text.strip()
        return (
            "" if whole.endswith(phrase) and says_something(whole[: -len(phrase)]) else f"does not end with {phrase!r}"
        )


type Rule = Annotated[
    Exist | Forbid | CountWords | CountSentences | CountParagraphs | CountBullets | Starts | Ends,
    Field(discriminator="id"),
]


def _fold(text: str) -> str:
    return visible(fold(text)).casefold()


def _occurs(word: str, folded: str) -> bool:
    """Say whether the word stands in the folded text, not within a longer word."""
    return _keyword(word).search(folded) is not None


@lru_cache(maxsize=1024)
def _keyword(word: str) -> re.Pattern[str]:
    wanted = _fold(word).strip()
    before, after = (rf"(?<!{_JOINS})", rf"(?!{_JOINS})")
    joins = re.compile(_JOINS)
    return re.compile(
        f"{before if joins.match(wanted[0]) else ''}{re.escape(wanted)}{after if joins.match(wanted[-1]) else ''}"
    )
