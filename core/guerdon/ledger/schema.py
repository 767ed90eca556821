"""The three tables of a ledger. A change here is a change of `SCHEMA_VERSION`."""

from typing import Literal

import pyarrow as pa

SCHEMA_VERSION = 1

type Phase = Literal["train", "eval", "blind"]
"""``blind`` repeats prompts with blank or shuffled pictures: the outcome must fall."""

type Sampling = Literal["sampled", "greedy"]

type TableName = Literal["records", "samples", "steps"]

_KEY = [
    ("run", pa.string()),
    ("attempt", pa.int32()),
    ("phase", pa.string()),
    ("sampling", pa.string()),
    ("step", pa.int32()),
    ("epoch_seed", pa.int64()),
    ("group_id", pa.string()),
    ("sample_id", pa.string()),
    ("repetition", pa.int32()),
]

RECORDS = pa.schema(
    [
        *_KEY,
        ("component", pa.string()),
        ("role", pa.string()),
        ("plugin", pa.string()),
        ("plugin_version", pa.string()),
        ("code_hash", pa.string()),
        ("config_hash", pa.string()),
        ("status", pa.string()),
        ("cause", pa.string()),
        ("masks", pa.bool_()),
        ("value", pa.float64()),
        ("weight", pa.float64()),
        ("contribution", pa.float64()),
        ("advantage_share", pa.float64()),
        ("reason", pa.string()),
        ("evidence", pa.string()),
        ("metrics", pa.string()),
        ("latency_ms", pa.float64()),
    ]
)
"""One row for every (sample, component), key (run, phase, sampling, step, sample_id, component).

`value` is null where nothing counts; `contribution` is null where the component is left out;
`evidence` and `metrics` are JSON, null where empty.
"""

SAMPLES = pa.schema(
    [
        *_KEY,
        ("position", pa.int32()),
        ("prompt", pa.string()),
        ("completion", pa.string()),
        ("token_count", pa.int32()),
        ("truncated", pa.bool_()),
        ("stop_reason", pa.string()),
        ("total", pa.float64()),
        ("advantage", pa.float64()),
        ("trained", pa.bool_()),
        ("rollout_logprob", pa.float64()),
        ("trainer_logprob", pa.float64()),
        ("images", pa.list_(pa.string())),
        ("reference", pa.string()),
        ("metadata", pa.string()),
    ]
)
"""One row for every sample, key (run, phase, sampling, step, sample_id).

`position` is the sample's place in the batch. `prompt`, `reference` and `metadata` are JSON;
`images` names files in the ledger's folder ``images``, null for one that could not be read. The
log-probabilities are means over the completion's tokens.
"""

STEPS = pa.schema(
    [
        ("run", pa.string()),
        ("attempt", pa.int32()),
        ("step", pa.int32()),
        ("metric", pa.string()),
        ("value", pa.float64()),
    ]
)
"""One row for every number measured in a step, key (run, step, metric)."""

SCHEMAS: dict[TableName, pa.Schema] = {"records": RECORDS, "samples": SAMPLES, "steps": STEPS}
