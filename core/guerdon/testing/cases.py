"""What a reward is checked on: samples with a right completion, and perhaps wrong ones."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from guerdon.errors import DataError
from guerdon.manifest import parse_line, prompt_of
from guerdon.sample import Sample


@dataclass(frozen=True, slots=True)
class Case:
    """A sample to check a reward on."""

    sample: Sample
    """Its completion is right; an empty one is built from the reference where that can be done."""

    wrong: tuple[str, ...] = ()
    """Completions that must not be paid like the right one."""

    order: tuple[str, ...] = ()
    """Completions from the worst to the best: values must not fall along them."""

    earns: Mapping[str, float] = field(default_factory=dict)
    """Completions with the value that each must earn."""

    @classmethod
    def of(cls, item: "Sample | Case") -> Self:
        """Return a case as it is, and a sample as a case."""
        return cls(item) if isinstance(item, Sample) else cls(item.sample, item.wrong, item.order, item.earns)


def read_cases(path: str | Path) -> list[Case]:
    """Read cases from JSON lines.

    A line is a manifest's line (``id``, ``messages``, ``reference``, ``metadata``) with perhaps
    ``completion`` (a right one), ``wrong`` (a list), ``order`` (a list, from the worst to the best) and
    ``earns`` (completions with the value of each).

    Raises:
        DataError: names file, line and field.
    """
    file = Path(path)
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}") from error
    cases = [_case(line, file, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not cases:
        raise DataError(f"{path} holds no samples")
    return cases


def _case(line: str, file: Path, where: str) -> Case:
    row = parse_line(line, where)
    extra = {
        key: row.pop(key) for key in ("completion", "wrong", "order", "earns") if isinstance(row, dict) and key in row
    }
    prompt = prompt_of(row, file, where)
    completion = extra.get("completion", "")
    if not isinstance(completion, str):
        raise DataError(f"{where}: completion must be text; found {completion!r:.100}")
    sample = Sample(
        f"{prompt.id}/0",
        completion,
        prompt.messages,
        prompt.reference,
        images=prompt.images,
        metadata=prompt.metadata,
        group_id=prompt.id,
    )
    return Case(sample, _texts(extra, "wrong", where), _texts(extra, "order", where), _values(extra, where))


def _values(row: Mapping[str, Any], where: str) -> dict[str, float]:
    value = row.get("earns", {})
    if not isinstance(value, dict) or not all(type(number) in (int, float) for number in value.values()):
        raise DataError(f"{where}: earns must map completions to numbers; found {value!r:.100}")
    return {text: float(number) for text, number in value.items()}


def _texts(row: Mapping[str, Any], field: str, where: str) -> tuple[str, ...]:
    value = row.get(field, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise DataError(f"{where}: {field} must be a list of texts; found {value!r:.100}")
    return tuple(value)


def with_completion(sample: Sample, completion: str) -> Sample:
    """Return the sample with another completion; nobody has its tokens, so their number is an estimate."""
    count = len(completion) // 4 + 1
    return dataclasses.replace(sample, completion=completion, completion_tokens=(), token_count=count, truncated=False)
