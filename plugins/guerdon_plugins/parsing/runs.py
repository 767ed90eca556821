"""Mentions of options in their context: grouped, and rejected, chosen or left open by the words around them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from guerdon_plugins.parsing import phrases
from guerdon_plugins.parsing.listed import listed
from guerdon_plugins.parsing.listed import phrases as table
from guerdon_plugins.parsing.options import Mention

_LINK_WORDS = listed(
    """and or maybe perhaps possibly also either both option choice even then else with plus the 其次 选项? 或者? 和 与
    及 以及 也许 可能 还有 也"""
)
_LINK = re.compile(rf"[\W_]{{0,20}}(?:(?:{'|'.join(_LINK_WORDS)})[\W_]{{0,8}}){{0,4}}", re.IGNORECASE)
_CLAUSE = re.compile(
    r"[,;:，；：。.!?！？—\n]|(?<![A-Za-z])(?<!anything )(?<!everything )(?<!all )(?<!any )but(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:so|hence|therefore|thus|while|whereas|because|since)(?![A-Za-z])"
    r"|但|所以|因此|而(?!非|不)",
    re.IGNORECASE,
)
_EXPLAINS = table(
    """because, since, as, so, while, whereas, unlike, than, although, though, which, from, compared, given, due, for,
    when, where, whose""",
    "因为 由于 而 但 因 比",
)
_NEXT_REJECTED = re.compile(
    r"[\s,(]{0,8}(?:(?:and|but)\s{1,4})?(?:not|rather than|instead of|nor|over|而?不是|而非|并非)[\W_]{0,8}"
    r"(?:(?:option|选项)[\W_]{0,8})?$",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"[ *_]{0,4}[:=–—-][ *_]{0,4}(?:(?P<no>no|not|false|wrong|incorrect|否|错误?|❌|✗|✘|✖)"
    r"|(?P<yes>yes|true|right|correct|是|对|正确|✅|✓|✔|☑))(?![A-Za-z])",
    re.IGNORECASE,
)
"""A verdict right behind an option, as in "A: no, B: yes"."""
_REASON = re.compile(r"[ *_]{0,4}[:—–：][ *_]{0,4}$")
_GOES_ON = re.compile(r"[ ]+[a-z]")
_CONTEXT = 80
"""Characters before and after a group of mentions that are looked at."""


@dataclass(frozen=True, slots=True)
class Run:
    """Mentions that share one fate: "A, B and C"."""

    options: frozenset[str]
    start: int
    end: int

    rejected: bool
    affirmed: bool

    hedged: bool
    """Words such as "or" or "could be" keep it open beside others."""

    withdraws: bool
    """Words such as "wait" before it take back what was said."""

    explains: bool
    """It stands behind a word such as "because"."""

    worded: bool
    """Every mention is by the option's text."""


def runs_of(text: str, found: Sequence[Mention]) -> list[Run]:
    """Group mentions that are only linked, and look at the words around each group."""
    groups: list[list[Mention]] = []
    for mention in found:
        if groups and _are_linked(text, groups[-1][-1], mention):
            groups[-1].append(mention)
        else:
            groups.append([mention])
    starts = [*(group[0].start for group in groups[1:]), len(text)]
    ends = [0, *(group[-1].end for group in groups[:-1])]
    return [_run(text, group, end, start) for group, end, start in zip(groups, ends, starts, strict=True)]


def _run(text: str, group: list[Mention], low: int, high: int) -> Run:
    start, end = group[0].start, group[-1].end
    before, after = text[max(low, start - _CONTEXT) : start], text[end : min(high, end + _CONTEXT)]
    clause = _CLAUSE.split(before)[-1]
    verdict = _VERDICT.match(after)
    said = verdict.lastgroup if verdict else None
    ahead = _CLAUSE.split(_NEXT_REJECTED.sub("", after) if high < len(text) else after, maxsplit=1)[0]
    return Run(
        options=frozenset(mention.option for mention in group),
        start=start,
        end=end,
        rejected=said == "no" or bool(phrases.REJECTS_BEFORE.search(clause) or phrases.REJECTS_AFTER.search(ahead)),
        affirmed=said == "yes" or bool(phrases.AFFIRMS_BEFORE.search(clause) or phrases.AFFIRMS_AFTER.search(ahead)),
        hedged=bool(phrases.HEDGES.search(clause) or phrases.HEDGES.match(ahead.lstrip())),
        withdraws=low > 0 and bool(phrases.WITHDRAWS.search(_VERDICT.sub("", before, count=1))),
        explains=bool(_EXPLAINS.search(before)) or _is_reason(before, after, first=low == 0),
        worded=all(mention.worded for mention in group),
    )


def _are_linked(text: str, first: Mention, second: Mention) -> bool:
    gap = text[first.end : second.start]
    return _LINK.fullmatch(gap) is not None and not _is_reason(gap, text[second.end : second.end + 2], first=False)


def _is_reason(before: str, after: str, *, first: bool) -> bool:
    """Tell whether a mention begins the reason for the one before: "B: A would need more light"."""
    return not first and _REASON.fullmatch(before) is not None and _GOES_ON.match(after) is not None
