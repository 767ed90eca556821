"""Judging a count."""

import re
from bisect import bisect_left
from itertools import groupby

from guerdon import Score
from guerdon_plugins.grounding.numerals import Number, numbers_in, says_none
from guerdon_plugins.grounding.read import Reading, declared_text
from guerdon_plugins.parsing.span import Span

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s|[。！？；\n]")
_TOTAL = re.compile(
    r"\b(?:in total|in all|altogether|total(?:s|ling|ing)?|all told|overall|combined|sum)\b"
    r"|总共|總共|一共|合计|共计|总计|总数|共",
    re.IGNORECASE,
)

_DENIED = re.compile(
    r"(?:(?<![A-Za-z])(?:not|never)|n['’]t)\s(?:(?:be|exactly|really|a|an)\s)?$|(?:不是|没有|并非|而非|不为)\s?$",
    re.IGNORECASE,
)
"""Before a number: it is said not to be the count."""
_FOLLOWS_NUMBER = re.compile(r"in total|in all|altogether|all told|overall|combined", re.IGNORECASE)


def judge_count(reading: Reading, true: int) -> Score:
    """Give 1 where the text states the true number, and no other one."""
    stated = _stated(reading)
    if stated is None:
        return Score(0.0, "the answer states no single number", {"true": true, "predicted": None})
    evidence = {"true": true, "predicted": stated.value, "span": [stated.start, stated.end]}
    metrics = {"count_error": min(1e6, abs(stated.value - true))}
    return Score(float(stated.value == true), f"states {stated.value:g}, true is {true}", evidence, metrics)


def _stated(reading: Reading) -> Number | None:
    """Return the number of the last declaration; without one, that of the whole text."""
    text = reading.prose
    if text is None:
        return None
    declared = declared_text(text) if reading.free else None
    return (_number(declared) if declared else None) or _number(text)


def _number(text: Span) -> Number | None:
    """Return the only number, that after the last equals sign, or that of the last sentence with a total."""
    found = numbers_in(text.text)
    numbers = [item for item in found if not _DENIED.search(text.text, max(0, item.start - 24), item.start)]
    if found and not numbers:
        return None
    if not numbers:
        return Number(0.0, text.start, text.end) if says_none(text.text) else None
    chosen = _only(numbers) or _result(text.text, numbers) or _of_total(text.text, numbers)
    if chosen is None:
        return None
    return Number(min(chosen.value, 1e300), text.start + chosen.start, text.start + chosen.end)


def _only(numbers: list[Number]) -> Number | None:
    """Return the last number if all are equal; NaN equals nothing."""
    return numbers[-1] if all(number.value == numbers[0].value for number in numbers) else None


def _result(text: str, numbers: list[Number]) -> Number | None:
    after = [number for number in numbers if number.start > text.rfind("=")] if "=" in text else []
    return _only(after) if after else None


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
    """Return the number next to the word of total: before "in total", else after it ("a total of 7")."""
    finite = [number for number in numbers if number.value == number.value]
    before = [number for number in finite if number.end <= word.start() and _near(text, number.end, word.start())]
    after = [number for number in finite if number.start >= word.end() and _near(text, word.end(), number.start)]
    first, second = (before[-1:], after[:1]) if _FOLLOWS_NUMBER.fullmatch(word[0]) else (after[:1], before[-1:])
    return next(iter([*first, *second]), None)


def _near(text: str, start: int, end: int) -> bool:
    return end - start <= 60 and len(text[start:end].split()) <= 3
