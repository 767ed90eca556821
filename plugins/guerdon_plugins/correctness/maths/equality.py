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
"""Decimals by which a decimal answer must agree with an exact one, as math-verify has it."""
_CLOSE = Fraction(1, 10**5)
"""Relative difference that such an answer may have besides, so that tiny values stay apart."""
_EXACT = Fraction(1, 10**15)


@lru_cache(maxsize=4096)
def parse(latex: str) -> "Basic | None":
    """Return the sympy expression of cleaned LaTeX; None where it is malformed.

    Raises:
        PluginError: math-verify is not installed.
        TooLargeError: it must not be evaluated.
    """
    latex2sympy, treat_as_complex, _ = load_library()
    check_text(latex)
    try:
        found = latex2sympy(
            latex, is_real=not treat_as_complex(latex), convert_degrees=False, normalization_config=None
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
def load_library() -> tuple[Any, Any, Any]:
    """Import math-verify, once a process; it takes about two seconds."""
    try:
        from latex2sympy2_extended.latex2sympy2 import latex2sympy
        from math_verify.grader import should_treat_as_complex, sympy_expr_eq
    except ImportError as error:
        raise PluginError(f"{INSTALL} ({error})") from error
    return latex2sympy, should_treat_as_complex, sympy_expr_eq


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
        return numbers[0][1] == numbers[1][1] and _close(numbers[0][0], numbers[1][0], rounded="." in gold + found)
    if ("%" in gold) != ("%" in found):
        return False
    try:
        left, right = parse(gold), parse(found)
    except TooLargeError:
        return False  # equal only if it is spelled alike
    return left is not None and right is not None and _verified(left, right)


def _close(gold: Fraction, found: Fraction, *, rounded: bool) -> bool:
    difference = abs(gold - found)
    if not rounded:
        return difference == 0
    return difference * 10**_DECIMALS < 1 and difference <= _CLOSE * abs(gold)


def _verified(gold: "Basic", found: "Basic") -> bool:
    """Ask math-verify, and look again where numbers are compared: its own look is absolute, not relative."""
    *_, equal = load_library()
    try:
        if not equal(gold, found, _DECIMALS, 15):
            return False
        return _same_size(gold, found)
    except Exception:  # noqa: BLE001  # what a model wrote may break sympy in any way: that is no equality
        return False


def _same_size(gold: "Basic", found: "Basic") -> bool:
    """Compare constants to 30 digits, relative to the gold; anything else passes."""
    from sympy import Expr, Float

    if not (isinstance(gold, Expr) and isinstance(found, Expr)) or gold.free_symbols or found.free_symbols:
        return True
    wanted, difference = gold.evalf(30), (gold - found).evalf(30)
    rounded = gold.has(Float) or found.has(Float)
    return bool(abs(difference) <= (float(_CLOSE) if rounded else float(_EXACT)) * abs(wanted))
