"""The closed predicates of the cases: a path into the result, an operator, a value."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

type Json = Any
type Assert = Mapping[str, Json]

TOLERANCE = 1e-6
_STEP = re.compile(r"\[(\d+|\*)\]|([^.\[\]]+)")


class _Missing:
    """What a path leads to where nothing stands."""

    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()


def resolve(view: Json, path: str) -> list[Json]:
    """Return what a path leads to; several values where it has a star."""
    found = [view]
    for index, key in _STEP.findall(path):
        found = [child for value in found for child in _children(value, index or key)]
    return found


def _children(value: Json, step: str) -> list[Json]:
    if step == "*" and value is MISSING:
        return [MISSING]
    if step == "*":
        return list(value.values()) if isinstance(value, Mapping) else list(value or ())
    if isinstance(value, Mapping):
        return [value.get(step, MISSING)]
    if isinstance(value, Sequence) and not isinstance(value, str) and step.isdigit() and int(step) < len(value):
        return [value[int(step)]]
    return [MISSING]


def _close(found: Json, wanted: Json, tolerance: float) -> bool:
    return _ordered(found, wanted) and abs(found - wanted) <= tolerance


def _ordered(*values: Json) -> bool:
    return all(isinstance(value, int | float) for value in values)


def _contains(found: Json, wanted: Json) -> bool:
    if isinstance(found, str):
        return str(wanted).lower() in found.lower()
    return isinstance(found, Sequence | Mapping) and wanted in found


_SINGLE: dict[str, Callable[[Json, Json, float], bool]] = {
    "eq": lambda found, wanted, _: found is not None and found == wanted,
    "ne": lambda found, wanted, _: found != wanted,
    "lt": lambda found, wanted, _: _ordered(found, wanted) and found < wanted,
    "le": lambda found, wanted, _: _ordered(found, wanted) and found <= wanted,
    "gt": lambda found, wanted, _: _ordered(found, wanted) and found > wanted,
    "ge": lambda found, wanted, _: _ordered(found, wanted) and found >= wanted,
    "in": lambda found, wanted, _: found in wanted,
    "close": _close,
    "is_null": lambda found, *_: found is None,
    "not_null": lambda found, *_: found is not None,
    "len_eq": lambda found, wanted, _: isinstance(found, Sequence | Mapping) and len(found) == wanted,
    "contains": lambda found, wanted, _: _contains(found, wanted),
}
_PATHS: dict[str, Callable[[Json, Json], bool]] = {
    "eq_path": lambda found, other: found == other,
    "lt_path": lambda found, other: _ordered(found, other) and found < other,
    "le_path": lambda found, other: _ordered(found, other) and found <= other,
}
_ALL: dict[str, Callable[[Json, Json], bool]] = {
    "all_eq": lambda found, wanted: found is not None and found == wanted,
    "all_in": lambda found, wanted: found in wanted,
    "all_le": lambda found, wanted: found is None or (_ordered(found, wanted) and found <= wanted),
}


def fault(view: Json, assertion: Assert) -> str:
    """Say how an assertion fails; an empty text if it holds.

    Raises:
        KeyError: the operator is not one of the closed list.
    """
    path, operator, wanted = assertion["path"], assertion["op"], assertion.get("value")
    found = resolve(view, path)
    missing = any(value is MISSING for value in found)
    if operator in _ALL:
        holds = bool(found) and not missing and all(_ALL[operator](value, wanted) for value in found)
    elif operator in _PATHS:
        others = resolve(view, wanted)
        missing = missing or any(value is MISSING for value in others)
        holds = len(found) == len(others) > 0 and not missing and all(map(_PATHS[operator], found, others))
    else:
        tolerance = assertion.get("tol", TOLERANCE)
        holds = not missing and bool(found) and all(_SINGLE[operator](value, wanted, tolerance) for value in found)
    shown = found[0] if len(found) == 1 else found
    return "" if holds else f"{path} is {shown!r:.200}, wanted {operator} {wanted!r:.100}"
