"""Chinese numerals: plain, financial, with 万 and 亿, decimals and 分之 fractions."""

import re
from collections.abc import Iterator
from fractions import Fraction

_DIGITS = dict(zip("零〇一二三四五六七八九两壹贰叁肆伍陆柒捌玖", [0, 0, *range(1, 10), 2, *range(1, 10)], strict=True))
_SMALL = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
_LARGE = {"万": 10**4, "亿": 10**8, "萬": 10**4, "億": 10**8}
_SIGNS = "".join([*_DIGITS, *_SMALL, *_LARGE])
_RUN = re.compile(
    rf"(?<![第同统唯专单每0-9.])(?:(?:(?P<mixed>[{_SIGNS}]{{1,20}})又)?(?P<below>[{_SIGNS}]{{1,30}})分之(?P<above>[{_SIGNS}]{{1,30}})"
    rf"|(?P<whole>[{_SIGNS}]{{1,30}})(?:点(?P<part>[零〇一二三四五六七八九]{{1,30}}))?(?P<half>半)?)"
)
_NO_NUMBER = re.compile(
    r"一(?:些|样|起|般|直|定|下|旦|切|致|边|共|点|种|方面)|十分|千万|万一|[三四五六七八多]边|三角|四周|四处|百分"
    r"|千(?:克|米|瓦|卡|赫|帕|伏|焦|字)|两(?:者|侧|边|旁)|万(?:物|能)"
)


def chinese_numbers(text: str) -> Iterator[tuple[int, int, Fraction, bool]]:
    """Yield (start, end, value, percent) of every numeral; words such as 一些 and 三角 are none.

    百分之三十六 is 36 with `percent`.
    """
    if text.isascii():
        return
    for match in _RUN.finditer(text):
        if not match["below"] and _NO_NUMBER.match(text, match.start()):
            continue
        value = _value(match)
        percent = match["below"] == "百"
        if value is not None:
            yield match.start(), match.end(), value * 100 if percent else value, percent


def _value(match: re.Match[str]) -> Fraction | None:
    if match["below"]:
        below, above, mixed = (_whole(match[name] or "零") for name in ("below", "above", "mixed"))
        return mixed + Fraction(above, below) if below and above is not None and mixed is not None else None
    whole = _whole(match["whole"])
    if whole is None:
        return None
    if match["half"] and match["whole"] == "一":
        return Fraction(1, 2)
    value = Fraction(whole)
    if match["part"]:
        digits = [_DIGITS[char] for char in match["part"]]
        value += Fraction(int("".join(map(str, digits))), 10 ** len(digits))
    return value + Fraction(1, 2) if match["half"] else value


def _whole(text: str) -> int | None:
    """Evaluate a whole number; None where the numerals make none."""
    if all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text)) if len(text) > 1 else _DIGITS[text]
    total = section = 0
    digit: int | None = None
    scale = 10
    for char in text:
        if char in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[char]
        elif char in _SMALL:
            scale = _SMALL[char]
            section += (1 if digit is None else digit) * scale
            digit = None
        else:
            section += digit or 0
            total = (total + (section or 1)) * _LARGE[char]
            section, digit, scale = 0, None, _LARGE[char]
    return total + section + _tail(text, digit, scale)


def _tail(text: str, digit: int | None, scale: int) -> int:
    """Value of the last digit: 三百五 is 350, 三百零五 is 305."""
    if digit is None:
        return 0
    shortened = len(text) > 2 and text[-2] not in "零〇十拾" and text[-2] in {**_SMALL, **_LARGE}
    return digit * (scale // 10 if shortened else 1)
