r"""Bring a mathematical answer, LaTeX or plain text, into one spelling of LaTeX.

Nothing is evaluated. What is not on the lists of `spelling` is refused, so that only known commands
and short names reach a parser.
"""

import re

from guerdon_plugins.correctness.maths.spelling import (
    ENVIRONMENTS,
    FUNCTIONS,
    KNOWN,
    RENAMED,
    SIGNS,
    SPACING,
    WRAPPERS,
)
from guerdon_plugins.parsing.fold import fold

MAX_LENGTH = 1000
"""Characters of an answer that is read; a longer one is refused."""

MAX_DEPTH = 40
"""Brackets within brackets; a deeper answer is refused."""

_SUPERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n")
_SPACING = re.compile(rf"\\(?:[,;:! ]|(?:{'|'.join(SPACING)})(?![A-Za-z]))|~")
_DELIMITERS = re.compile(r"\\[()\[\]]|(?<!\\)\$+")
_COMMAND = re.compile(r"\\([A-Za-z]+)[ ]?")
_WRAPPED = re.compile(rf"\\(?:{'|'.join(WRAPPERS)})\s?\{{([^{{}}]*)\}}")
_DEGREES = re.compile(r"\^\{?\s?(?:\\circ|\\degree)\s?\}?|\\degree")
_PLAIN_FUNCTION = re.compile(rf"(?<![A-Za-z\\])({'|'.join(FUNCTIONS)})(?![A-Za-z])")
_PLAIN_INFINITY = re.compile(r"(?<![A-Za-z\\])(?:infinity|inf|oo)(?![A-Za-z])", re.IGNORECASE)
_OPERATORS = (("**", "^"), ("*", r"\cdot "), ("<=", r"\le "), (">=", r"\ge "), ("!=", r"\ne "))
_MIXED = re.compile(r"(?<![0-9.}])([0-9]{1,12}) +([0-9]{1,12})/([0-9]{1,12})(?![0-9.])")
_REPEATING = re.compile(r"(?<![0-9.])([0-9]{0,12})\.([0-9]{0,12}) ?\\overline ?\{([0-9]{1,12})\}")
_GROUPED = re.compile(r"[-+]?[1-9][0-9]{0,2}(?: [0-9]{3})+(?:\.[0-9]+)?")
_SIDE_BY_SIDE = re.compile(r"(?<![A-Za-z{_^])[0-9]+ +[0-9]+")
_WORD = re.compile(r"(?<![A-Za-z\\])[A-Za-z]{4,}")
_FORBIDDEN = re.compile(r"__|[`@?\"]|''''|(?<![\d.)}\]])!|\.[A-Za-z]|[^\x20-\x7e\n]")


class NoMathsError(ValueError):
    """The text is no mathematical expression that may be parsed."""


def clean(text: str) -> str:
    """Return the answer in one spelling, as short as it can be.

    Raises:
        NoMathsError: it is empty, too long, too deep, or holds something that is not on the lists.
    """
    if len(text) > MAX_LENGTH:
        raise NoMathsError(f"{len(text)} characters are no answer; at most {MAX_LENGTH} are read")
    latex = _spell(fold(text))
    _check(latex)
    return latex


def _spell(text: str) -> str:
    text = _supers("".join(SIGNS.get(char, char) for char in text))
    text = _DELIMITERS.sub(" ", text)
    text = _DEGREES.sub("", text.replace(r"\%", "%").replace(r"\$", "").replace("{,}", ""))
    text = _SPACING.sub(" ", text)
    for _ in range(4):
        text, count = _WRAPPED.subn(r" \1 ", text)
        if not count:
            break
    text = _COMMAND.sub(_renamed, text)
    text = _PLAIN_INFINITY.sub(r"\\infty ", _PLAIN_FUNCTION.sub(r"\\\1 ", text))
    for plain, latex in _OPERATORS:
        text = text.replace(plain, latex)
    text = _numbers(_arguments(text))
    return " ".join(text.split()).strip(" .,")


def _supers(text: str) -> str:
    return re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ]+", lambda match: "^{" + match[0].translate(_SUPERS) + "}", text)


def _renamed(match: re.Match[str]) -> str:
    name = RENAMED.get(match[1], match[1])
    return rf"\{name} " if name.isalpha() or name in "{}" else name


def _arguments(text: str) -> str:
    r"""Give ``\sqrt(3)``, ``\sqrt3`` and ``2^(n+1)`` the braces that LaTeX needs."""
    for opening in (r"\sqrt (", r"\sqrt(", "^("):
        while (start := text.find(opening)) >= 0:
            begin = start + len(opening)
            end = _closing(text, begin)
            if end is None:
                raise NoMathsError("a bracket is not closed")
            text = f"{text[: begin - 1].rstrip()}{{{text[begin:end]}}}{text[end + 1 :]}"
    text = re.sub(r"\\sqrt[ ]*([0-9]+|[A-Za-z])", r"\\sqrt{\1}", text)
    text = re.sub(r"\\frac[ ]?([0-9A-Za-z])[ ]?([0-9A-Za-z])", r"\\frac{\1}{\2}", text)
    text = re.sub(r"\\frac[ ]?([0-9A-Za-z])[ ]?\{", r"\\frac{\1}{", text)
    return re.sub(r"(\\frac[ ]?\{[^{}]*\})[ ]?([0-9A-Za-z])", r"\1{\2}", text)


def _numbers(text: str) -> str:
    r"""Write ``2 1/2`` as ``2\frac{1}{2}``, ``0.\overline{3}`` as a fraction and ``1 234`` as 1234.

    Raises:
        NoMathsError: two numbers stand side by side.
    """
    text = _MIXED.sub(r"\1\\frac{\2}{\3}", text)
    text = _REPEATING.sub(_repeating, text)
    if _GROUPED.fullmatch(text.strip()):
        return "".join(text.split())
    if side := _SIDE_BY_SIDE.search(text):
        raise NoMathsError(f"the numbers {side[0]!r} stand side by side")
    return text


def _repeating(match: re.Match[str]) -> str:
    whole, fixed, period = match[1] or "0", match[2], match[3]
    below = (10 ** len(period) - 1) * 10 ** len(fixed)
    above = int(whole + fixed + period) - int(whole + fixed)
    return rf"\frac{{{above}}}{{{below}}}"


def _closing(text: str, begin: int) -> int | None:
    depth = 1
    for position in range(begin, len(text)):
        depth += (text[position] == "(") - (text[position] == ")")
        if depth == 0:
            return position
    return None


def _check(latex: str) -> None:
    if not latex:
        raise NoMathsError("it is empty")
    depth = 0
    for char in latex:
        depth += (char in "({[") - (char in ")}]")
        if depth > MAX_DEPTH:
            raise NoMathsError(f"it is nested deeper than {MAX_DEPTH}")
    if match := _FORBIDDEN.search(latex):
        raise NoMathsError(f"it holds {match[0]!r}")
    for command in re.findall(r"\\([A-Za-z]+|.)", latex):
        if command not in KNOWN:
            raise NoMathsError(f"the command \\{command[:20]} is not known")
    for word in _WORD.findall(latex):
        if word not in ENVIRONMENTS:
            raise NoMathsError(f"the word {word[:20]!r} is no mathematics")
