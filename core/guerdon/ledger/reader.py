"""Reading a ledger: the rows that count, as Arrow tables or through SQL."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from guerdon.advantage import Advantages, ComponentMatrix, compute_advantages
from guerdon.advantage.matrix import Cells, Floats, usable
from guerdon.errors import LedgerError
from guerdon.ledger.parts import METRICS, Part, effective, parts
from guerdon.ledger.rule import METADATA_KEY, Rule, check_schema, load_rule
from guerdon.ledger.schema import SCHEMAS, Phase, Sampling, TableName
from guerdon.score import Status

if TYPE_CHECKING:
    import duckdb


class Ledger:
    """A ledger on disk. It may still be written to; every call looks anew.

    Of a step that was replayed, only the rows of the highest attempt count.
    """

    def __init__(self, folder: Path) -> None:
        """Open a ledger's own folder, such as ``runs/chart-qa/ledger``.

        Raises:
            LedgerError: there is no ledger.
        """
        self.folder = Path(folder)
        if not (self.folder / "records").is_dir():
            raise LedgerError(f"{folder} holds no ledger (no folder `records`); give the folder `ledger` of a run")

    def parts(self, *, phase: Phase | None = None, sampling: Sampling | None = None) -> list[Part]:
        """List the parts that count: records on disk, highest attempt."""
        found = effective(parts(self.folder, "records"))
        return [
            part
            for part in found
            if (phase is None or part.phase == phase) and (sampling is None or part.sampling == sampling)
        ]

    def records(
        self,
        *,
        phase: Phase | None = None,
        sampling: Sampling | None = None,
        steps: Iterable[int] | None = None,
        components: Iterable[str] | None = None,
    ) -> pa.Table:
        """Return rows of `RECORDS`, in order of phase, step, sample and component."""
        table = self.read("records", self._chosen(phase, sampling, steps))
        if components is None:
            return table
        return table.filter(pc.is_in(table["component"], pa.array(list(components), pa.string())))

    def samples(
        self, *, phase: Phase | None = None, sampling: Sampling | None = None, steps: Iterable[int] | None = None
    ) -> pa.Table:
        """Return rows of `SAMPLES`, in order of phase, step and sample."""
        return self.read("samples", self._chosen(phase, sampling, steps))

    def steps(self) -> pa.Table:
        """Return rows of `STEPS`, in order of step and metric."""
        return self.read("steps", self._step_parts())

    def sql(self, query: str) -> pa.Table:
        """Run a DuckDB query over the views ``records``, ``samples`` and ``steps``."""
        import duckdb

        with duckdb.connect() as connection:
            for name, chosen in self._all_parts().items():
                self._view(connection, name, [str(part.path(self.folder, name)) for part in chosen])
            return connection.sql(query).to_arrow_table()

    def read(self, name: TableName, chosen: Sequence[Part]) -> pa.Table:
        """Return the rows of some parts of a table, in their order.

        Raises:
            LedgerError: a part is missing, damaged, or of another version.
        """
        tables = [self._read_part(part.path(self.folder, name), SCHEMAS[name]) for part in chosen]
        return pa.concat_tables([SCHEMAS[name].empty_table(), *tables])

    def rule(self, part: Part) -> Rule:
        """Return the rule that the part's advantages were computed by."""
        path = part.path(self.folder, "records")
        return load_rule((pq.read_metadata(path).metadata or {}).get(METADATA_KEY), str(path))

    def matrix(self, step: int, *, phase: Phase = "train", sampling: Sampling = "sampled") -> ComponentMatrix:
        """Build the component matrix of a step from its rows alone.

        Raises:
            LedgerError: the step is not in the ledger, or rows are missing.
        """
        return self.matrix_of(self._one(step, phase, sampling))

    def recompute(self, step: int, *, phase: Phase = "train", sampling: Sampling = "sampled") -> Advantages:
        """Compute the advantages of a step again, from its rows alone, in the order of `position`."""
        return self.recompute_part(self._one(step, phase, sampling))

    def recompute_part(self, part: Part) -> Advantages:
        """Compute the advantages of one part again."""
        return compute_advantages(self.matrix_of(part), self.rule(part).advantage)

    def matrix_of(self, part: Part, rule: Rule | None = None) -> ComponentMatrix:
        """Build the component matrix of a part, by another rule on the same components if one is given."""
        rule = rule or self.rule(part)
        records, samples = self.read("records", [part]), self.read("samples", [part])
        shape = (samples.num_rows, len(rule.components))
        if records.num_rows != shape[0] * shape[1]:
            raise LedgerError(
                f"{part.path(self.folder, 'records')} has {records.num_rows} rows for {shape[0]} samples of "
                f"{shape[1]} components; the ledger is damaged"
            )
        cells = Cells(
            usable(_floats(records, "value").reshape(shape)),
            pc.equal(records["status"], Status.ABSTAIN.value).to_numpy().reshape(shape),
            records["masks"].to_numpy().reshape(shape),
        )
        return _assemble(rule, cells, samples)

    def _one(self, step: int, phase: Phase, sampling: Sampling) -> Part:
        found = self._chosen(phase, sampling, [step])
        if not found:
            raise LedgerError(f"step {step} of {phase} ({sampling}) is not in the ledger {self.folder}")
        return found[0]

    def _chosen(self, phase: Phase | None, sampling: Sampling | None, steps: Iterable[int] | None) -> list[Part]:
        wanted = None if steps is None else set(steps)
        found = self.parts(phase=phase, sampling=sampling)
        return [part for part in found if wanted is None or part.step in wanted]

    def _step_parts(self) -> list[Part]:
        return [part for part in effective(parts(self.folder, "steps")) if part.stem == METRICS]

    def _all_parts(self) -> dict[TableName, list[Part]]:
        counted = self.parts()
        return {"records": counted, "samples": counted, "steps": self._step_parts()}

    @staticmethod
    def _read_part(path: Path, schema: pa.Schema) -> pa.Table:
        try:
            with pq.ParquetFile(path) as file:
                check_schema((file.metadata.metadata or {}).get(METADATA_KEY), str(path))
                return file.read(use_threads=False).cast(schema)
        except (OSError, pa.ArrowInvalid) as error:
            raise LedgerError(f"{path} cannot be read: {error}") from error

    @staticmethod
    def _view(connection: "duckdb.DuckDBPyConnection", name: TableName, files: list[str]) -> None:
        if files:
            connection.read_parquet(files).create_view(name)
        else:
            connection.from_arrow(SCHEMAS[name].empty_table()).create(name)


def _floats(table: pa.Table, column: str) -> Floats:
    """Return a column as floats, null as NaN."""
    values: Floats = table[column].to_numpy().astype(np.float64)
    return values


def _assemble(rule: Rule, cells: Cells, samples: pa.Table) -> ComponentMatrix:
    numbered: dict[str, int] = {}
    groups = [numbered.setdefault(group, len(numbered)) for group in samples["group_id"].to_pylist()]
    trained = np.array([component.role == "train" for component in rule.components], dtype=np.bool_)
    masked = cells.masked(trained)
    if rule.advantage.mask_truncated:
        masked |= samples["truncated"].to_numpy().astype(np.bool_)
    names = tuple(component.name for component in rule.components)
    return ComponentMatrix(
        values=cells.left_in(np.array(groups, dtype=np.int64)),
        groups=np.array(groups, dtype=np.int64),
        masked=masked,
        components=names,
        weights=np.array([component.weight for component in rule.components]),
        min_spread=np.array([component.min_spread for component in rule.components]),
        low=np.array([component.low for component in rule.components]),
        high=np.array([component.high for component in rule.components]),
        trained_on=trained,
        outcome=None if rule.outcome is None else names.index(rule.outcome),
    )
