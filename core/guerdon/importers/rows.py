"""What every format comes down to."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from guerdon.errors import DataError
from guerdon.sample import Message


@dataclass(frozen=True, slots=True)
class Row:
    """One completion with the scores that the trainer recorded."""

    prompt: Sequence[Message]
    completion: str
    values: Mapping[str, float | None]
    """By component; None where the trainer recorded nothing."""

    reference: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    truncated: bool = False
    advantage: float | None = None
    """As the trainer recorded it."""


@dataclass(frozen=True, slots=True)
class Step:
    """All rows of one step."""

    step: int
    rows: Sequence[Row]


def messages(prompt: Any) -> Sequence[Message]:
    """Return a prompt as messages: a text is what a user says."""
    if isinstance(prompt, str):
        return [{"role": "user", "content": prompt}]
    return [dict(message) for message in prompt or ()]


def text_of(completion: Any) -> str:
    """Return a completion as text: the contents of its messages, one after another."""
    if completion is None or isinstance(completion, str):
        return completion or ""
    return "\n".join(text_of(_content(message)) for message in completion)


def _content(message: Any) -> Any:
    if not isinstance(message, Mapping):
        return str(message)
    return message["content"] if "content" in message else message.get("text")


def number(value: Any) -> float | None:
    """Return a number, True as 1; None for what is none."""
    if isinstance(value, bool | int | float) and not (isinstance(value, float) and math.isnan(value)):
        return float(value)
    return None


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read objects, one a line.

    Raises:
        DataError: a line is no JSON object.
    """
    with path.open(encoding="utf-8") as file:
        for place, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise DataError(f"{path}:{place} is no JSON: {error}") from error
            if not isinstance(row, dict):
                raise DataError(f"{path}:{place} is no JSON object")
            yield row


def asked(row: Mapping[str, Any], key: str, place: str) -> Any:
    """Return a field that every row of a format has.

    Raises:
        DataError: it has not.
    """
    if key not in row:
        raise DataError(f"{place} has no {key!r}, only {', '.join(sorted(map(str, row)))}; is it of this format?")
    return row[key]
