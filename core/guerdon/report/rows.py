"""The selected samples and their records as columns."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from guerdon.ledger import Ledger
from guerdon.ledger.parts import Part
from guerdon.report.selection import Selection

MAX_TEXT = 20_000
"""Longer texts are cut on the page, in characters; the ledger keeps them."""

MAX_EVIDENCE = 4_000
"""Longer evidence is left out, in characters of JSON."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the ledger has and the page has not."""

    groups: int
    groups_shown: int
    records: int
    records_shown: int
    texts_cut: int
    evidence_dropped: int


@dataclass(frozen=True, slots=True)
class Rows:
    """Columns for JSON, and what goes with them."""

    columns: dict[str, Any]
    pictures: tuple[str, ...]
    """File names of the pictures that the samples show, in the order of the samples."""

    left_out: LeftOut


class _Codes:
    """Texts stored once each."""

    def __init__(self) -> None:
        self.values: list[str] = []
        self._known: dict[str, int] = {}

    def code(self, value: str | None) -> int:
        """Return the value's number, -1 for None."""
        if value is None:
            return -1
        if value not in self._known:
            self._known[value] = len(self.values)
            self.values.append(value)
        return self._known[value]


class _Builder:
    """Gathers columns part by part."""

    SAMPLE = (
        "phase",
        "sampling",
        "step",
        "repetition",
        "token_count",
        "truncated",
        "stop_reason",
        "total",
        "advantage",
        "trained",
        "rollout_logprob",
        "trainer_logprob",
    )
    RECORD = ("value", "weight", "contribution", "advantage_share")
    CODED = ("status", "cause", "reason", "evidence", "metrics")

    def __init__(self, components: Sequence[str]) -> None:
        self.components = list(components)
        self.prompts: dict[str, int] = {}
        self.prompt_rows: list[dict[str, Any]] = []
        self.samples: dict[str, list[Any]] = {name: [] for name in (*self.SAMPLE, "prompt", "id", "completion", "cut")}
        self.records: dict[str, dict[str, list[Any]]] = {
            component: {name: [] for name in (*self.RECORD, *self.CODED)} for component in self.components
        }
        self.texts = {name: _Codes() for name in self.CODED}
        self.dropped = 0

    def add(self, samples: pa.Table, records: pa.Table) -> None:
        """Add the samples of a part and their records."""
        by_key = {(row["sample_id"], row["component"]): row for row in records.to_pylist()}
        for row in samples.to_pylist():
            self._sample(row)
            for component in self.components:
                self._record(component, by_key.get((row["sample_id"], component)) or {})

    def _sample(self, row: Mapping[str, Any]) -> None:
        for name in self.SAMPLE:
            self.samples[name].append(_short(row[name]))
        completion = row["completion"] or ""
        self.samples["id"].append(row["sample_id"])
        self.samples["completion"].append(completion[:MAX_TEXT])
        self.samples["cut"].append(max(0, len(completion) - MAX_TEXT))
        self.samples["prompt"].append(self._prompt(row))

    def _prompt(self, row: Mapping[str, Any]) -> int:
        group = row["group_id"]
        if group not in self.prompts:
            self.prompts[group] = len(self.prompt_rows)
            self.prompt_rows.append(
                {
                    "id": group,
                    "messages": _json(row["prompt"]),
                    "reference": _json(row["reference"]),
                    "metadata": _json(row["metadata"]),
                    "images": list(row["images"] or ()),
                }
            )
        return self.prompts[group]

    def _record(self, component: str, row: Mapping[str, Any]) -> None:
        columns = self.records[component]
        for name in self.RECORD:
            columns[name].append(_short(row.get(name)))
        for name in self.CODED:
            value = row.get(name) or None
            if name == "evidence" and value is not None and len(value) > MAX_EVIDENCE:
                self.dropped += 1
                value = json.dumps({"left out": f"{len(value)} characters; the ledger has them"})
            columns[name].append(self.texts[name].code(value))


def read_rows(ledger: Ledger, selection: Selection) -> Rows:
    """Read the selected groups, part by part, so that memory stays bounded."""
    by_part: dict[tuple[str, str, int], set[str]] = {}
    for key in selection.chosen:
        by_part.setdefault((key.phase, key.sampling, key.step), set()).add(key.group_id)
    parts = [part for part in ledger.parts() if (part.phase, part.sampling, part.step) in by_part]
    builder = _Builder(_components(ledger, parts))
    for part in parts:
        groups = pa.array(sorted(by_part[(part.phase, part.sampling, part.step)]), pa.string())
        samples, records = (
            table.filter(pc.is_in(table["group_id"], groups))
            for table in (ledger.read("samples", [part]), ledger.read("records", [part]))
        )
        builder.add(samples, records)
    return Rows(
        columns={
            "samples": builder.samples,
            "components": builder.components,
            "records": builder.records,
            "texts": {name: codes.values for name, codes in builder.texts.items()},
            "prompts": builder.prompt_rows,
        },
        pictures=tuple(dict.fromkeys(name for row in builder.prompt_rows for name in row["images"] if name)),
        left_out=LeftOut(
            groups=selection.groups,
            groups_shown=len(selection.chosen),
            records=selection.records,
            records_shown=selection.records_chosen,
            texts_cut=sum(cut > 0 for cut in builder.samples["cut"]),
            evidence_dropped=builder.dropped,
        ),
    )


def _components(ledger: Ledger, parts: Iterable[Part]) -> list[str]:
    """List components in the order of the rules, those of later parts at the end."""
    return list(dict.fromkeys(one.name for part in parts for one in ledger.rule(part).components))


def _short(value: Any) -> Any:
    """Keep five digits of a float: enough to read."""
    return float(f"{value:.5g}") if isinstance(value, float) else value


def _json(text: str | None) -> Any:
    return json.loads(text) if text else None
