r"""Units behind a mathematical answer: ``5\text{ cm}``, ``12 square units``."""

import re

from guerdon_plugins.correctness.units import unit_after

_WRAPPED = re.compile(
    r"(?P<value>.*[0-9)}\]])[\s~]*(?:\\[,;: ])*\s*\\(?:text|mathrm|mbox|operatorname)\s?\{(?P<unit>[^{}]{1,40})\}"
    r"(?P<power>\^\{?[23]\}?)?",
    re.DOTALL,
)
_PLAIN = re.compile(
    r"(?P<value>[^A-Za-z]*[0-9)}\]])(?P<unit>\s?[A-Za-z]{2,20}|\s[A-Za-z ]{2,30})(?P<power>\^\{?[23]\}?)?"
)
_NEUTRAL = re.compile(r"(?:square |cubic |sq\.? |cu\.? )?units?(?: squared| cubed)?|squared units", re.IGNORECASE)
_NOUN = re.compile(r"\s*(?!and\b|or\b|if\b|for\b|where\b)[A-Za-z]{2,20}s?\.?\s*")
MAX_LENGTH = 200
"""Characters of an answer whose unit is looked for."""


def split_unit(text: str) -> tuple[str, str | None]:
    """Return an answer without the unit behind it, and the unit as pint spells it.

    Things that are counted and "square units" are dropped; what is neither stays in the answer.
    """
    text = text.strip().rstrip(".").strip("$ ")
    if len(text) > MAX_LENGTH:
        return text, None
    for pattern in (_WRAPPED, _PLAIN):
        if match := pattern.fullmatch(text):
            name = match["unit"].strip()
            unit = unit_after(" " + name + (match["power"] or ""), 0)
            if unit is not None or _NEUTRAL.fullmatch(name) or (pattern is _WRAPPED and _NOUN.fullmatch(name)):
                return match["value"].strip(), unit.unit if unit else None
    return text, None
