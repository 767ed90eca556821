"""Part files: one for each table, phase, step and attempt, written whole or not at all."""

import contextlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from guerdon.ledger.schema import TableName

_NAME = re.compile(r"^(?P<stem>[a-z]+(?:-[a-z]+)?)-(?P<step>\d{8,})-a(?P<attempt>\d{4,})\.parquet$")
METRICS = "metrics"
"""The stem of the parts of the table ``steps``."""

TEMPORARY = ".tmp"


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A part file by its name: ``records/train-sampled-00000012-a0001.parquet``."""

    stem: str
    """``<phase>-<sampling>``, or ``metrics`` in the table of steps."""

    step: int
    attempt: int

    @property
    def phase(self) -> str:
        """Return the phase, in the tables of records and samples."""
        return self.stem.partition("-")[0]

    @property
    def sampling(self) -> str:
        """Return how completions were drawn, in the tables of records and samples."""
        return self.stem.partition("-")[2]

    def path(self, folder: Path, table: TableName) -> Path:
        """Return where the part of a table lies."""
        return folder / table / f"{self.stem}-{self.step:08d}-a{self.attempt:04d}.parquet"


def parts(folder: Path, table: TableName) -> list[Part]:
    """List all parts of a table, sorted; half-written files are passed over."""
    return _named(folder / table, "*.parquet")


def parts_of(folder: Path, table: TableName, stem: str, step: int) -> list[Part]:
    """List every attempt's part of one step, sorted."""
    return _named(folder / table, f"{stem}-{step:08d}-a*.parquet")


def _named(folder: Path, pattern: str) -> list[Part]:
    found = (_NAME.match(path.name) for path in folder.glob(pattern))
    return sorted(Part(m["stem"], int(m["step"]), int(m["attempt"])) for m in found if m)


def effective(found: Iterable[Part]) -> list[Part]:
    """Keep the highest attempt of each stem and step: a replayed step replaces, never doubles."""
    return sorted({(part.stem, part.step): part for part in sorted(found)}.values())


def last_attempt(folder: Path) -> int:
    """Return the highest attempt that wrote into the ledger; 0 if none did."""
    tables: tuple[TableName, ...] = ("records", "samples", "steps")
    return max((part.attempt for table in tables for part in parts(folder, table)), default=0)


def write_whole(path: Path, payload: bytes | memoryview) -> None:
    """Write and sync a temporary file, then rename it, so that `path` is never seen half-written.

    Raises:
        OSError: as the file system says; the temporary file is gone then.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}{TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sweep(folder: Path) -> None:
    """Remove what a killed writer left half-written."""
    for leftover in folder.glob(f"*/*{TEMPORARY}"):
        leftover.unlink(missing_ok=True)
