"""Equality of single expressions and relations, by math-verify.

Its own timeouts use signals, which fail outside the main thread (huggingface/Math-Verify#50), so
they are switched off: the worker's deadline ends what takes too long.
"""

import re
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from guerdon import PluginError
from guerdon_plugins.correctness.maths.bounds import TooLargeError, check_text, check_tree
from guerdon_plugins.parsing.numbers import quantities

if TYPE_CHECKING:
    from sympy import Basic

INSTALL = "references of type math need the package math-verify: pip install 'guerdon[math]'"
_DECIMALS = 6
"""A decimal with so many digits after the point may stand for the exact value that rounds to it."""
_EXACT = 1e-12
"""Relative difference that counts as the rounding of floating-point numbers."""
_DECIMAL = re.compile(r"[-+]?\d*\.(\d+)")


@lru_cache(maxsize=4096)
def parse(latex: str) -> "Basic | None":
    """Return the sympy expression of cleaned LaTeX; None where it is malformed.

    Raises:
        PluginError: math-verify is not installed.
        TooLargeError: it must not be evaluated.
    """
    latex2sympy, configuration, treat_as_complex, _ = load_library()
    check_text(latex)
    try:
        found = latex2sympy(
            latex,
            is_real=not treat_as_complex(latex),
            convert_degrees=False,
            normalization_config=None,
            conversion_config=configuration,
        )
    except Exception:  # noqa: BLE001  # the parser's own errors are plain Exceptions
        return None
    check_tree(found)
    return _with_imaginary_unit(found)


def _with_imaginary_unit(found: "Basic") -> "Basic":
    """Read ``i`` as the imaginary unit; the parser leaves it a symbol without further meaning."""
    from sympy import I

    units = [symbol for symbol in found.free_symbols if str(symbol) == "i"]
    return found.subs(dict.fromkeys(units, I)) if units else found


@lru_cache(maxsize=1)
def load_library() -> tuple[Any, Any, Any, Any]:
    """Import math-verify, once a process; it takes about two seconds."""
    try:
        from latex2sympy2_extended.latex2sympy2 import ConversionConfig, latex2sympy
        from math_verify.grader import should_treat_as_complex, sympy_expr_eq
    except ImportError as error:
        raise PluginError(f"{INSTALL} ({error})") from error
    return latex2sympy, ConversionConfig(lowercase_symbols=False), should_treat_as_complex, sympy_expr_eq


def warm_up() -> None:
    """Import math-verify and use it once, on what no shortcut answers; else the first sample of every worker pays."""
    for gold, found in ((r"\pi", r"\frac{22}{7}"), (r"\sin x", r"\sqrt{x}+1"), (r"\log_{10} 100", "x")):
        same(gold, found)


def squeeze(latex: str) -> str:
    """Return LaTeX without spaces that mean nothing."""
    return re.sub(
        r"\\([A-Za-z]+)\s(?=[^A-Za-z])|\s+(?![A-Za-z])|(?<![A-Za-z])\s+", lambda m: "\\" + m[1] if m[1] else "", latex
    )


@lru_cache(maxsize=4096)
def plain_number(latex: str) -> tuple[Fraction, bool] | None:
    """Return the value of a plain number and whether it is a percentage; None for anything else."""
    found = quantities(latex, words=False)
    if len(found) != 1 or found[0].value is None:
        return None
    rest = latex[: found[0].start] + latex[found[0].end :]
    return (found[0].value, found[0].percent) if rest.strip(" %") == "" else None


def same(gold: str, found: str) -> bool:
    """Tell whether two cleaned expressions or relations are equal."""
    if squeeze(gold) == squeeze(found):
        return True
    numbers = plain_number(gold), plain_number(found)
    if numbers[0] and numbers[1]:
        difference = abs(numbers[0][0] - numbers[1][0])
        return numbers[0][1] == numbers[1][1] and difference <= _rounding(gold, found)
    if ("%" in gold) != ("%" in found):
        return False
    try:
        left, right = parse(gold), parse(found)
    except TooLargeError:
        return False  # equal only if it is spelled alike
    return left is not None and right is not None and _verified(left, right, float(_rounding(gold, found)))


def _rounding(gold: str, found: str) -> Fraction:
    """Return by how much two values may differ, where one is a decimal that stands for the other."""
    decimals = [len(match[1]) for latex in (gold, found) if (match := _DECIMAL.fullmatch(latex.strip(" %")))]
    shortest = min(decimals, default=0)
    return Fraction(1, 2 * 10**shortest) if shortest >= _DECIMALS else Fraction(0)


def _verified(gold: "Basic", found: "Basic", rounding: float) -> bool:
    """Ask math-verify, and look again where numbers are compared: its own look is absolute, not relative."""
    *_, equal = load_library()
    try:
        return bool(equal(gold, found, _DECIMALS, 15)) and _same_size(gold, found, rounding)
    except Exception:  # noqa: BLE001  # what a model wrote may break sympy in any way: that is no equality
        return False


def _same_size(gold: "Basic", found: "Basic", rounding: float) -> bool:
    """Compare constants to 30 digits, relative to the gold; anything else passes."""
    from sympy import Expr

    if not (isinstance(gold, Expr) and isinstance(found, Expr)) or gold.free_symbols or found.free_symbols:
        return True
    left, right = gold.doit(), found.doit()
    wanted, difference = left.evalf(30), (left - right).evalf(30)
    if not (wanted.is_number and difference.is_number):
        return True
    return bool(abs(difference) <= max(rounding, _EXACT * abs(wanted)))
