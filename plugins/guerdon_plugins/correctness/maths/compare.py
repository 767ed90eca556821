"""Equality of structured answers."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from guerdon_plugins.correctness.maths.equality import same
from guerdon_plugins.correctness.maths.structure import Answer, read, split_at

type MathKind = Literal["interval", "set", "tuple"]
_NAME = re.compile(
    r"(?:[A-Za-z]{1,3}|\\(?:alpha|beta|gamma|delta|epsilon|theta|lambda|mu|rho|sigma|phi|psi|omega|tau|ell|Delta|Gamma|Omega|Phi))"
    r"(?:_(?:[A-Za-z0-9]|\{[A-Za-z0-9]{1,8}\}))?'{0,2}(?:\([A-Za-z0-9,]{1,12}\))?"
)
MAX_MEMBERS = 50
"""Members of a set or list that are matched in any order; larger ones are compared in order."""


def equal(gold: Answer, found: Answer, kind: MathKind | None = None) -> bool:
    """Tell whether an answer equals the gold one.

    Sets and unbracketed lists have no order; tuples, intervals, matrices and sequences do.
    """
    gold, found = _spread(gold), _spread(found)
    if kind == "set":
        return _unordered(_members(gold), _members(found))
    if kind == "tuple" and gold.form == "list":
        gold = replace(gold, form="bracketed", marks=("(", ")"))
    if "relation" in (gold.form, found.form):
        return _relations(gold, found)
    return _COMPARE[gold.form](gold, found)


def _values(gold: Answer, found: Answer) -> bool:
    if found.form in ("set", "list") and len(_members(found)) == 1:
        found = _members(found)[0]
    return found.form in ("value", "matrix") and same(gold.latex, found.latex)


def _sets(gold: Answer, found: Answer) -> bool:
    return found.form in ("set", "list", "value") and _unordered(gold.parts, _members(found))


def _lists(gold: Answer, found: Answer) -> bool:
    gold, found = _unnumbered(gold), _unnumbered(found)
    if found.form in ("set", "list") and not _names(gold):
        return _unordered(gold.parts, _members(found))
    if found.form == "list" and _names(found):
        return _unordered(gold.parts, found.parts)
    return found.form in ("list", "bracketed") and _ordered(gold.parts, found.parts)


def _bracketed(gold: Answer, found: Answer) -> bool:
    if found.form == "list" and gold.marks == ("(", ")"):
        return _ordered(gold.parts, found.parts)
    return found.form == "bracketed" and gold.marks == found.marks and _ordered(gold.parts, found.parts)


def _sequences(gold: Answer, found: Answer) -> bool:
    return found.form == "sequence" and _ordered(gold.parts, found.parts)


def _unions(gold: Answer, found: Answer) -> bool:
    return found.form == "union" and _unordered(gold.parts, found.parts)


def _matrices(gold: Answer, found: Answer) -> bool:
    return found.form == "matrix" and gold.marks == found.marks and _ordered(gold.parts, found.parts)


_COMPARE: dict[str, Callable[[Answer, Answer], bool]] = {
    "value": _values,
    "set": _sets,
    "list": _lists,
    "bracketed": _bracketed,
    "sequence": _sequences,
    "union": _unions,
    "matrix": _matrices,
}


def _relations(gold: Answer, found: Answer) -> bool:
    """Compare where at least one side is a relation: ``x = 5`` with 5, ``0 < x < 2`` with ``(0, 2)``."""
    if gold.form == found.form:
        return _bounds(gold, found) or same(gold.latex, found.latex)
    if found.form == "relation":
        interval = _interval(found)
        if gold.form in ("bracketed", "union"):
            return equal(gold, interval) if interval else _is_assignment(found) and equal(gold, found.parts[-1])
        return _is_chain(found) and equal(gold, found.parts[_last_exact(found)])
    interval = _interval(gold)
    if interval is not None and found.form == "bracketed":
        return equal(interval, found)
    return _is_assignment(gold) and equal(gold.parts[-1], found)


def _bounds(gold: Answer, found: Answer) -> bool:
    left, right = _interval(gold), _interval(found)
    return left is not None and right is not None and _variable(gold) == _variable(found) and equal(left, right)


def _is_chain(relation: Answer) -> bool:
    return all(mark in ("=", r"\approx") for mark in relation.marks)


def _is_assignment(relation: Answer) -> bool:
    """Tell whether a relation gives a variable, or a tuple of variables, its value."""
    first = relation.parts[0]
    names = [part.latex for part in first.parts] if first.form == "bracketed" else [first.latex]
    return set(relation.marks) == {"="} and all(map(_is_name, names))


def _is_name(latex: str) -> bool:
    """Tell whether a side of a relation is a variable or a function of one: ``x_1``, ``AB``, ``y(t)``."""
    return _NAME.fullmatch(latex.replace(" ", "")) is not None


def _last_exact(chain: Answer) -> int:
    """Return the index of the last side before an approximation."""
    approximations = [index for index, mark in enumerate(chain.marks) if mark == r"\approx"]
    if not approximations or (approximations[0] == 0 and _is_name(chain.parts[0].latex)):
        return len(chain.parts) - 1
    return approximations[0]


def _variable(relation: Answer) -> str:
    return next((part.latex for part in relation.parts if _is_name(part.latex)), "")


def _interval(relation: Answer) -> Answer | None:
    r"""Return the interval of ``a < x \le b`` or ``x > a``; None for other relations."""
    if not set(relation.marks) <= {"<", ">", r"\le", r"\ge"}:
        return None
    parts = [part.latex for part in relation.parts]
    marks = list(relation.marks)
    if all(mark in (">", r"\ge") for mark in marks):
        parts, marks = parts[::-1], [{">": "<", r"\ge": r"\le"}[mark] for mark in marks[::-1]]
    if not all(mark in ("<", r"\le") for mark in marks):
        return None
    if len(parts) == 2 and _is_name(parts[0]):
        parts, marks = [r"-\infty", *parts], ["<", *marks]
    elif len(parts) == 2 and _is_name(parts[1]):
        parts, marks = [*parts, r"\infty"], [*marks, "<"]
    if len(parts) != 3 or not _is_name(parts[1]):
        return None
    left, right = "(" if marks[0] == "<" else "[", ")" if marks[1] == "<" else "]"
    return Answer("bracketed", relation.latex, (read(parts[0]), read(parts[2])), (left, right))


def _spread(answer: Answer) -> Answer:
    r"""Return ``a \pm b`` as the list of both values."""
    if answer.form != "value" and not (answer.form == "relation" and _is_assignment(answer)):
        return answer
    pieces, marks = split_at(answer.latex, (r"\pm", r"\mp"))
    if len(marks) != 1:
        return answer
    return Answer("list", answer.latex, tuple(read(f"{pieces[0]} {sign} {pieces[1]}".strip(" +")) for sign in "+-"))


def _members(answer: Answer) -> tuple[Answer, ...]:
    return answer.parts if answer.form in ("set", "list") else (answer,)


def _names(answer: Answer) -> bool:
    """Tell whether a list gives values to several variables: ``x = 1, y = 2``."""
    names = [part.parts[0].latex for part in answer.parts if part.form == "relation" and _is_assignment(part)]
    bases = {name.partition("_")[0] for name in names}
    return len(names) == len(answer.parts) and len(bases) > 1


def _unnumbered(answer: Answer) -> Answer:
    """Return the values of a list that only numbers them: ``x_1 = 3, x_2 = 5``."""
    if len(answer.parts) < 2 or not all(part.form == "relation" and _is_assignment(part) for part in answer.parts):
        return answer
    bases = {part.parts[0].latex.partition("_") for part in answer.parts}
    if len({base for base, _, _ in bases}) > 1 or not all(index for _, _, index in bases):
        return answer
    return replace(answer, parts=tuple(part.parts[-1] for part in answer.parts))


def _ordered(gold: Sequence[Answer], found: Sequence[Answer]) -> bool:
    return len(gold) == len(found) and all(equal(left, right) for left, right in zip(gold, found, strict=True))


def _unordered(gold: Sequence[Answer], found: Sequence[Answer]) -> bool:
    """Match members one to one, whatever their order; doubled members count once."""
    wanted, given = _distinct(gold), _distinct(found)
    if len(wanted) != len(given):
        return False
    if len(wanted) > MAX_MEMBERS:
        return _ordered(wanted, given)
    for member in wanted:
        match = next((index for index, other in enumerate(given) if equal(member, other)), None)
        if match is None:
            return False
        del given[match]
    return True


def _distinct(members: Sequence[Answer]) -> list[Answer]:
    seen: dict[str, Answer] = {}
    for member in members:
        for spread in _members(_spread(member)):
            seen.setdefault(spread.latex.replace(" ", ""), spread)
    return list(seen.values())
