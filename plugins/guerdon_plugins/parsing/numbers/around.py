"""What stands around a number and changes it: sign, magnitude, percent, bound, formula."""

import re
from dataclasses import replace
from fractions import Fraction

from guerdon_plugins.parsing.numbers.quantity import Quantity

_BEFORE = 24
_MAGNITUDES = {
    "hundred": 10**2, "dozen": 12, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "mn": 10**6, "mln": 10**6,
    "bn": 10**9, "bln": 10**9, "tn": 10**12, "trn": 10**12, "lakh": 10**5, "lakhs": 10**5, "crore": 10**7, "crores": 10**7,
    "百": 10**2, "千": 10**3, "万": 10**4, "十万": 10**5, "百万": 10**6, "千万": 10**7, "亿": 10**8, "十亿": 10**9, "百亿": 10**10,
    "千亿": 10**11, "万亿": 10**12, "萬": 10**4, "億": 10**8,
}  # fmt: skip
_LATIN = "|".join(word for word in _MAGNITUDES if word.isascii())
_HAN = "|".join(sorted((word for word in _MAGNITUDES if not word.isascii()), key=len, reverse=True))
_MAGNITUDE = re.compile(
    rf"\u2060{{0,12}}(?:[ \u00a0\u2009-]?({_LATIN})s?(?![A-Za-z])|[ ]?({_HAN})(?![克米瓦卡赫帕伏焦字分]))", re.IGNORECASE
)
_PERCENT = re.compile(
    r"[ \u00a0\u2009\u2060]{0,8}(?:%|per[ ]?cent(?:age)?(?:[ -]points?)?(?![a-z])|pct(?![a-z])|个?百分点|(‰))", re.IGNORECASE
)
_SIGN_WORD = re.compile(r"(?:(?<![A-Za-z])(?:minus|negative)[ ]|负|零下)[ \u2060]{0,8}$", re.IGNORECASE)
_SIGN = re.compile(r"(?P<gap1>[ \u2060]{0,8})(?P<sign>[-+–—])(?P<gap2>[ \u2060]{0,8})[$€£¥₹]?[ \u2060]{0,2}$")
_BOUND = re.compile(
    r"(?:(?<![A-Za-z])(?:(?:more|less|fewer|greater|larger|smaller|higher|lower) than|at least|at most|no more than|no less than|over|under"
    r"|above|below|up to|exceeds|nearly|almost)|(?<![-=])[<>≤≥≠]=?|超过|不到|少于|多于|大于|小于|至少|至多|不少于|不超过|将近)[ $€£¥\u2060]{0,6}$",
    re.IGNORECASE,
)
_BOUND_AFTER = re.compile(r"[ \u2060]{0,3}(?:\+|or (?:more|less|fewer|higher|above|below)(?![a-z])|以上|以下|以内|多个)", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[A-Za-z_\u00c0-\u024f][-.]?$|[A-Za-z]_\{?$")
_FORMULA_BEFORE = re.compile(r"[√^÷]$|[0-9)\]}][ ]?\*[ ]?$|[A-Za-z]\*$|[A-Za-z]\($|[A-Za-z^_\]}]\{[ \u2060]{0,2}$|[0-9]:$|[/⁄]$|[0-9A-Za-z)\]}%²³]\s?[-+/×·–]\s?$")
_FORMULA_AFTER = re.compile(
    r"[ \u2060]{0,8}(?:[\^·×÷√±]|\*[ ]?[0-9(\\]|\*[A-Za-z]|\\[A-Za-z]|[+][ ]?[0-9A-Za-z\\(])|\u2060{0,8}(?:[abijnpqruvwxyze](?![A-Za-z0-9'’])|:[0-9]|[²³⁴⁵⁶⁷⁸⁹ⁿ]|/[0-9])"
)


def finish(text: str, found: Quantity) -> Quantity | None:
    """Apply what stands around a number; None where it is part of a name such as H2O or x_2."""
    before = text[max(0, found.start - _BEFORE) : found.start]
    if not found.written and _IDENTIFIER.search(before):
        return None
    start, negative = _sign(before, found.start)
    value, end = _magnitude(text, found)
    percent = _PERCENT.match(text, end)
    if percent and percent[1] and value is not None:
        value /= 10
    if value is not None and _no_plain_number(text, before[: len(before) - (found.start - start)], percent.end() if percent else end, negative):
        value = None
    is_percent = found.percent or percent is not None or before.endswith("百分之")
    return replace(found, value=-value if value is not None and negative else value, start=start, end=end, percent=is_percent)


def _magnitude(text: str, found: Quantity) -> tuple[Fraction | None, int]:
    match = _MAGNITUDE.match(text, found.end)
    if match is None:
        return found.value, found.end
    factor = _MAGNITUDES[(match[1] or match[2]).lower()]
    return None if found.value is None else found.value * factor, match.end()


def _sign(before: str, start: int) -> tuple[int, bool]:
    """Return where the number begins with its sign, and whether that is a minus."""
    if word := _SIGN_WORD.search(before):
        return start - (len(before) - word.start()), True
    sign = _SIGN.search(before)
    if sign is None:
        return start, False
    previous = before[: sign.start("gap1")][-1:]
    glued = not sign["gap2"].strip("\u2060")
    operand = previous.isalnum() or previous in (")", "]", "}", "%")
    apart = sign["gap1"] and not sign["gap1"].isspace() or (operand and not (sign["gap1"] and glued))
    bullet = not glued and previous not in ("=", "≈", ":", "(", "[", "{")
    if apart or bullet or (sign["sign"] == "—"):
        return start, False
    return start - (len(before) - sign.start("sign")), sign["sign"] != "+"


def _no_plain_number(text: str, before: str, end: int, negative: bool) -> bool:
    if _BOUND.search(before) and not _arrow_or_tag(before):
        return True
    return bool(_FORMULA_BEFORE.search(before) or _FORMULA_AFTER.match(text, end) or _BOUND_AFTER.match(text, end))


def _arrow_or_tag(before: str) -> bool:
    """Tell whether the sign before a number is the end of a tag or arrow, or quotes a line."""
    head = before.rstrip(" $€£¥\u2060")
    if not head.endswith(">"):
        return False
    return len(head) == 1 or head[-2] in "-=>\n" or "<" in head[:-1]
