"""Refuse what would take for ever to evaluate: towers of powers, factorials, huge numbers."""

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sympy import Basic

MAX_DIGITS = 200
"""Digits of a number as it is written."""
MAX_SIZE = 3000.0
"""Decimal digits that a number in the evaluation may have."""
MAX_FACTORIAL = 500
MAX_EXPANSION = 200
"""The largest power of a sum with symbols, which simplifying may expand."""
MAX_RANGE = 1000
"""Terms of a sum or product."""
MAX_NODES = 400

_DIGITS = re.compile(rf"\d{{{MAX_DIGITS + 1},}}")
_BINOMIAL = re.compile(r"\\binom[^\\]{0,40}?(?:\d{4}|[!^])")


class TooLargeError(ValueError):
    """The expression is not to be evaluated."""


def check_text(latex: str) -> None:
    """Refuse what the parser itself would evaluate.

    Raises:
        TooLargeError: a number is too long, or a binomial coefficient too large.
    """
    if _DIGITS.search(latex):
        raise TooLargeError(f"a number has more than {MAX_DIGITS} digits")
    if _BINOMIAL.search(latex):
        raise TooLargeError("a binomial coefficient is too large")


def check_tree(expression: "Basic") -> None:
    """Refuse an expression of which some part would be too large.

    Raises:
        TooLargeError: says what is too large.
    """
    size(expression, [0])


def size(expression: "Basic", seen: list[int]) -> float:
    """Return an upper bound for the decimal digits of a value; symbols count as one digit."""
    seen[0] += 1
    if seen[0] > MAX_NODES:
        raise TooLargeError(f"more than {MAX_NODES} terms")
    kind = type(expression).__name__
    if not expression.args:
        return _atom(expression)
    parts = [size(argument, seen) for argument in expression.args]
    return _checked(_combined(expression, kind, parts))


def _atom(expression: "Basic") -> float:
    numerator, denominator = getattr(expression, "p", None), getattr(expression, "q", None)
    if isinstance(numerator, int) and isinstance(denominator, int):
        return max(numerator.bit_length(), denominator.bit_length()) * math.log10(2)
    return 1.0


def _combined(expression: "Basic", kind: str, parts: list[float]) -> float:
    if kind == "Pow":
        return _power(expression, *parts)
    if kind in ("factorial", "factorial2", "subfactorial", "gamma", "loggamma"):
        argument = _value(expression.args[0], parts[0])
        if argument > MAX_FACTORIAL:
            raise TooLargeError(f"a factorial is above {MAX_FACTORIAL}")
        return argument * math.log10(argument + 2)
    if kind in ("exp", "sinh", "cosh", "tanh"):
        return _value(expression.args[0], parts[0]) * math.log10(math.e)
    if kind in ("Sum", "Product"):
        _check_range(expression, kind)
    if kind == "Mul":
        return sum(parts)
    return max(parts) + 1


def _check_range(expression: "Basic", kind: str) -> None:
    """Refuse a sum or product over more than `MAX_RANGE` numbers; a symbol may bound it."""
    for _, low, high in expression.limits:
        terms = (high - low).doit()
        if terms.is_number and not terms.is_infinite and abs(float(terms)) > MAX_RANGE:
            raise TooLargeError(f"a {kind.lower()} has more than {MAX_RANGE} terms")


def _power(expression: "Basic", base: float, exponent: float) -> float:
    power = _value(expression.args[1], exponent)
    terms = expression.args[0]
    if power > MAX_EXPANSION and type(terms).__name__ == "Add" and terms.free_symbols:
        raise TooLargeError(f"a sum is raised to a power above {MAX_EXPANSION}")
    return base * power


def _value(expression: "Basic", digits: float) -> float:
    """Return an upper bound for the size of a value of so many digits."""
    exact = not expression.args and getattr(expression, "is_Number", False) and digits < 300
    return abs(float(expression)) if exact else 10.0 ** min(digits, 300.0)


def _checked(digits: float) -> float:
    if digits > MAX_SIZE:
        raise TooLargeError(f"a number would have more than {MAX_SIZE:.0f} digits")
    return digits
