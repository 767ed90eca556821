"""Evaluations compared on the prompts that they share."""

from guerdon.comparison.compare import Comparison, Contrast, Row, compare
from guerdon.comparison.sides import Side, parse_side
from guerdon.comparison.verdict import conclusion

__all__ = ["Comparison", "Contrast", "Row", "Side", "compare", "conclusion", "parse_side"]
