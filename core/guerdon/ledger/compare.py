"""Whether two ledgers tell the same story."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from guerdon.ledger.parts import Part
from guerdon.ledger.reader import Ledger
from guerdon.ledger.schema import TableName

IGNORED = frozenset({"run", "attempt", "latency_ms"})
"""Columns that may differ between two runs of one seed."""

TIMINGS = ("timing/", "perf/")
"""Beginnings of metrics that measure the machine rather than the training."""


def equal(first: Ledger, second: Ledger, *, timings: Sequence[str] = TIMINGS) -> str | None:
    """Return None if both hold the same rows, floats bit for bit, or the first difference in words.

    Run name, attempt, latencies and metrics that begin with one of `timings` are not compared.
    """
    mine, theirs = first.parts(), second.parts()
    if difference := _stems(mine, theirs):
        return difference
    keys: list[tuple[TableName, list[str]]] = [("samples", ["sample_id"]), ("records", ["sample_id", "component"])]
    for one, other in zip(mine, theirs, strict=True):
        for name, key in keys:
            if difference := _rows(first.read(name, [one]), second.read(name, [other]), key):
                return f"{name} of {one.stem}, step {one.step}: {difference}"
    steps = [_measured(ledger.steps(), timings) for ledger in (first, second)]
    difference = _rows(steps[0], steps[1], ["step", "metric"])
    return f"steps: {difference}" if difference else None


def _stems(mine: Sequence[Part], theirs: Sequence[Part]) -> str | None:
    """Name a step that only one of the two has."""
    one, other = ({(part.step, part.stem) for part in listed} for listed in (mine, theirs))
    for present, absent, who in ((one, other, "first"), (other, one, "second")):
        if present - absent:
            step, stem = min(present - absent)
            return f"step {step} of {stem} is only in the {who} ledger"
    return None


def _measured(steps: pa.Table, timings: Sequence[str]) -> pa.Table:
    """Drop what measures the machine."""
    for beginning in timings:
        steps = steps.filter(pc.invert(pc.starts_with(steps["metric"], beginning)))
    return steps


def _rows(one: pa.Table, other: pa.Table, key: Sequence[str]) -> str | None:
    """Name the first difference between two tables."""
    for column in (*key, *(name for name in one.schema.names if name not in IGNORED and name not in key)):
        if one.num_rows == other.num_rows and _same(one[column], other[column]):
            continue
        pairs = zip(one[column].to_pylist(), other[column].to_pylist(), strict=False)
        row = next((row for row, (left, right) in enumerate(pairs) if left != right), None)
        if row is not None:
            where = ", ".join(f"{name} {one[name][row].as_py()!r}" for name in key)
            return f"{column} is {one[column][row].as_py()!r} against {other[column][row].as_py()!r} at {where}"
    return f"{one.num_rows} rows against {other.num_rows}" if one.num_rows != other.num_rows else None


def _same(one: pa.ChunkedArray, other: pa.ChunkedArray) -> bool:
    if pa.types.is_float64(one.type):
        left, right = (np.asarray(column.to_numpy(), dtype=np.float64) for column in (one, other))
        return bool(np.array_equal(left, right, equal_nan=True))
    return bool(one.equals(other))
