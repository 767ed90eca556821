"""From a batch to Arrow tables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from guerdon.images import LazyImage
from guerdon.ledger.batch import LedgerBatch, Source
from guerdon.ledger.columns import coded, constant, integers, json_texts, numbers, shared, texts
from guerdon.ledger.schema import RECORDS, SAMPLES, STEPS
from guerdon.ledger.text import MAX_REASON, MAX_TEXT, optional_json, to_json
from guerdon.sample import Message, Sample


@dataclass(frozen=True, slots=True)
class Origin:
    """Which run and attempt writes."""

    run: str
    attempt: int


def _table(columns: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    """Put columns in the schema's order. Dictionary-coded texts count as texts once in Parquet."""
    return pa.Table.from_arrays([columns[name] for name in schema.names], names=schema.names)


def _key(batch: LedgerBatch, origin: Origin, repeat: int) -> dict[str, Any]:
    """Return the key columns, each sample's `repeat` times."""
    samples = _samples(batch)
    rows = len(samples) * repeat
    of_sample = np.repeat(np.arange(len(samples), dtype=np.int32), repeat)
    of_group = np.repeat(batch.matrix.groups, repeat)
    return {
        "run": constant(origin.run, rows),
        "attempt": pa.array(np.full(rows, origin.attempt, dtype=np.int32)),
        "phase": constant(batch.phase, rows),
        "sampling": constant(batch.sampling, rows),
        "step": pa.array(np.full(rows, batch.step, dtype=np.int32)),
        "epoch_seed": pa.array(np.full(rows, batch.epoch_seed, dtype=np.int64)),
        "group_id": coded(of_group, [scored.group.id for scored in batch.scored]),
        "sample_id": coded(of_sample, [sample.id for sample in samples]),
        "repetition": pa.array(np.repeat(np.array([s.index for s in samples], dtype=np.int32), repeat)),
    }


def _samples(batch: LedgerBatch) -> list[Sample]:
    return [sample for scored in batch.scored for sample in scored.group.samples]


def records_table(batch: LedgerBatch, sources: Mapping[str, Source], origin: Origin) -> pa.Table:
    """Return a row for every (sample, component), sample after sample."""
    names = batch.matrix.components
    records = list(chain.from_iterable(row for scored in batch.scored for row in scored.records))
    rows = len(records)
    component = np.tile(np.arange(len(names), dtype=np.int32), rows // max(len(names), 1))
    shares = batch.advantages.shares
    return _table(
        {
            **_key(batch, origin, len(names)),
            "component": coded(component, names),
            "role": coded(component, ["train" if trained else "monitor" for trained in batch.matrix.trained_on]),
            "plugin": coded(component, [sources[name].plugin for name in names]),
            "plugin_version": coded(component, [sources[name].version for name in names]),
            "code_hash": coded(component, [sources[name].code_hash for name in names]),
            "config_hash": coded(component, [sources[name].config_hash for name in names]),
            "status": texts([record.status for record in records]),
            "cause": texts([record.cause for record in records]),
            "masks": pa.array([bool(record.masks) for record in records], pa.bool_()),
            "value": numbers([record.value for record in records], rows),
            "weight": pa.array(batch.matrix.weights[component]),
            "contribution": numbers(batch.advantages.contributions.ravel(), rows),
            "advantage_share": numbers(None if shares is None else shares.ravel(), rows),
            "reason": texts([record.reason for record in records], MAX_REASON),
            "evidence": json_texts([record.evidence for record in records]),
            "metrics": json_texts([record.metrics for record in records]),
            "latency_ms": numbers([record.latency_ms for record in records], rows),
        },
        RECORDS,
    )


def samples_table(batch: LedgerBatch, origin: Origin, store: Callable[[LazyImage], str | None]) -> pa.Table:
    """Return a row for every sample; `store` keeps an image and names its file."""
    samples = _samples(batch)
    rows = len(samples)
    files = [[store(image) for image in sample.images] for sample in samples]
    by_prompt = {id(sample.prompt): names for sample, names in zip(samples, files, strict=True)}
    return _table(
        {
            **_key(batch, origin, 1),
            "position": pa.array(np.arange(rows, dtype=np.int32)),
            "prompt": shared([s.prompt for s in samples], lambda prompt: _prompt(prompt, by_prompt[id(prompt)])),
            "completion": texts([sample.completion for sample in samples]),
            "token_count": integers(sample.tokens for sample in samples),
            "truncated": pa.array([bool(sample.truncated) for sample in samples], pa.bool_()),
            "stop_reason": texts(batch.stop_reasons) if batch.stop_reasons else pa.nulls(rows, pa.string()),
            "total": numbers(batch.advantages.totals, rows),
            "advantage": numbers(batch.advantages.advantages, rows),
            "trained": pa.array(batch.advantages.trained),
            "rollout_logprob": numbers(batch.rollout_logprobs, rows),
            "trainer_logprob": numbers(batch.trainer_logprobs, rows),
            "images": pa.array(files, pa.list_(pa.string())),
            "reference": shared([sample.reference for sample in samples], _context),
            "metadata": shared([sample.metadata for sample in samples], _context),
        },
        SAMPLES,
    )


def steps_table(step: int, metrics: Mapping[str, float], origin: Origin) -> pa.Table:
    """Return a row for every metric, in order of names."""
    names = sorted(metrics)
    rows = len(names)
    return _table(
        {
            "run": constant(origin.run, rows),
            "attempt": pa.array(np.full(rows, origin.attempt, dtype=np.int32)),
            "step": pa.array(np.full(rows, step, dtype=np.int32)),
            "metric": texts(names),
            "value": numbers([metrics[name] for name in names], rows),
        },
        STEPS,
    )


def _context(facts: Mapping[str, Any]) -> str | None:
    return optional_json(facts, MAX_TEXT)


def _prompt(prompt: Sequence[Message], files: Sequence[str | None]) -> str | None:
    """Encode the messages; each image is named by its file in the ledger instead of its source."""
    if not prompt:
        return None
    names = iter(files)
    return to_json([_message(message, names) for message in prompt], MAX_TEXT)


def _message(message: Message, names: Iterator[str | None]) -> Any:
    content = message.get("content")
    if not isinstance(content, list | tuple):
        return dict(message)
    return {**message, "content": [_item(item, names) for item in content]}


def _item(item: Any, names: Iterator[str | None]) -> Any:
    if isinstance(item, Mapping) and item.get("type") == "image":
        return {"type": "image", "image": next(names, None)}
    return item
