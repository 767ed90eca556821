"""The prompts of a run: which are independent of each other, and what they show."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from guerdon.ledger import Ledger

type ModalitySource = Literal["metadata", "images"]

QUERY = """
    SELECT group_id, any_value(images) AS images, any_value(metadata) AS metadata
    FROM samples GROUP BY group_id ORDER BY group_id
"""


@dataclass(frozen=True, slots=True)
class Prompts:
    """All prompts of a ledger."""

    number: Mapping[str, int]
    """Group id to the prompt's number, 0-based."""

    cluster: Sequence[int]
    """By number: prompts that share a picture have the same cluster."""

    modality: Sequence[str]
    """By number: ``text``, ``image`` or ``images``, or what ``metadata.modality`` says."""

    source: ModalitySource
    """Where modalities come from: ``images`` counts pictures, since some prompt has no
    ``metadata.modality``."""

    @property
    def visual(self) -> tuple[str, ...]:
        """Modalities with pictures."""
        return tuple(sorted(set(self.modality) - {"text"}))


def read_prompts(ledger: Ledger) -> Prompts:
    """Read the prompts of all phases."""
    rows = ledger.sql(QUERY).to_pylist()
    pictures = [[name for name in row["images"] or () if name] for row in rows]
    declared = [_declared(row["metadata"]) for row in rows]
    counted = [
        ("text", "image")[len(row["images"] or ())] if len(row["images"] or ()) < 2 else "images" for row in rows
    ]
    known = [name for name in declared if name is not None]
    complete = bool(rows) and len(known) == len(rows)
    return Prompts(
        number={row["group_id"]: number for number, row in enumerate(rows)},
        cluster=connected(pictures),
        modality=known if complete else counted,
        source="metadata" if complete else "images",
    )


def _declared(metadata: str | None) -> str | None:
    facts = json.loads(metadata) if metadata else {}
    name = facts.get("modality") if isinstance(facts, dict) else None
    return name if isinstance(name, str) else None


def connected(pictures: Iterable[Sequence[str]]) -> list[int]:
    """Number prompts so that those linked by shared pictures, however indirectly, have one number."""
    parent: list[int] = []
    owner: dict[str, int] = {}
    for prompt, names in enumerate(pictures):
        parent.append(prompt)
        for name in names:
            first, second = _root(parent, owner.setdefault(name, prompt)), _root(parent, prompt)
            parent[max(first, second)] = min(first, second)
    return [_root(parent, prompt) for prompt in range(len(parent))]


def _root(parent: list[int], prompt: int) -> int:
    while parent[prompt] != prompt:
        parent[prompt] = parent[parent[prompt]]
        prompt = parent[prompt]
    return prompt
