"""Sentences that stand in a text more than once."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from guerdon_plugins.parsing.span import Span
from guerdon_plugins.parsing.visible import units

MIN_WORDS = 3
"""Words that a sentence must have to count as a repetition."""

MAX_SENTENCES = 20_000
"""What stands after so many sentences is not read."""

_END = re.compile(r"(?<![.!?…])[.!?…]++(?=\s|$)|[。！？；]++|\n++")
_NUMBERING = re.compile(
    r"[\s\-*•#>]*+(?:(?:(?:step|part|item|point|line|第)\s{0,3})?\(?\d{1,4}\s{0,3}[步条点.:：)、）]\s*+)?",
    re.IGNORECASE,
)
"""Bullets and numbers before a sentence; they do not make it new."""


@dataclass(frozen=True, slots=True)
class Duplicates:
    """How much of a text says again what it said before."""

    units: int
    """Words and signs of all sentences."""

    repeated: int
    """Words and signs of sentences that stood before."""

    again: tuple[Span, ...]
    """The repeated sentences, in order."""

    @property
    def share(self) -> float:
        """Repeated over all, 0 to 1."""
        return self.repeated / self.units if self.units else 0.0


def find_duplicates(text: str) -> Duplicates:
    """Find sentences and lines that repeat an earlier one, whatever their case, numbering or spacing.

    Linear in the text's length. A sentence without a word is none, and a very short one, such as
    a line of JSON, is no repetition.
    """
    seen: set[tuple[str, ...]] = set()
    again: list[Span] = []
    total, repeated = 0, 0
    for sentence in islice(split_sentences(text), MAX_SENTENCES):
        said = _units(sentence.text)
        words = sum(unit[0].isalpha() for unit in said)
        total += len(said) if words else 0
        if words < MIN_WORDS:
            continue
        if said in seen:
            repeated += len(said)
            again.append(sentence)
        seen.add(said)
    return Duplicates(total, repeated, tuple(again))


def split_sentences(text: str) -> Iterator[Span]:
    """Split at ends of sentences (a point inside 3.5 is none) and at line breaks; none is blank."""
    position = 0
    for end in _END.finditer(text):
        if sentence := Span(text[position : end.start()], position):
            yield sentence.strip()
        position = end.end()
    if sentence := Span(text[position:], position):
        yield sentence.strip()


def _units(sentence: str) -> tuple[str, ...]:
    numbering = _NUMBERING.match(sentence)
    return tuple(units(sentence[numbering.end() if numbering else 0 :]))
