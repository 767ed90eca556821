"""Numbers in a text, in digits and in words, English and Chinese."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

MAX_NUMBERS = 1000
"""A text with more numbers than this states none."""

_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_UNITS = {word: value for value, word in enumerate(_SMALL)}
_UNITS |= {
    word: 10 * value
    for value, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_FIXED = {"a single": 1, "half a dozen": 6, "a dozen": 12, "a pair of": 2, "a couple of": 2}
_WORD = "|".join(sorted([*_UNITS, *_SCALES], key=len, reverse=True))

_HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | dict(
    zip("〇两兩俩仨", (0, 2, 2, 2, 3), strict=True)
)
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
_HAN = "".join([*_HAN_DIGITS, *_HAN_SCALES])
_MEASURES = (
    "个個只隻条條张張辆輛台臺把本块塊片朵颗顆粒头頭匹位名人件座栋棟架艘枚支枝根棵株双雙对對组組排行列层層扇顶頂瓶杯碗盘盤盒箱袋"
    "串束封幅面种種处處道盏盞间間家门門口滴群节節股段样樣项項份次"
)

_DIGITS = re.compile(
    r"(?<![A-Za-z0-9_.,/])([-+]?(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,40})(?:\.\d{1,40})?)(?![A-Za-z0-9_%]|[.,/:]\d)", re.ASCII
)
_WORDS = re.compile(
    rf"(?<![\w-])(?:{'|'.join(_FIXED)}|(?:(?:{_WORD})(?: and |[ -])){{0,12}}(?:{_WORD}))(?![\w-])",
    re.ASCII | re.IGNORECASE,
)
_HAN_NUMBER = re.compile(
    rf"[{_HAN}]{{1,16}}(?=\s?[{_MEASURES}]|\s*$|\s*[。.,，;；!！、\n])|(?<=[共有是为:：=])[{_HAN}]{{1,16}}(?![{_HAN}角边邊形])"
)

_NO_NUMBER = re.compile(
    r"(?:^|(?<=\n))\s{0,8}\d{1,3}[.)、](?=\s*\S)"  # the number of a list item
    r"|\b(?:no|this|that|which|each|every|any|another|other|last|first|next|the|only the)\s+one\b"
    r"|\bone\s+(?:of|another|by\s+one|can|could|might|may|should|would|sees)\b"
    r"|一[共起些样般直定下边侧旁致切旦]|[统唯万之]一|[其某每同任另]中?一|第[零一二三四五六七八九十百]{1,6}",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\b(?:none|nobody)\b|\b(?:no|not any|without any)\s+(?!one\b|longer\b|doubt\b|matter\b|more\b|fewer\b|less\b|idea\b|way\b)[a-z]"
    r"|没有|沒有|无任何",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number and where it stands in the text (0-based, `end` exclusive)."""

    value: float
    start: int
    end: int


def numbers_in(text: str) -> list[Number]:
    """Return the numbers of a folded text in order: at most `MAX_NUMBERS` + 1 of each notation.

    Left out are list numbers, percentages, ordinals, pronouns ("one of them") and numerals that are
    part of a Chinese word. Linear time.
    """
    masked = _NO_NUMBER.sub(lambda match: "\n" * len(match[0]), text)
    found = chain(_digits(masked), _words(masked), _han(masked))
    return sorted(found, key=lambda number: number.start)


def says_none(text: str) -> bool:
    """Say whether the text states in words that there is nothing to count."""
    return _NONE.search(text) is not None


def _digits(text: str) -> Iterator[Number]:
    for match in islice(_DIGITS.finditer(text), MAX_NUMBERS + 1):
        yield Number(float(match[1].replace(",", "")), *match.span())


def _words(text: str) -> Iterator[Number]:
    for match in islice(_WORDS.finditer(text), MAX_NUMBERS + 1):
        yield Number(float(_english(match[0].lower())), *match.span())


def _han(text: str) -> Iterator[Number]:
    for match in islice(_HAN_NUMBER.finditer(text), MAX_NUMBERS + 1):
        yield Number(float(_chinese(match[0])), *match.span())


def _english(words: str) -> int:
    if words in _FIXED:
        return _FIXED[words]
    total = part = 0
    for word in words.replace("-", " ").split():
        if word == "hundred":
            part = max(part, 1) * 100
        elif word in _SCALES:
            total, part = total + max(part, 1) * _SCALES[word], 0
        elif word != "and":
            part += _UNITS[word]
    return total + part


def _chinese(digits: str) -> int:
    if not any(char in _HAN_SCALES for char in digits):
        return int("".join(str(_HAN_DIGITS[char]) for char in digits))
    total = part = digit = 0
    for char in digits:
        if char == "万":
            total, part, digit = (total + part + digit) * 10_000, 0, 0
        elif char in _HAN_SCALES:
            part, digit = part + max(digit, 1) * _HAN_SCALES[char], 0
        else:
            digit = _HAN_DIGITS[char]
    return total + part + digit
