"""A case as it stands in the file."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

type Json = Any


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a case file."""

    data: Mapping[str, Json]

    @property
    def id(self) -> str:
        """Unique name."""
        return str(self.data["id"])

    @property
    def plugin(self) -> str:
        """A reward's name, or ``framework``."""
        return str(self.data["plugin"])

    @property
    def confidence(self) -> str:
        """high, medium or low; a low one is reported and does not fail the run."""
        return str(self.data.get("confidence", "high"))

    @property
    def expected(self) -> Mapping[str, Json]:
        """The check."""
        expected: Mapping[str, Json] = self.data["expected"]
        return expected

    def variants(self) -> dict[str, Mapping[str, Json]]:
        """Return the completions to score by name; the only one is named with an empty text."""
        shared = {key: value for key, value in self.data.items() if key != "variants"}
        named = self.data.get("variants")
        return {name: {**shared, **own} for name, own in named.items()} if named else {"": shared}


def read_cases(path: Path) -> Iterator[Case]:
    """Yield the cases of a file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield Case(json.loads(line))


def completion_of(data: Mapping[str, Json]) -> str:
    """Return the text to score."""
    if "completion_parts" in data:
        return "".join(text * times for text, times in data["completion_parts"])
    return str(data.get("completion", ""))


def text_of(completion: Json) -> str:
    """Return the text of a string, a message list or nothing, as a trainer hands them over."""
    if completion is None:
        return ""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        return text_of(completion["text"] if completion.get("type") == "text" else completion.get("content"))
    return "".join(text_of(part) for part in completion)


def metadata_of(data: Mapping[str, Json]) -> dict[str, Json]:
    """Return the metadata, with `token_ids_parts` joined to `token_ids`."""
    metadata = dict(data.get("metadata") or {})
    if parts := metadata.pop("token_ids_parts", None):
        metadata["token_ids"] = [token for ids, times in parts for token in ids * times]
    return metadata
