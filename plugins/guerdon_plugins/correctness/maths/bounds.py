"""Refuse what would take for ever to evaluate: power towers, factorials, huge numbers."""

import re

MAX_EXPONENT = 2000
"""The largest whole exponent of a number."""
MAX_FACTORIAL = 200
MAX_DIGITS = 200

_DIGITS = re.compile(rf"\d{{{MAX_DIGITS + 1},}}")
_FACTORIAL = re.compile(r"(\d+)\s?\}?\)?\s?!|!\s?!")
_BINOMIAL = re.compile(r"\\binom[^A-Za-z]{0,20}?(\d{4,})")
_TOWER = re.compile(r"\^\s*(?:\{[^{}]*\^|\d\s*\^)")
_EXPONENT = re.compile(r"\^\s*(?:\{?\s*[-+]?\s*(\d{4,})|\{[^{}]*?(\d{4,}))")


def too_large(latex: str) -> str:
    """Say why an expression is not evaluated; an empty text if it may be."""
    if _DIGITS.search(latex):
        return f"a number has more than {MAX_DIGITS} digits"
    if any(not match[1] or int(match[1]) > MAX_FACTORIAL for match in _FACTORIAL.finditer(latex)):
        return f"a factorial is above {MAX_FACTORIAL}"
    if _BINOMIAL.search(latex):
        return "a binomial coefficient is too large"
    if any(int(match[1] or match[2]) > MAX_EXPONENT for match in _EXPONENT.finditer(latex)):
        return f"an exponent is above {MAX_EXPONENT}"
    if _TOWER.search(latex) and not re.search(r"(?<!\\)(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])", latex):
        return "a tower of powers"
    return ""
