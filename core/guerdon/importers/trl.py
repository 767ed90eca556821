"""TRL's completions: a Parquet file a step, written with ``log_completions=True``.

Columns (TRL's GRPO trainer, ``<output_dir>/completions/completions_00012.parquet``): step, prompt,
completion, a column for each reward function, further columns that a reward function logged, and
advantage. A prompt is a text or a list of messages. A reward function that returned None is NaN.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from guerdon.errors import DataError
from guerdon.importers.rows import Row, Step, asked, messages, number, text_of

CONTEXT = frozenset({"step", "prompt", "completion", "advantage", "image", "images", "mode", "__index_level_0__"})


def read_trl(path: Path) -> Iterator[Step]:
    """Read a file, or all files of a folder.

    Raises:
        DataError: there is none, or one is not of this format.
    """
    files = [path] if path.is_file() else sorted(path.glob("**/completions_*.parquet"))
    if not files:
        raise DataError(f"{path} holds no completions_*.parquet; train with log_completions=True")
    for file in files:
        yield from _read(file)


def _read(file: Path) -> Iterator[Step]:
    try:
        table = pq.ParquetFile(file).read()
    except (OSError, pa.ArrowInvalid) as error:
        raise DataError(f"{file} cannot be read: {error}") from error
    names = _rewards(table)
    by_step: dict[int, list[Row]] = {}
    for row in table.to_pylist():
        step = int(asked(row, "step", str(file)))
        by_step.setdefault(step, []).append(_row(row, names, str(file)))
    yield from (Step(step, rows) for step, rows in sorted(by_step.items()))


def _rewards(table: pa.Table) -> list[str]:
    """Name the reward functions: columns of numbers; the total only where it stands alone."""
    kinds = {column.name: column.type for column in table.schema}
    found = [
        name
        for name, kind in kinds.items()
        if name not in CONTEXT and (pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind))
    ]
    return [name for name in found if name != "reward"] or found


def _row(row: dict[str, Any], names: list[str], place: str) -> Row:
    rest = {name: value for name, value in row.items() if name not in CONTEXT and name not in names}
    return Row(
        prompt=messages(asked(row, "prompt", place)),
        completion=text_of(asked(row, "completion", place)),
        values={name: number(row[name]) for name in names},
        reference={name: value for name, value in rest.items() if isinstance(value, str)},
        advantage=number(row.get("advantage")),
    )
