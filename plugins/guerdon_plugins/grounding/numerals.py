"""The numbers in a text that can be counts, English and Chinese."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import nan

from guerdon_plugins.parsing.numbers import quantities

_MOST = 10**300
"""A number as large as this counts as this one, which a float can hold."""
_FIXED = {"half a dozen": 6, "a single": 1, "a pair of": 2, "a couple of": 2, "俩": 2, "仨": 3}
_PHRASE = re.compile(r"\b(?:half a dozen|a single|a pair of|a couple of)\b|[俩仨]", re.IGNORECASE)

_HAN = "零〇一二三四五六七八九十百千万两"
_MEASURES = (
    "个個只隻条條张張辆輛台臺把本块塊片朵颗顆粒头頭匹位名人件座栋棟架艘枚支枝根棵株双雙对對组組排行列层層扇顶頂瓶杯碗盘盤盒箱袋"
    "串束封幅面种種处處道盏盞间間家门門口滴群节節股段样樣项項份次"
)
_COUNTS_AFTER = re.compile(rf"\s?[{_MEASURES}]|\s*$|\s*[。.,，;；!！、\n*)]")
_COUNTS_BEFORE = re.compile(r"[共有是为為:：=]\s?$")

_NO_COUNT = re.compile(
    r"(?:^|(?<=\n))\s{0,8}(?:\d{1,3}(?:[.)](?=\s{1,8}\S)|、)|\(\d{1,3}\)(?=\s{0,8}\S))"  # the number of a list item
    r"|\b(?:no|this|that|which|each|every|any|another|other|last|first|next|the only|the)\s+one\b"
    r"|\bone\s+(?:of|another|by\s+one|can|could|might|may|should|would|sees)\b"
    r"|\b\d{1,4}(?:st|nd|rd|th|[dD])\b|\b\d{1,5}\s?%"
    r"|一[共起些样般直定下边侧旁致切旦]|[统唯万之]一|[其某每同任另]中?一|第[零一二三四五六七八九十百\d]{1,6}",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\b(?:none|nobody)\b|\b(?:no|not any|without any)\s+"
    r"(?!one\b|longer\b|doubt\b|matter\b|more\b|fewer\b|less\b|idea\b|way\b)[a-z]|没有|沒有|无任何",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number and where it stands in the text (0-based, `end` exclusive)."""

    value: float
    """NaN where it is only a bound ("at least 5") or part of a formula."""

    start: int
    end: int


def numbers_in(text: str) -> list[Number]:
    """Return the first numbers of a folded text, in order.

    Left out are list numbers, percentages, ordinals, pronouns ("one of them") and numerals that are
    part of a Chinese word (三角形). Linear time.
    """
    masked = _NO_COUNT.sub(_blank, text)
    phrases = [Number(_FIXED[match[0].lower()], *match.span()) for match in _PHRASE.finditer(masked)]
    return sorted([*phrases, *_plain(_PHRASE.sub(_blank, masked))], key=lambda number: number.start)


def says_none(text: str) -> bool:
    """Say whether the text states in words that there is nothing to count."""
    return _NONE.search(text) is not None


def _blank(match: re.Match[str]) -> str:
    return "\n" * len(match[0])


def _plain(text: str) -> Iterator[Number]:
    for found in quantities(text):
        if not found.percent and (text[found.start] not in _HAN or _is_count(text, found.start, found.end)):
            yield Number(_float(found.value), found.start, found.end)


def _is_count(text: str, start: int, end: int) -> bool:
    """Say whether a Chinese numeral counts something: a measure word or an end follows, or it is announced."""
    return bool(_COUNTS_AFTER.match(text, end) or _COUNTS_BEFORE.search(text, max(0, start - 2), start))


def _float(value: Fraction | None) -> float:
    """Return the value as a float, NaN for none; what no float can hold becomes the largest count."""
    if value is None:
        return nan
    return float(value) if abs(value) < _MOST else (1e300 if value > 0 else -1e300)
