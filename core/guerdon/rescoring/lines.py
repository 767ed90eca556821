"""Files of completions: a manifest's line, with what was written for it.

A line is a manifest's line (``id``, ``messages``, ``reference``, ``metadata``) with ``completion``
or ``completions``. A completion is a text, or an object ``{"text": ..., "token_ids": [...],
"token_count": n, "truncated": bool}`` of which only the text must be there. Lines that follow each
other with one id are one group.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from guerdon.errors import DataError
from guerdon.manifest import Prompt, parse_line, prompt_of
from guerdon.sample import Group, Sample

_FIELDS = frozenset({"text", "token_ids", "token_count", "truncated"})


@dataclass(slots=True)
class _Open:
    """A group that may go on in the next line."""

    prompt: Prompt
    samples: list[Sample] = field(default_factory=list)

    def add(self, completion: Mapping[str, Any]) -> None:
        prompt, index = self.prompt, len(self.samples)
        self.samples.append(
            Sample(
                f"{prompt.id}/{index}",
                completion["text"],
                prompt.messages,
                prompt.reference,
                completion_tokens=completion.get("token_ids") or (),
                token_count=completion.get("token_count"),
                truncated=completion.get("truncated") or False,
                images=prompt.images,
                metadata=prompt.metadata,
                group_id=prompt.id,
                index=index,
            )
        )


def read_groups(path: Path) -> Iterator[Group]:
    """Read groups, one at a time.

    Raises:
        DataError: names line and field: what `read_manifest` refuses, no completion, or an id that
            comes again after others.
    """
    seen: set[str] = set()
    group: _Open | None = None
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                where = f"{path}:{number}"
                prompt, completions = _parse(line, path, where)
                if group is not None and group.prompt.id != prompt.id:
                    yield Group(group.prompt.id, group.samples)
                    group = None
                if group is None:
                    group = _Open(_new(prompt, seen, where))
                elif (group.prompt.messages, group.prompt.reference) != (prompt.messages, prompt.reference):
                    raise DataError(f"{where}: id {prompt.id!r} has another prompt or reference than the line before")
                for completion in completions:
                    group.add(completion)
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}") from error
    if group is None:
        raise DataError(f"{path} holds no completions")
    yield Group(group.prompt.id, group.samples)


def _new(prompt: Prompt, seen: set[str], where: str) -> Prompt:
    if prompt.id in seen:
        raise DataError(
            f"{where}: the id {prompt.id!r} stands again after others; completions of one prompt follow each other, so "
            "sort the file by id"
        )
    seen.add(prompt.id)
    return prompt


def _parse(line: str, path: Path, where: str) -> tuple[Prompt, list[Mapping[str, Any]]]:
    row = parse_line(line, where)
    found = [name for name in ("completion", "completions") if isinstance(row, dict) and name in row]
    if len(found) != 1:
        raise DataError(
            f"{where}: a line needs `completion` or `completions` beside a manifest's fields; found {found}"
        )
    given = row.pop(found[0])
    listed = given if found == ["completions"] else [given]
    if not isinstance(listed, list) or not listed:
        raise DataError(f"{where}: completions must be a list with at least one; found {given!r:.100}")
    return prompt_of(row, path, where), [_completion(item, where) for item in listed]


def _completion(item: object, where: str) -> Mapping[str, Any]:
    if isinstance(item, str):
        return {"text": item}
    if not isinstance(item, dict) or not isinstance(item.get("text"), str) or item.keys() - _FIELDS:
        raise DataError(
            f"{where}: a completion is a text, or an object with text and perhaps token_ids, token_count, truncated; "
            f"found {item!r:.100}"
        )
    _check(item.get("token_count"), int, "token_count", "an integer", where)
    _check(item.get("truncated"), bool, "truncated", "true or false", where)
    ids = item.get("token_ids")
    if ids is not None and not (isinstance(ids, list) and all(type(token) is int for token in ids)):
        raise DataError(f"{where}: token_ids must be a list of integers; found {ids!r:.100}")
    return item


def _check(value: object, kind: type, name: str, words: str, where: str) -> None:
    if value is not None and type(value) is not kind:
        raise DataError(f"{where}: {name} must be {words}; found {value!r:.100}")
