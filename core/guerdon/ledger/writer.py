"""Writing the ledger of a run, off the step's path."""

from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq

from guerdon.errors import LedgerError
from guerdon.ledger.batch import LedgerBatch, Source
from guerdon.ledger.disk import PatientDisk
from guerdon.ledger.parts import METRICS, Part, parts_of, sweep
from guerdon.ledger.pictures import Pictures
from guerdon.ledger.rule import METADATA_KEY, dump_rule, rule_of
from guerdon.ledger.schema import SCHEMAS, TableName
from guerdon.ledger.tables import Origin, records_table, samples_table, steps_table

IN_FLIGHT = 4
"""Writes that may wait for the disk; the next one waits with them, so memory stays bounded."""


FREE = frozenset({"completion", "evidence", "metrics"})
"""Columns of free text."""


class LedgerWriter:
    """Writes part files in a thread of its own. One writer a ledger at a time.

    The samples of a step are on disk before its records, and the records make the step count: a
    kill at any moment leaves a step whole or absent.
    """

    def __init__(
        self,
        folder: Path,
        *,
        run: str,
        attempt: int,
        sources: Mapping[str, Source],
        full_disk_patience_s: float | None = None,
    ) -> None:
        """Open a ledger, new or not.

        Args:
            folder: the ledger's own folder, such as ``runs/chart-qa/ledger``.
            run: the run's name.
            attempt: counted from 1; one more for each start of the run (`last_attempt` + 1).
            sources: for each component, where its scores come from.
            full_disk_patience_s: how long to wait for room on a full disk; None waits for ever.

        Raises:
            LedgerError: the folder cannot be made.
        """
        self._folder = folder
        self._origin = Origin(run, attempt)
        self._sources = dict(sources)
        self._disk = PatientDisk(full_disk_patience_s)
        self._pictures = Pictures(folder, self._disk.write)
        self._pending: deque[Future[None]] = deque()
        try:
            for name in (*SCHEMAS, "images"):
                (folder / name).mkdir(parents=True, exist_ok=True)
            sweep(folder)
        except OSError as error:
            raise LedgerError(f"the ledger folder {folder} cannot be made: {error.strerror or error}") from error
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="guerdon-ledger")

    def write_batch(self, batch: LedgerBatch) -> None:
        """Write all records and samples of one step and phase; the same step again replaces them.

        Raises:
            LedgerError: a component has no source, or an earlier write failed.
        """
        missing = [name for name in batch.matrix.components if name not in self._sources]
        if missing:
            raise LedgerError(f"no source for component {', '.join(missing)}; the writer knows {sorted(self._sources)}")
        self._submit(lambda: self._write_batch(batch))

    def write_step(self, step: int, metrics: Mapping[str, float]) -> None:
        """Write the numbers of a step. Called again for it, numbers are added, those of one name replaced.

        That holds across attempts too: a run that resumes after a step adds to what is known of it.

        Raises:
            LedgerError: an earlier write failed.
        """
        kept = dict(metrics)
        self._submit(lambda: self._write_step(step, kept))

    def flush(self) -> None:
        """Wait until all is on disk.

        Raises:
            LedgerError: a write failed.
        """
        while self._pending:
            self._pending.popleft().result()

    def close(self) -> None:
        """Flush and end the thread."""
        try:
            self.flush()
        finally:
            self._thread.shutdown()

    def __enter__(self) -> Self:
        """Return the writer itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def _submit(self, work: Callable[[], None]) -> None:
        while self._pending and (self._pending[0].done() or len(self._pending) >= IN_FLIGHT):
            self._pending.popleft().result()
        self._pending.append(self._thread.submit(work))

    def _write_batch(self, batch: LedgerBatch) -> None:
        part = Part(f"{batch.phase}-{batch.sampling}", batch.step, self._origin.attempt)
        rule = dump_rule(rule_of(batch))
        samples = samples_table(batch, self._origin, self._pictures.store)
        self._write(part, "samples", samples, rule)
        self._write(part, "records", records_table(batch, self._sources, self._origin), rule)

    def _write_step(self, step: int, metrics: Mapping[str, float]) -> None:
        part = Part(METRICS, step, self._origin.attempt)
        known = [found for found in parts_of(self._folder, "steps", METRICS, step) if found.attempt <= part.attempt]
        if known:
            with pq.ParquetFile(known[-1].path(self._folder, "steps")) as file:
                names, values = file.read(["metric", "value"]).to_pydict().values()
            metrics = {**dict(zip(names, values, strict=True)), **metrics}
        self._write(part, "steps", steps_table(step, metrics, self._origin), dump_rule(None))

    def _write(self, part: Part, name: TableName, table: pa.Table, rule: bytes) -> None:
        self._disk.write(part.path(self._folder, name), encode(table, rule))


def encode(table: pa.Table, rule: bytes) -> memoryview:
    """Return the bytes of a Parquet file, with the rule in its metadata.

    Texts are texts to every reader, whatever codes them in memory. Free text and floats hardly
    repeat, so a dictionary of them would only cost time.
    """
    repeated = [
        name for name in table.schema.names if name not in FREE and not pa.types.is_floating(_type(table, name))
    ]
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(
        sink, table.schema, compression="zstd", compression_level=1, use_dictionary=repeated, store_schema=False
    ) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({METADATA_KEY.decode(): rule.decode()})
    return memoryview(sink.getvalue())


def _type(table: pa.Table, name: str) -> pa.DataType:
    return table.schema.field(name).type
