"""A number where it stands in a text."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and its place; what stands after `end` may be its unit."""

    value: Fraction | None
    """Exact. None where it is no plain number: malformed groups, part of a formula, a bound ("at
    least 5"), or more than 400 digits."""

    start: int
    """Position of the sign or first digit in the text that was searched."""

    end: int
    """Position after the last digit, power or magnitude word."""

    digits: str
    """The digits as written, without signs and groups; empty for words."""

    percent: bool = False
    """A percent sign or word belongs to it; `value` is then what stands before that sign."""

    written: bool = False
    """Given in words, not digits."""
