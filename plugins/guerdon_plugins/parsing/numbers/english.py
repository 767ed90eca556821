"""English number words."""

import re
from collections.abc import Iterator
from fractions import Fraction

_UNITS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
        " eighteen nineteen".split()
    )
}
_TENS = {word: 10 * (i + 2) for i, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "fifth": 5, "fifths": 5,
    "sixth": 6, "sixths": 6, "seventh": 7, "sevenths": 7, "eighth": 8, "eighths": 8, "ninth": 9, "ninths": 9, "tenth": 10, "tenths": 10,
}  # fmt: skip
_SMALL = "|".join([*_UNITS, *_TENS])
_BIG = "|".join(["hundred", "dozen", *_SCALES])
_PART = "|".join(_PARTS)
_RUN = re.compile(
    rf"(?<![A-Za-z])(?:(?:{_SMALL})|an?(?=[ ](?:{_BIG}|half|quarter|third)(?![A-Za-z])))"
    rf"(?:(?:[ -]|[ ]and[ ](?:an?[ ](?={_PART}))?)(?:{_SMALL}|{_BIG}|point|{_PART})(?:[ ]an?(?=[ ](?:{_PART})))?){{0,24}}(?![A-Za-z])"
    r"|(?<![A-Za-z])half(?![A-Za-z])",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[a-z]+")


def english_numbers(text: str) -> Iterator[tuple[int, int, Fraction]]:
    """Yield (start, end, value) of every run of number words that makes a number."""
    for match in _RUN.finditer(text):
        value = _value(_TOKEN.findall(match[0].lower()))
        if value is not None:
            yield match.start(), match.end(), value


def _value(tokens: list[str]) -> Fraction | None:
    """Evaluate number words; None where they make no number, such as "two three"."""
    if "point" in tokens:
        return _with_point(tokens)
    if tokens[-1] in _PARTS:
        return _with_part(tokens)
    return _whole(tokens)


def _with_point(tokens: list[str]) -> Fraction | None:
    at = tokens.index("point")
    digits = [_UNITS.get(token, 10) for token in tokens[at + 1 :]]
    whole = _whole(tokens[:at])
    if whole is None or not digits or max(digits) > 9:
        return None
    return whole + Fraction(int("".join(map(str, digits))), 10 ** len(digits))


def _with_part(tokens: list[str]) -> Fraction | None:
    """Evaluate "half", "a third", "three quarters", "two and a half"."""
    part, before = _PARTS[tokens[-1]], tokens[:-1]
    if "and" in before:
        at = len(before) - 1 - before[::-1].index("and")
        whole, count = _whole(before[:at]), _whole(before[at + 1 :] or ["a"])
        return None if whole is None or count is None else whole + count / part
    count = _whole(before or ["a"])
    return None if count is None else count / part


def _whole(tokens: list[str]) -> Fraction | None:
    total = current = 0
    last = 10**15
    for token in tokens:
        if token == "and":
            continue
        if token in ("a", "an"):
            value, size = 1, 1
        elif token in _UNITS:
            value, size = _UNITS[token], 10 if _UNITS[token] > 9 else 1
        elif token in _TENS:
            value, size = _TENS[token], 10
        elif token in ("hundred", "dozen"):
            current, last = (current or 1) * (100 if token == "hundred" else 12), 100
            continue
        elif token in _SCALES:
            total, current, last = total + (current or 1) * _SCALES[token], 0, 10**15
            continue
        else:
            return None
        if size >= last or (last == 10 and current % 100 < 20):
            return None
        current, last = current + value, size
    return Fraction(total + current)
