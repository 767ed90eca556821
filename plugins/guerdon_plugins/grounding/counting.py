"""Judging a count."""

import re
from bisect import bisect_left
from itertools import groupby

from guerdon import Score
from guerdon_plugins.grounding.number_words import MAX_NUMBERS, Number, numbers_in, says_none
from guerdon_plugins.grounding.read import Reading, after_declaration
from guerdon_plugins.parsing.span import Span

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s|[。！？；\n]")
_TOTAL = re.compile(
    r"\b(?:in total|in all|altogether|total(?:s|ling|ing)?|all told|overall|combined|sum)\b|总共|總共|一共|合计|共计|总计|总数|共",
    re.IGNORECASE,
)


def judge_count(reading: Reading, true: int) -> Score:
    """Give 1 where the text states the true number, and no other one."""
    stated = _stated(reading)
    if stated is None:
        return Score(0.0, "the answer states no single number", {"true": true, "predicted": None})
    value = float(stated.value == true)
    evidence = {"true": true, "predicted": stated.value, "span": [stated.start, stated.end]}
    return Score(
        value, f"states {stated.value:g}, true is {true}", evidence, {"count_error": min(1e6, abs(stated.value - true))}
    )


def _stated(reading: Reading) -> Number | None:
    if reading.text is None:
        return None
    declared = after_declaration(reading.text) if reading.free else None
    return (_number(_first_line(declared)) if declared else None) or _number(reading.text)


def _first_line(text: Span) -> Span:
    return text.part(0, text.text.find("\n") if "\n" in text.text else None)


def _number(text: Span) -> Number | None:
    """Return the only number, or that of the last sentence that states a total."""
    numbers = numbers_in(text.text)
    if not numbers:
        return Number(0.0, text.start, text.end) if says_none(text.text) else None
    if len(numbers) > MAX_NUMBERS:
        return None
    chosen = _only(numbers) or _of_total(text.text, numbers)
    return Number(chosen.value, text.start + chosen.start, text.start + chosen.end) if chosen else None


def _only(numbers: list[Number]) -> Number | None:
    return numbers[-1] if len({number.value for number in numbers}) == 1 else None


def _of_total(text: str, numbers: list[Number]) -> Number | None:
    ends = [match.start() for match in _SENTENCE_END.finditer(text)]
    sentences = [list(group) for _, group in groupby(numbers, key=lambda number: bisect_left(ends, number.end))]
    for inside in reversed(sentences):
        index = bisect_left(ends, inside[0].end)
        start = ends[index - 1] if index else 0
        end = ends[index] if index < len(ends) else len(text)
        if word := _TOTAL.search(text, start, end):
            return _only(inside) or _beside(text, word, inside)
    return None


def _beside(text: str, word: re.Match[str], numbers: list[Number]) -> Number | None:
    """Return the number right after the word of total ("a total of 7"), else right before ("7 in total")."""
    after = [number for number in numbers if number.start >= word.end()]
    if after and len(text[word.end() : after[0].start].split()) <= 2 and len(after) == 1:
        return after[0]
    before = [number for number in numbers if number.end <= word.start()]
    return before[-1] if before and not after else None
