"""English number words."""

import re
from collections.abc import Iterator
from fractions import Fraction

from guerdon_plugins.parsing.listed import listed

_UNITS = {
    word: value
    for value, word in enumerate(
        listed(
            """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
            seventeen eighteen nineteen"""
        )
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(listed("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_FACTORS = {"hundred": 100, "dozen": 12}
_PARTS = {
    name: below
    for below, names in enumerate(
        (
            "half halves",
            "third thirds",
            "quarter quarters fourth fourths",
            "fifth fifths",
            "sixth sixths",
            "seventh sevenths",
            "eighth eighths",
            "ninth ninths",
            "tenth tenths",
        ),
        start=2,
    )
    for name in listed(names)
}
_SMALL = "|".join([*_UNITS, *_TENS])
_BIG = "|".join([*_FACTORS, *_SCALES])
_PART = "|".join(_PARTS)
_ARTICLE = rf"an?(?=[ ](?:{_BIG}|half|quarter|third)(?![A-Za-z]))"
_JOINT = rf"(?:[ -]|[ ]and[ ](?:an?[ ](?={_PART}))?)"
_RUN = re.compile(
    rf"(?<![A-Za-z])(?:(?:{_SMALL})|{_ARTICLE})"
    rf"(?:{_JOINT}(?:{_SMALL}|{_BIG}|point|{_PART})(?:[ ]an?(?=[ ](?:{_PART})))?){{0,24}}(?![A-Za-z])"
    rf"|(?<![A-Za-z])half(?:[ ]an?[ ](?:{_BIG}))?(?![A-Za-z])",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z]+")


def english_numbers(text: str) -> Iterator[tuple[int, int, Fraction]]:
    """Yield (start, end, value) of every run of number words that makes a number."""
    for match in _RUN.finditer(text):
        value = _value(_WORD.findall(match[0].lower()))
        if value is not None:
            yield match.start(), match.end(), value


def _value(words: list[str]) -> Fraction | None:
    """Evaluate number words; None where they make no number, such as "two three"."""
    if words[0] == "half" and len(words) > 1:
        whole = _whole(words[1:])
        return None if whole is None else whole / 2
    if "point" in words:
        return _with_point(words)
    if words[-1] in _PARTS:
        return _with_part(words)
    return _whole(words)


def _with_point(words: list[str]) -> Fraction | None:
    at = words.index("point")
    digits = [_UNITS.get(word, 10) for word in words[at + 1 :]]
    whole = _whole(words[:at])
    if whole is None or not digits or max(digits) > 9:
        return None
    return whole + Fraction(int("".join(map(str, digits))), 10 ** len(digits))


def _with_part(words: list[str]) -> Fraction | None:
    """Evaluate "half", "a third", "three quarters", "two and a half"."""
    part, before = _PARTS[words[-1]], words[:-1]
    if "and" in before:
        at = len(before) - 1 - before[::-1].index("and")
        whole, count = _whole(before[:at]), _whole(before[at + 1 :] or ["a"])
        return None if whole is None or count is None else whole + count / part
    count = _whole(before or ["a"])
    return None if count is None else count / part


def _whole(words: list[str]) -> Fraction | None:
    """Evaluate a whole number; None where a word does not fit behind the ones before it."""
    total = current = 0
    room = 10**15
    for word in words:
        if word == "and":
            continue
        if word in _FACTORS:
            current, room = (current or 1) * _FACTORS[word], 100
        elif word in _SCALES:
            total, current, room = total + (current or 1) * _SCALES[word], 0, 10**15
        else:
            value = _small(word)
            if value is None or value >= room:
                return None
            current, room = current + value, 10 if value >= 20 else 1
    return Fraction(total + current)


def _small(word: str) -> int | None:
    """Return the value of a word below a hundred; an article counts one."""
    return 1 if word in ("a", "an") else _UNITS.get(word, _TENS.get(word))
