"""Whether a number stands for itself, or is part of a formula, a bound, a date or a time."""

import re

from guerdon_plugins.parsing.listed import listed, phrases

_BOUND_WORDS = phrases(
    """(?:more|less|fewer|greater|larger|smaller|higher|lower) than, at least, at most, over, under, above, below,
    up to, exceeds, nearly, almost""",
    "超过 不到 少于 多于 大于 小于 至少 至多 不少于 将近",
    after=r"[ $€£¥\u2060]{0,6}$",
)
_BOUND_SIGN = re.compile(r"(?<![-=])[<>≤≥≠]=?[ $€£¥\u2060]{0,6}$")
_BOUND_AFTER = re.compile(
    r"[ \u2060]{0,3}(?:\+|or (?:more|less|fewer|higher|above|below)(?![a-z])|以上|以下|以内|多个)", re.IGNORECASE
)
_FUNCTIONS = "|".join(listed("sqrt sin cos tan log ln exp abs max min"))
_BEFORE = re.compile(
    r"[√^÷±]$"
    r"|[0-9)\]}][ ]?\*[ ]?$|[A-Za-z]\*$"  # a product, not Markdown's *7*
    rf"|(?:(?<![A-Za-z])[A-Za-z]|{_FUNCTIONS})\($"
    r"|[A-Za-z^_\]}]\{[ \u2060]{0,2}$"  # the argument of a command
    r"|[0-9]:$|[/⁄]$"
    r"|[0-9A-Za-z)\]}%²³]\s?[-+/×·–]\s?$"
)
_AFTER = re.compile(
    r"[ \u2060]{0,8}(?:[\^·×÷√±]|\*[ ]?[0-9(\\]|\*[A-Za-z]|\\[A-Za-z]|[+][ ]?[0-9A-Za-z\\(])"
    r"|\u2060{0,8}[abijnpqruvwxyze](?![A-Za-z0-9'’])"  # a variable
    r"|\u2060{0,8}(?::[0-9]|[²³⁴⁵⁶⁷⁸⁹ⁿ]|/[0-9]|_[0-9])"
)


def is_part(text: str, before: str, end: int) -> bool:
    """Tell whether a number is part of something larger.

    Args:
        text: the text.
        before: what stands right before the number and its sign.
        end: the position after the number.
    """
    if _BOUND_WORDS.search(before) or (_BOUND_SIGN.search(before) and not _arrow_or_tag(before)):
        return True
    return bool(_BEFORE.search(before) or _AFTER.match(text, end) or _BOUND_AFTER.match(text, end))


def _arrow_or_tag(before: str) -> bool:
    """Tell whether the sign before a number is the end of a tag or arrow, or quotes a line."""
    head = before.rstrip(" $€£¥\u2060")
    if not head.endswith(">"):
        return False
    return len(head) == 1 or head[-2] in "-=>\n" or "<" in head[:-1]
