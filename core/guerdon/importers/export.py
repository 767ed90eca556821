"""The way back: a ledger's training samples as TRL writes its completions, for tools that read these."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from guerdon.errors import ConfigError
from guerdon.importers.trl import CONTEXT
from guerdon.ledger import Ledger
from guerdon.ledger.parts import Part


def export_trl(ledger: Ledger, folder: Path) -> int:
    """Write ``completions/completions_00012.parquet`` for every training step and return their number.

    Columns: step, prompt (messages, pictures without their content), completion, a number for each
    component (null where nothing counts), advantage.

    Raises:
        ConfigError: a component has the name of a column.
        LedgerError: the ledger is damaged.
    """
    home = folder / "completions"
    found = ledger.parts(phase="train")
    for part in found:
        table = _table(ledger, part)
        home.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, home / f"completions_{part.step:05d}.parquet", compression="zstd")
    return len(found)


def _table(ledger: Ledger, part: Part) -> pa.Table:
    names = [component.name for component in ledger.rule(part).components]
    if taken := sorted(CONTEXT & set(names)):
        raise ConfigError(f"the component {taken[0]} has the name of a column of TRL's; it cannot be exported")
    samples = sorted(ledger.read("samples", [part]).to_pylist(), key=lambda row: row["position"])
    records = ledger.read("records", [part]).select(["sample_id", "component", "value"]).to_pylist()
    values = {(row["sample_id"], row["component"]): row["value"] for row in records}
    prompts = [json.loads(row["prompt"]) if row["prompt"] else [] for row in samples]
    columns: dict[str, Any] = {
        "step": pa.array([part.step] * len(samples), pa.int64()),
        "prompt": _prompts(prompts),
        "completion": pa.array([row["completion"] for row in samples], pa.string()),
    }
    for name in names:
        columns[name] = pa.array([values.get((row["sample_id"], name)) for row in samples], pa.float64())
    columns["advantage"] = pa.array([row["advantage"] for row in samples], pa.float64())
    return pa.table(columns)


def _prompts(prompts: Sequence[Any]) -> pa.Array:
    """Return messages; the contents of a file are all texts, or all lists of items."""
    contents = [message.get("content") for prompt in prompts for message in prompt]
    plain = all(isinstance(content, str) for content in contents)
    item = pa.struct([("type", pa.string()), ("text", pa.string())])
    kind = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string() if plain else pa.list_(item))]))
    rows = [
        [
            {"role": str(one.get("role", "user")), "content": one["content"] if plain else _items(one.get("content"))}
            for one in prompt
        ]
        for prompt in prompts
    ]
    return pa.array(rows, kind)


def _items(content: Any) -> list[dict[str, str | None]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    items = [item for item in content or () if isinstance(item, Mapping)]
    return [{"type": str(item.get("type")), "text": item.get("text")} for item in items]
