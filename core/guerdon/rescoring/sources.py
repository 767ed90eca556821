"""Where completions come from: a ledger, or a file of JSON lines. Read part by part, never as a whole."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

import pyarrow as pa
import pyarrow.parquet as pq

from guerdon.errors import DataError
from guerdon.images import LazyImage
from guerdon.ledger import Ledger, Phase, Sampling
from guerdon.ledger.parts import Part
from guerdon.rescoring.lines import read_groups
from guerdon.review.run import open_run
from guerdon.sample import Group, Sample

GROUPS = 128
"""Prompts of a file that are scored as one step."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The completions of one step, as `LedgerBatch` wants them back."""

    phase: Phase
    sampling: Sampling
    step: int
    groups: Sequence[Group]
    epoch_seed: int = 0
    rollout_logprobs: Sequence[float | None] | None = None
    trainer_logprobs: Sequence[float | None] | None = None
    stop_reasons: Sequence[str | None] | None = None

    @property
    def key(self) -> tuple[str, int]:
        """Name the part of a ledger that the batch becomes."""
        return f"{self.phase}-{self.sampling}", self.step


class Source(Protocol):
    """Completions to score."""

    @property
    def identity(self) -> str:
        """Tell this data from other data, and from itself after a change."""

    def samples(self) -> int | None:
        """Return how many there are, where that is known without reading them."""

    def batches(self) -> Iterator[Batch]:
        """Read them, in a fixed order."""


def open_source(path: Path) -> "LedgerSamples | Completions":
    """Open a run's folder, a ledger's folder, or a file of JSON lines.

    Raises:
        DataError: there is nothing at `path`.
        LedgerError: the folder holds no ledger.
    """
    if path.is_dir():
        return LedgerSamples(open_run(path).ledger)
    if not path.is_file():
        raise DataError(f"{path} does not exist; give a run's folder, a ledger's, or a file of JSON lines")
    return Completions(path)


@dataclass(frozen=True, slots=True)
class Completions:
    """A file of JSON lines (see `guerdon.rescoring.lines`); steps of `GROUPS` prompts, counted from 1."""

    file: Path

    @property
    def identity(self) -> str:
        """Return the sha256 of the file."""
        with self.file.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def samples(self) -> int | None:
        """Return None: only reading tells."""
        return None

    def batches(self) -> Iterator[Batch]:
        """Read the groups.

        Raises:
            DataError: names the line and what is wrong with it.
        """
        groups: list[Group] = []
        step = 1
        for group in read_groups(self.file):
            groups.append(group)
            if len(groups) == GROUPS:
                yield Batch("train", "sampled", step, groups)
                groups, step = [], step + 1
        if groups:
            yield Batch("train", "sampled", step, groups)


@dataclass(frozen=True, slots=True)
class LedgerSamples:
    """The samples of a ledger. Token ids are not in it, only their number."""

    ledger: Ledger

    @property
    def identity(self) -> str:
        """Return the sha256 of the names and sizes of the parts that count."""
        facts = [(part.stem, part.step, part.attempt, self._file(part).stat().st_size) for part in self.ledger.parts()]
        return hashlib.sha256(repr(facts).encode()).hexdigest()

    def samples(self) -> int | None:
        """Count the rows."""
        rows: list[int] = [pq.read_metadata(self._file(part)).num_rows for part in self.ledger.parts()]
        return sum(rows)

    def batches(self) -> Iterator[Batch]:
        """Read the parts."""
        for part in self.ledger.parts():
            yield self._batch(part, self.ledger.read("samples", [part]))

    def _file(self, part: Part) -> Path:
        return part.path(self.ledger.folder, "samples")

    def _batch(self, part: Part, table: pa.Table) -> Batch:
        rows = table.to_pylist()
        by_group: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            by_group.setdefault(row["group_id"], []).append(row)
        ordered = [row for group in by_group.values() for row in group]
        return Batch(
            cast("Phase", part.phase),
            cast("Sampling", part.sampling),
            part.step,
            [Group(name, self._samples(group)) for name, group in by_group.items()],
            rows[0]["epoch_seed"] if rows else 0,
            [row["rollout_logprob"] for row in ordered],
            [row["trainer_logprob"] for row in ordered],
            [row["stop_reason"] for row in ordered],
        )

    def _samples(self, rows: Sequence[Mapping[str, Any]]) -> list[Sample]:
        """Make the samples of a group; what they share is decoded once."""
        folder = self.ledger.folder / "images"
        shared: dict[str, Any] = {}
        files: dict[tuple[str | None, ...], tuple[LazyImage, ...]] = {}

        def decoded(text: str | None, empty: Any) -> Any:
            if text not in shared:
                shared[text or ""] = json.loads(text) if text else empty
            return shared[text or ""]

        return [
            Sample(
                row["sample_id"],
                row["completion"],
                decoded(row["prompt"], ()),
                decoded(row["reference"], {}) or {},
                token_count=row["token_count"],
                truncated=row["truncated"],
                images=files.setdefault(
                    tuple(row["images"] or ()),
                    tuple(LazyImage(str(folder / (n or "lost"))) for n in row["images"] or ()),
                ),
                metadata=decoded(row["metadata"], {}) or {},
                group_id=row["group_id"],
                index=row["repetition"],
                step=row["step"],
            )
            for row in rows
        ]
