"""Strict JSON from untrusted text, in linear time and bounded memory.

Stricter than `json.loads`: no NaN or Infinity, no number that overflows, no key that stands twice
(with "last wins" a model answers twice), and caps on length, nesting and digits.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isinf
from typing import Any

from guerdon_plugins.parsing.span import Span

MAX_CHARS = 1_000_000
"""A longer text is refused unread."""

MAX_DEPTH = 64
"""Containers within containers; deeper values are refused."""

MAX_DIGITS = 100
"""Characters of one number; longer ones are refused."""

MAX_BROKEN = 1000
"""After so many openings that lead to no value, `find_json` looks no further."""

MAX_VALUES = 10_000
"""`find_json` reads no more values than this."""

_SPACE = re.compile(r"[ \t\n\r]*+")
_OPENING = re.compile(r"""\{(?=[ \t\n\r]*+["}])|\[(?=[ \t\n\r]*+["\[{\]0-9tfnNI-])""")
_BEGUN = re.compile(r"""(?:\[[ \t\n\r]*+){0,64}\{[ \t\n\r]*+"(?:[^"\\]|\\.)*+"[ \t\n\r]*+:""", re.DOTALL)
_FENCE = re.compile(r"(`{3,})[ \t]*([A-Za-z0-9]*)[ \t]*\r?\n")


@dataclass(frozen=True, slots=True)
class JsonText:
    """A piece of text that is JSON, or was meant to be."""

    value: Any
    """What it says: dict, list, str, int, float, bool or None. None where `fault` is not empty."""

    start: int
    end: int
    """Where it stands (0-based, `end` exclusive)."""

    fault: str = ""
    """Why it is refused; empty for good JSON."""


def read_json(text: str) -> JsonText:
    """Read `text` as exactly one JSON value with nothing but JSON's white space around it.

    Never raises: what is wrong stands in `JsonText.fault`.
    """
    if len(text) > MAX_CHARS:
        return JsonText(None, 0, len(text), f"{len(text)} characters; at most {MAX_CHARS} are read")
    begin = _end_of_space(text, 0)
    found = _Reader(text).decode(begin)
    if found.fault:
        return found
    rest = _end_of_space(text, found.end)
    if rest < len(text):
        return JsonText(None, rest, len(text), f"text after the JSON value, from character {rest}")
    return found


def find_json(text: str) -> list[JsonText]:
    """Return the outermost objects and arrays that stand in prose, in order.

    Among them, with their fault, are values that are refused and objects that begin with a key
    and break off. What stands inside a refused or broken container is no value of its own.
    Linear in the text's length.
    """
    if len(text) > MAX_CHARS:
        return [JsonText(None, 0, len(text), f"{len(text)} characters; at most {MAX_CHARS} are read")]
    return list(_find(text))


def strip_fence(text: str) -> Span | None:
    """Return what one Markdown fence around the whole text holds, or None without such a fence.

    Only the first and the last line count, so back-ticks inside a string do no harm. The fence
    must be closed; its info string is empty or ``json``.
    """
    whole = Span(text, 0).strip()
    opening = _FENCE.match(whole.text)
    if opening is None or opening[2].lower() not in ("", "json"):
        return None
    last_line = whole.text.rfind("\n") + 1
    closing = whole.text[last_line:].strip()
    if last_line < opening.end() or len(closing) < len(opening[1]) or closing.strip("`"):
        return None
    return whole.part(opening.end(), last_line)


def _end_of_space(text: str, start: int) -> int:
    space = _SPACE.match(text, start)
    return space.end() if space else start


def _find(text: str) -> Iterator[JsonText]:
    reader = _Reader(text)
    position, broken, values = 0, 0, 0
    while opening := _OPENING.search(text, position):
        if broken == MAX_BROKEN or values == MAX_VALUES:
            # Whoever takes the last value must not get one from before the end of the search.
            yield JsonText(
                None, opening.start(), len(text), f"more than {broken or values} values; the rest is not read"
            )
            return
        found = reader.decode(opening.start())
        values += 1
        position = max(found.end, opening.end())
        if not found.fault or found.start == opening.start():
            yield found
            continue
        # The text broke off at `found.start`. All containers open there are broken with it, so
        # the search goes on from there, and no character is read more than twice.
        broken += 1
        position = max(found.start, opening.end())
        if _BEGUN.match(text, opening.start()):
            yield JsonText(None, opening.start(), position, found.fault)


class _Reader:
    """Decodes values of one text; notes faults and reads on, so that the place of a value is known."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.faults: list[str] = []
        self.decoder = json.JSONDecoder(
            object_pairs_hook=self.pairs, parse_int=self.whole, parse_float=self.real, parse_constant=self.constant
        )

    def decode(self, start: int) -> JsonText:
        """Read the value that begins at `start`.

        A refused value keeps its place. Where the grammar breaks, `JsonText.start` is the position
        of the break.
        """
        self.faults.clear()
        try:
            value, end = self.decoder.raw_decode(self.text, start)
        except json.JSONDecodeError as error:
            return JsonText(None, error.pos, len(self.text), f"{error.msg} at character {error.pos}")
        except RecursionError:
            return JsonText(None, start, len(self.text), f"nested deeper than {MAX_DEPTH}")
        if not self.faults and _too_deep(value):
            self.faults.append(f"nested deeper than {MAX_DEPTH}")
        return JsonText(None, start, end, self.faults[0]) if self.faults else JsonText(value, start, end)

    def pairs(self, items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items):
            self.faults.append(f"the key {_first_twice(items)[:80]!a} stands twice")
        return found

    def whole(self, digits: str) -> int:
        return int(digits) if self._is_short(digits) else 0

    def real(self, digits: str) -> float:
        number = float(digits) if self._is_short(digits) else 0.0
        if isinf(number):
            self.faults.append(f"the number {digits} overflows")
        return number

    def constant(self, word: str) -> None:
        self.faults.append(f"{word} is not JSON")

    def _is_short(self, digits: str) -> bool:
        if len(digits) > MAX_DIGITS:
            self.faults.append(f"a number of {len(digits)} characters; at most {MAX_DIGITS}")
        return len(digits) <= MAX_DIGITS


def _first_twice(items: list[tuple[str, Any]]) -> str:
    seen: set[str] = set()
    for key, _ in items:
        if key in seen:
            return key
        seen.add(key)
    raise AssertionError("every key stands once")


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for parent in level
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True
