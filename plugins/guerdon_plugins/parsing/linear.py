"""Regular expressions in linear time, by RE2.

Python's own engine backtracks: a pattern with nested repetition stops a run on one completion
(run-llama/llama_index#22334). RE2 has neither look-around nor back-references.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import re2

MAX_PATTERN = 2000
"""Characters of one pattern."""

_SURROGATE = re.compile("[\ud800-\udfff]")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> "re2._Regexp":
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


def check_pattern(pattern: str) -> str:
    """Return the pattern if RE2 takes it.

    Raises:
        ValueError: it is malformed, or needs backtracking.
    """
    if len(pattern) > MAX_PATTERN:
        raise ValueError(f"a pattern of {len(pattern)} characters; at most {MAX_PATTERN}")
    try:
        _compiled(pattern)
    except (re2.error, UnicodeEncodeError) as error:
        detail = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
        raise ValueError(
            f"the pattern {pattern[:200]!a} is refused: {detail}. RE2's syntax holds, without look-around and"
            " back-references, so that no completion can stall it"
        ) from error
    return pattern


def find_all(pattern: str, text: str) -> Iterator[tuple[int, int]]:
    """Return where the pattern is found, leftmost first, without overlaps.

    Where the pattern has groups, the place of the first group that took part counts.
    """
    for match in _compiled(pattern).finditer(_scalar(text)):
        yield match.span(match.lastindex or 0)


def matches(pattern: str, text: str, mode: Literal["search", "fullmatch"]) -> bool:
    """Say whether the pattern is found in, or is all of, the text."""
    return getattr(_compiled(pattern), mode)(_scalar(text)) is not None


def _scalar(text: str) -> str:
    """Replace halves of surrogate pairs, which have no UTF-8, one for one."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
