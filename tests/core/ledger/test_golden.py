"""The contracts that everything later builds on. A change here needs a new SCHEMA_VERSION or API_VERSION."""

import dataclasses
import json
import os
from pathlib import Path
from typing import get_args

from guerdon import Abstain, Group, Record, Sample, Score, ScoredGroup, Status
from guerdon.ledger.schema import SCHEMA_VERSION, SCHEMAS, Phase, Sampling
from guerdon.reward import API_VERSION
from guerdon.score import Cause

GOLDEN = Path(__file__).with_name("golden.json")


def contracts():
    """What is frozen, as JSON."""
    return {
        "schema_version": SCHEMA_VERSION,
        "api_version": API_VERSION,
        "tables": {name: {field.name: str(field.type) for field in schema} for name, schema in SCHEMAS.items()},
        "dataclasses": {
            cls.__name__: [field.name for field in dataclasses.fields(cls)]
            for cls in (Sample, Group, Score, Abstain, Record, ScoredGroup)
        },
        "statuses": [status.value for status in Status],
        "causes": list(get_args(Cause.__value__)),
        "phases": list(get_args(Phase.__value__)),
        "samplings": list(get_args(Sampling.__value__)),
    }


def test_the_contracts_are_those_on_file():
    """Set ``GUERDON_WRITE_GOLDEN=1`` to write the file anew after a change that is meant."""
    if os.environ.get("GUERDON_WRITE_GOLDEN"):
        GOLDEN.write_text(json.dumps(contracts(), indent=2) + "\n", encoding="utf-8")
    assert contracts() == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_the_key_of_a_row_comes_first_in_both_tables():
    key = ["run", "attempt", "phase", "sampling", "step", "epoch_seed", "group_id", "sample_id", "repetition"]
    assert SCHEMAS["records"].names[: len(key)] == SCHEMAS["samples"].names[: len(key)] == key
