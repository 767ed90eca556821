"""pydantic's errors as lines that name the field as the YAML file spells it."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

WANTS_MAPPING = frozenset({"model_type", "model_attributes_type", "dict_type"})
WANTS_SCALAR = frozenset({"float_type", "literal_error"})


def describe(error: ValidationError, data: Mapping[str, Any]) -> list[str]:
    """Return a line for each wrong field: full path, what is wrong, what was found.

    Where a field may have several forms (`weight: 1` or a schedule), pydantic reports on each; what
    concerns a form that was plainly not meant is left out.

    Args:
        error: what validating `data` raised.
        data: the configuration.
    """
    found = [(_path(problem, data), problem) for problem in error.errors(include_url=False)]
    meant = [path for path, problem in found if not _other_form(problem)]
    return [
        _line(path, problem)
        for path, problem in found
        if not (_other_form(problem) and any(other == path or other.startswith(f"{path}.") for other in meant))
    ]


def _other_form(problem: ErrorDetails) -> bool:
    """Return whether the value has not even the kind that this form asks for."""
    return problem["type"] in (WANTS_SCALAR if isinstance(problem["input"], Mapping) else WANTS_MAPPING)


def _path(problem: ErrorDetails, data: Any) -> str:
    """Return the keys that lead to the field; pydantic also names the alternatives of a union, which no file has."""
    parts: list[str] = []
    for position, part in enumerate(problem["loc"], 1):
        if _leads_on(data, part):
            data = data[part]
        elif problem["type"] != "missing" or position < len(problem["loc"]):
            continue
        parts.append(str(part))
    return ".".join(parts)


def _leads_on(data: Any, part: int | str) -> bool:
    if isinstance(data, Mapping):
        return part in data
    return isinstance(part, int) and isinstance(data, Sequence) and part < len(data)


def _line(path: str, problem: ErrorDetails) -> str:
    message = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "extra_forbidden":
        message = "no such field; `guerdon config schema` lists them"
    if not path:
        return f"  {message}"
    return f"  {path}: {message}{_found(problem)}"


def _found(problem: ErrorDetails) -> str:
    """Return the value, unless there is none, or it is a section about which a rule of ours has told already."""
    value = problem["input"]
    told = problem["type"] == "value_error" and isinstance(value, Mapping)
    return "" if told or problem["type"] in ("missing", "extra_forbidden") else f" (found {value!r:.200})"
