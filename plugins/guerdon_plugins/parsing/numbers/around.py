"""What stands around a number and changes it: sign, magnitude, percent."""

import re
from dataclasses import replace
from fractions import Fraction

from guerdon_plugins.parsing.listed import listed
from guerdon_plugins.parsing.numbers.formula import is_part
from guerdon_plugins.parsing.numbers.quantity import Quantity

_BEFORE = 24
"""Characters before a number that are looked at."""
_FILL = "\u2060"

_MAGNITUDES = {
    name: 10 ** int(power)
    for power, *names in map(
        listed,
        (
            "2 hundred 百",
            "3 thousand 千",
            "4 万 萬",
            "5 lakh lakhs 十万",
            "6 million mn mln 百万",
            "7 crore crores 千万",
            "8 亿 億",
            "9 billion bn bln 十亿",
            "10 百亿",
            "11 千亿",
            "12 trillion tn trn 万亿",
        ),
    )
    for name in names
} | {"dozen": 12}
_LATIN = "|".join(word for word in _MAGNITUDES if word.isascii())
_HAN = "|".join(sorted((word for word in _MAGNITUDES if not word.isascii()), key=len, reverse=True))
_MAGNITUDE = re.compile(
    rf"\u2060{{0,12}}(?:[ \u00a0\u2009-]?({_LATIN})s?(?![A-Za-z])|[ ]?({_HAN})(?![克米瓦卡赫帕伏焦字分]))",
    re.IGNORECASE,
)
_PERCENT = re.compile(
    r"[ \u00a0\u2009\u2060]{0,8}(?:%|per[ ]?cent(?:age)?(?:[ -]points?)?(?![a-z])|pct(?![a-z])|个?百分点|(‰))",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"[A-Za-z\u00c0-\u024f][-.]?$|[0-9A-Za-z]_{1,4}\{?$")
_CLOCK = re.compile(r"[0-9](?:h|hr|m|min)$")
"""The first part of a time that is written without spaces: 1h30m."""
_DECADE = re.compile(r"['’]?s(?![A-Za-z])")
_SIGN_WORD = re.compile(r"(?:(?<![A-Za-z])(?:minus|negative)[ ]|负|零下)[ \u2060]{0,8}$", re.IGNORECASE)
_SIGN = re.compile(r"([ \u2060]{0,8})([-+–])([ \u2060]{0,8})[$€£¥₹]?[ \u2060]{0,2}$")


def finish(text: str, found: Quantity) -> Quantity | None:
    """Apply what stands around a number; None where it is part of a name such as H2O or x_2."""
    before = text[max(0, found.start - _BEFORE) : found.start]
    if not found.written and _IDENTIFIER.search(before) and not _CLOCK.search(before):
        return None
    signed, negative = _sign(before)
    value, end = _magnitude(text, found)
    percent = _PERCENT.match(text, end)
    decade = len(found.digits) == 4 and _DECADE.match(text, end)
    if value is None or decade or is_part(text, before[:signed], percent.end() if percent else end):
        value = None
    else:
        value = (-value if negative else value) / (10 if percent and percent[1] else 1)
    return replace(
        found,
        value=value,
        start=found.start - len(before) + signed,
        end=end,
        percent=found.percent or percent is not None or before.endswith("百分之"),
    )


def _magnitude(text: str, found: Quantity) -> tuple[Fraction | None, int]:
    match = _MAGNITUDE.match(text, found.end)
    if match is None:
        return found.value, found.end
    factor = _MAGNITUDES[(match[1] or match[2]).lower()]
    return None if found.value is None else found.value * factor, match.end()


def _sign(before: str) -> tuple[int, bool]:
    """Return where in `before` the number's sign begins (its end without one), and whether it is a minus.

    A sign that is glued to the number counts unless an operand is glued to the sign (``3-5``); one
    that stands apart counts only after an equals sign, a colon or a bracket, else it is a bullet.
    """
    if word := _SIGN_WORD.search(before):
        return word.start(), True
    sign = _SIGN.search(before)
    if sign is None:
        return len(before), False
    previous = before[: sign.start()][-1:]
    if sign[3].strip(_FILL):
        counts = previous in tuple("=≈:([{")
    else:
        counts = bool(sign[1].strip(_FILL)) or not (previous.isalnum() or previous in tuple(")]}%"))
    return (sign.start(2), sign[2] != "+") if counts else (len(before), False)
