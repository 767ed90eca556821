"""Find the expression that a text states."""

import re
from dataclasses import dataclass

from guerdon_plugins.parsing.declare import declarations
from guerdon_plugins.parsing.numbers import quantities
from guerdon_plugins.parsing.phrases import UNDECIDED
from guerdon_plugins.parsing.span import Span

_DISPLAY = re.compile(
    r"\$\$([^$]{1,1000})\$\$|(?<!\\)\$([^$\n]{1,1000})(?<!\\)\$|\\\(((?:[^\\\n]|\\[^()\n]){1,1000})\\\)|\\\[((?:[^\\]|\\[^\[\]]){1,1000})\\\]"
)
_EDGES = " \t\r\n.,;:。，；：*_`"
_SENTENCE_WORDS = re.compile(r"(?<![A-Za-z\\{])(?!and\b|or\b|sqrt|infinity|arcsin|arccos|arctan)[A-Za-z]{4,}")
MAX_PLACE = 4000


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression where it stands."""

    text: str
    span: Span
    alone: bool
    """Nothing else stands in the place."""


def candidates(place: Span, *, declared: bool) -> Expression | str:
    """Return the expression that a place states, or why there is none."""
    for declaration in declarations(place):
        payload = declaration.payload.strip()
        if found := _stated(payload, enclosed=declaration.enclosed):
            return found
        if UNDECIDED.search(payload.text[:MAX_PLACE]):
            return "declines to answer"
    if declared:
        return _stated(place.strip(), enclosed=True) or "no expression"
    return _from_prose(place)


def _stated(payload: Span, *, enclosed: bool) -> Expression | None:
    """Read a declared place: all of it, or what stands between its first and last dollar sign."""
    payload = payload.part(0, MAX_PLACE).strip(_EDGES)
    if not payload:
        return None
    displays = list(_DISPLAY.finditer(payload.text))
    if not displays:
        words = not enclosed and _SENTENCE_WORDS.search(payload.text)
        return _number_in(payload) if words else Expression(payload.text, payload, alone=enclosed)
    first, last = displays[0], displays[-1]
    inner = payload.part(first.start(), last.end())
    rest = payload.text[: first.start()] + payload.text[last.end() :]
    return Expression(inner.text, inner, alone=not rest.strip(_EDGES))


def _number_in(payload: Span) -> Expression | None:
    """Return the only number of a declared sentence such as "12 square units"."""
    found = quantities(payload.text)
    if len(found) != 1 or found[0].value is None:
        return Expression(payload.text, payload, alone=False)
    span = payload.part(found[0].start, found[0].end)
    return Expression(span.text, span, alone=False)


def _from_prose(place: Span) -> Expression | str:
    """Read a text without declaration: all of it if it is one expression, the only display, or the only number."""
    whole = place.strip(_EDGES)
    displays = {match[0]: match for match in _DISPLAY.finditer(place.text)}
    if len(displays) == 1:
        match = next(iter(displays.values()))
        span = place.part(match.start(), match.end())
        return Expression(span.text, span, alone=span.text == whole.text)
    if displays:
        return "several expressions and no declaration"
    if whole and len(whole.text) <= 200 and not _SENTENCE_WORDS.search(whole.text) and "\n" not in whole.text:
        return Expression(whole.text, whole, alone=True)
    found = quantities(place.text)
    if len({quantity.value for quantity in found}) != 1:
        return "no expression" if not found else "several numbers and no declaration"
    span = place.part(found[-1].start, found[-1].end)
    return Expression(span.text, span, alone=False)
