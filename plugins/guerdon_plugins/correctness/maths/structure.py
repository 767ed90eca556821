r"""The structure of an answer: sets, tuples, intervals, lists, unions, matrices, relations."""

import re
from dataclasses import dataclass
from typing import Literal

type Form = Literal["value", "set", "bracketed", "list", "sequence", "union", "matrix", "relation"]
_PAIRS = {
    "(": ")",
    "[": "]",
    r"\{": r"\}",
    "{": "}",
    r"\langle": r"\rangle",
    r"\lfloor": r"\rfloor",
    r"\lceil": r"\rceil",
}
_CLOSING = frozenset(_PAIRS.values())
_TOKEN = re.compile(r"\\begin\s*\{[A-Za-z]+\}|\\end\s*\{[A-Za-z]+\}|\\[A-Za-z]+|\\.|.", re.DOTALL)
_MATRIX = re.compile(
    r"\\begin\s*\{([pb]?matrix|Bmatrix|smallmatrix|array)\}(?:\s*\{[clr|]*\})?(.*)\\end\s*\{\1\}", re.DOTALL
)
_BRACKETED_MATRIX = re.compile(r"[\[(]\s*(\\begin.*\\end\s*\{[A-Za-z]+\})\s*[\])]", re.DOTALL)
_BUILDER = re.compile(r"\\\{\s*[A-Za-z]\s*(?:\\in(?![A-Za-z])[^|:]{1,20})?[|:](?P<condition>.*)\\\}", re.DOTALL)
_JOINS = re.compile(r"(?<![A-Za-z\\])(?:and|or)(?![A-Za-z])")
_RELATIONS = ("=", "<", ">", r"\le", r"\ge", r"\ne", r"\approx")
_MEMBER = re.compile(r"[A-Za-z]\s*\\in(?![A-Za-z])\s*(?=[(\[\\])")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer taken apart at its outermost level."""

    form: Form
    latex: str
    parts: tuple["Answer", ...] = ()
    """Members of a set, tuple, list or union; entries of a matrix row by row; sides of a relation."""
    marks: tuple[str, ...] = ()
    """Brackets of a bracketed answer; signs of a relation; a matrix's numbers of rows and columns."""


def read(latex: str) -> Answer:  # noqa: PLR0911  # one return for each form of answer
    """Take an answer apart."""
    latex = _without_member(latex.strip()).lstrip("+ ")
    if bracketed := _BRACKETED_MATRIX.fullmatch(latex):
        latex = bracketed[1]
    if condition := _builder(latex):
        return read(condition)
    if (matrix := _MATRIX.fullmatch(latex)) and matrix[2].count(r"\begin") == 0:
        return _matrix(latex, matrix[2])
    if len(pieces := split(latex, (r"\cup",))) > 1:
        return Answer("union", latex, tuple(map(read, pieces)))
    if len(pieces := _members(latex)) > 1:
        form: Form = "sequence" if any(piece.strip() == r"\ldots" for piece in pieces) else "list"
        return Answer(form, latex, tuple(map(read, pieces)))
    if enclosed := _enclosed(latex):
        return enclosed
    pieces, signs = split_at(latex, _RELATIONS)
    if len(pieces) > 1:
        return Answer("relation", latex, tuple(map(read, pieces)), signs)
    return Answer("value", latex)


def _builder(latex: str) -> str | None:
    r"""Return the condition of ``\{x \mid x > 2\}``."""
    match = _BUILDER.fullmatch(latex)
    return match["condition"].strip() if match else None


def _without_member(latex: str) -> str:
    r"""Return the set of ``x \in (0, 2)``."""
    match = _MEMBER.match(latex)
    return latex[match.end() :] if match else latex


def split(latex: str, separators: tuple[str, ...]) -> list[str]:
    """Split outside all brackets."""
    return split_at(latex, separators)[0]


def split_at(latex: str, separators: tuple[str, ...]) -> tuple[list[str], tuple[str, ...]]:
    """Split outside all brackets; return the pieces and the separators between them."""
    pieces, found = [""], []
    depth = 0
    for token in _TOKEN.findall(latex):
        opens = token in _PAIRS or token.startswith(r"\begin")
        closes = token in _CLOSING or token.startswith(r"\end")
        if depth == 0 and token in separators:
            found.append(token)
            pieces.append("")
            continue
        depth = max(0, depth + opens - closes)
        pieces[-1] += token
    return [piece.strip() for piece in pieces], tuple(found)


def _members(latex: str) -> list[str]:
    latex = _JOINS.sub(",", latex)
    if re.fullmatch(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", latex):
        return [latex]
    if re.match(r"[\[\](]", latex) and _is_interval(latex):
        return [latex]
    return [piece for piece in split(latex, (",", ";")) if piece] or [latex]


def _is_interval(latex: str) -> bool:
    r"""Tell whether unbalanced brackets enclose two ends: ``(0, 2]`` or ``]0, 2]``."""
    return latex[-1:] in ("[", "]", ")") and len(split(latex[1:-1], (",", ";"))) == 2 and _balanced(latex[1:-1])


def _balanced(latex: str) -> bool:
    stack: list[str] = []
    for token in _TOKEN.findall(latex):
        if token in _PAIRS:
            stack.append(_PAIRS[token])
        elif token in _CLOSING and (not stack or stack.pop() != token):
            return False
    return not stack


def _enclosed(latex: str) -> Answer | None:
    for opening, closing in ((r"\{", r"\}"), (r"\langle", r"\rangle")):
        if latex.startswith(opening) and latex.endswith(closing):
            inner = latex[len(opening) : -len(closing)]
            if not _balanced(inner):
                return None
            form: Form = "set" if opening == r"\{" else "bracketed"
            members = tuple(read(piece) for piece in split(inner, (",", ";")) if piece)
            return Answer(form, latex, members, ("(", ")") if form == "bracketed" else ())
    if latex[:1] not in ("(", "[", "]") or latex[-1:] not in (")", "]", "["):
        return None
    pieces = split(latex[1:-1], (",", ";"))
    if len(pieces) < 2 or not _balanced(latex[1:-1]):
        return None
    left, right = {"]": "("}.get(latex[0], latex[0]), {"[": ")"}.get(latex[-1], latex[-1])
    return Answer("bracketed", latex, tuple(map(read, pieces)), (left, right))


def _matrix(latex: str, body: str) -> Answer:
    rows = [[cell.strip() for cell in row.split("&")] for row in re.split(r"\\\\", body) if row.strip()]
    width = len(rows[0]) if rows else 0
    if not rows or any(len(row) != width for row in rows):
        return Answer("value", latex)
    cells = tuple(Answer("value", cell) for row in rows for cell in row)
    return Answer("matrix", latex, cells, (str(len(rows)), str(width)))
