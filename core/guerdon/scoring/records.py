"""The records of a group, kept by component and written out when somebody looks at them."""

from collections.abc import Iterator, Sequence
from typing import overload

from guerdon.score import Record
from guerdon.scoring.policy import Settled, record_of, value_of


class Records(Sequence[Sequence[Record]]):  # noqa: PLW1641  # records hold dicts, so no hash
    """Rows of records, equal to a tuple of tuples. A row is made on first sight and then kept."""

    __slots__ = ("_columns", "_components", "_ids", "_latencies", "_rows")

    def __init__(
        self,
        ids: Sequence[str],
        components: Sequence[str],
        columns: Sequence[Sequence[Settled]],
        latencies: Sequence[Sequence[float]],
    ) -> None:
        self._ids = ids
        self._components = components
        self._columns = columns
        self._latencies = latencies
        self._rows: list[tuple[Record, ...] | None] = [None] * len(ids)

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self._ids)

    @overload
    def __getitem__(self, index: int) -> tuple[Record, ...]: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[tuple[Record, ...], ...]: ...

    def __getitem__(self, index: int | slice) -> tuple[Record, ...] | tuple[tuple[Record, ...], ...]:
        """Return the records of a sample."""
        if isinstance(index, slice):
            return tuple(self[i] for i in range(len(self))[index])
        row = self._rows[index]
        if row is None:
            row = self._rows[index] = self._row(index)
        return row

    def __iter__(self) -> Iterator[tuple[Record, ...]]:
        """Go through the samples."""
        return (self[index] for index in range(len(self._ids)))

    def _row(self, index: int) -> tuple[Record, ...]:
        sample_id = self._ids[index]
        columns = zip(self._components, self._columns, self._latencies, strict=True)
        return tuple([record_of(sample_id, name, cells[index], took[index]) for name, cells, took in columns])

    def values(self) -> list[tuple[float | None, ...]]:
        """Return `Record.value` of all records, a tuple for each sample, without making records."""
        if not self._columns:
            return [()] * len(self)
        plain = (column if set(map(type, column)) <= {float} else map(value_of, column) for column in self._columns)
        return list(zip(*plain, strict=True))

    def __eq__(self, other: object) -> bool:
        """Compare row by row."""
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(tuple(a) == tuple(b) for a, b in zip(self, other, strict=True))

    def __repr__(self) -> str:
        """Show all records."""
        return repr(tuple(self))
