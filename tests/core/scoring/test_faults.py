"""Every way in which a reward can fail gives its status on the right record, and nothing else changes."""

import json
from collections.abc import Iterator

import pytest

from guerdon import Record, Status
from guerdon.scoring.engine import Engine

FAULTS = {
    # what the reward does: status, and what the reason says
    "raise": (Status.ERROR, "ValueError: first line second line"),
    "bad message": (Status.ERROR, "UnprintableError: (its message cannot be rendered)"),
    "interrupt": (Status.ERROR, "KeyboardInterrupt"),
    "cancel": (Status.ERROR, "CancelledError"),
    "sys.exit": (Status.ERROR, "called sys.exit(3)"),
    "os._exit": (Status.ERROR, "ended its process, exit code 3"),
    "exit 0": (Status.ERROR, "ended its process, exit code 0"),
    "hang": (Status.TIMEOUT, "no verdict within 2 s"),
    "hang in c": (Status.TIMEOUT, "no verdict within 2 s"),
    "segfault": (Status.ERROR, "died by SIGSEGV"),
    "memory": (Status.ERROR, "MemoryError"),
    "recursion": (Status.ERROR, "RecursionError"),
    "kill itself": (Status.ERROR, "died by SIGKILL"),
    "close descriptors": (Status.ERROR, "ended its process"),
    "nan": (Status.ERROR, "returned nan; a value must be finite"),
    "inf": (Status.ERROR, "returned inf"),
    "numpy nan": (Status.ERROR, "returned nan"),
    "none": (Status.ERROR, "returned None; return Abstain(reason)"),
    "bool": (Status.ERROR, "returned bool True; return a float, Score or Abstain"),
    "numpy bool": (Status.ERROR, "returned bool"),
    "string": (Status.ERROR, "returned str '1.0'"),
    "array": (Status.ERROR, "returned ndarray"),
    "decimal": (Status.ERROR, "returned Decimal"),
    "huge integer": (Status.ERROR, "returned inf"),
    "low": (Status.ERROR, "returned -0.5, outside its declared range [0, 1]"),
    "high": (Status.ERROR, "returned 1.5, outside its declared range [0, 1]"),
    "score of none": (Status.ERROR, "returned None"),
    "score of nan": (Status.ERROR, "returned nan"),
    "evidence is a list": (Status.ERROR, "a Score whose evidence is list and whose metrics are mappingproxy"),
    "unpicklable": (Status.ERROR, "returned Unpicklable"),
}

FINE = {
    # what the reward does: the value that stands
    "float": 0.5,
    "integer": 1.0,
    "numpy float": 0.5,
    "rounding": 1.0,
    "score": 0.5,
    "big evidence": 0.5,
    "unpicklable evidence": 0.5,
    "nan evidence": 0.5,
    "surrogate": 0.5,
    "cycle": 0.5,
    "deep": 0.5,
    "long reason": 0.5,
    "bad metrics": 0.5,
    "print": 0.5,
    "fork": 0.5,
    "thread": 0.5,
    "leave a child": 0.5,
    "change everything": 0.5,
}


@pytest.fixture(scope="module")
def records(plugins, make, group_of, column) -> Iterator[dict[str, Record]]:
    """One group in which every second sample fails in its own way."""
    completions = [name for fault in FAULTS for name in (fault, "float")] + [*FINE]
    rewards = {"obedient": make("obedient", timeout_s=2), "honest": make("length_of_text")}
    with Engine(rewards, plugins=plugins, memory_mb=2048) as engine:
        [scored] = engine.score([group_of(completions)])
    assert len(scored.records) == len(completions)
    for sample, record in zip(scored.group.samples, column(scored, "honest"), strict=True):
        assert record.status == Status.OK
        assert record.value == len(sample.completion)
    by_text: dict[str, Record] = {}
    for sample, record in zip(scored.group.samples, column(scored, "obedient"), strict=True):
        assert record.sample_id == sample.id
        assert record.component == "obedient"
        by_text[sample.completion] = record
    return by_text


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_counts_as_the_minimum_and_says_why(records, name):
    status, reason = FAULTS[name]
    record = records[name]
    assert record.status == status
    assert reason in record.reason
    assert "again on a fresh worker" in record.reason
    assert record.value == 0.0
    assert record.cause == "completion"
    assert not record.masks


@pytest.mark.parametrize("name", FINE)
def test_what_can_be_scored_is(records, name):
    record = records[name]
    assert record.status == Status.OK, record.reason
    assert record.value == FINE[name]
    assert record.cause == ""
    assert not record.masks


def test_every_record_can_be_written(records):
    for record in records.values():
        text = json.dumps([record.reason, dict(record.evidence), dict(record.metrics)], allow_nan=False)
        json.dumps([record.reason, dict(record.evidence)], ensure_ascii=False).encode()
        assert len(text) < 100_000


def test_evidence_survives_as_far_as_json_goes(records):
    assert records["score"].evidence == {"box": [1, 2]}
    assert records["score"].metrics == {"iou": 0.5}
    assert records["nan evidence"].evidence == {"iou": "NaN", "n": "Infinity", "a": [0, 1, 2]}
    assert "50000" in records["big evidence"].evidence["note"]
    assert records["cycle"].evidence["self"] == "<cycle>"
    assert records["surrogate"].reason == "a\ufffdb"
    assert records["surrogate"].evidence == {"k\ufffd": "v\ufffd"}
    assert records["surrogate"].metrics == {"m\ufffd": 1.0}
    assert records["bad metrics"].metrics == {"fine": 1.0}
    assert len(records["long reason"].reason) <= 2000
