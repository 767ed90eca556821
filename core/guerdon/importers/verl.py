"""verl's rollouts: JSON lines, a file a step, written with ``trainer.rollout_data_dir``.

Fields (verl's PPO trainer, ``<rollout_data_dir>/12.jsonl``): input, output, gts (the truth), score,
step, and whatever else the reward function returned. The same fields are in the files of
``trainer.validation_data_dir``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from guerdon.errors import DataError
from guerdon.importers.rows import Row, Step, asked, json_lines, messages, number, text_of

CONTEXT = frozenset({"input", "output", "gts", "step", "request_id", "uid", "data_source"})


def read_verl(path: Path) -> Iterator[Step]:
    """Read a file, or all files of a folder.

    Raises:
        DataError: there is none, or one is not of this format.
    """
    files = [path] if path.is_file() else sorted(path.glob("*.jsonl"), key=lambda file: (len(file.stem), file.stem))
    if not files:
        raise DataError(f"{path} holds no *.jsonl; train with trainer.rollout_data_dir set")
    for file in files:
        by_step: dict[int, list[Row]] = {}
        for row in json_lines(file):
            by_step.setdefault(int(asked(row, "step", str(file))), []).append(_row(row, str(file)))
        yield from (Step(step, rows) for step, rows in sorted(by_step.items()))


def _row(row: dict[str, Any], place: str) -> Row:
    truth, source = row.get("gts"), row.get("data_source")
    values = {"score": number(asked(row, "score", place))}
    values |= {
        name: known
        for name, value in row.items()
        if name not in CONTEXT and name != "score" and (known := number(value)) is not None
    }
    return Row(
        prompt=messages(asked(row, "input", place)),
        completion=text_of(asked(row, "output", place)),
        values=values,
        reference={} if truth is None else {"answer": truth},
        metadata={"source": source} if isinstance(source, str) else {},
    )
