"""Whatever a model or a reward writes, the step's rows are written and can be read."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guerdon import Group, LazyImage, ScoredGroup
from guerdon.ledger import Ledger, verify
from guerdon.ledger.text import MAX_JSON, as_text, to_json

ANY_TEXT = st.text(st.characters(codec=None, categories=None))
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT | st.binary() | st.just(object()),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(ANY_TEXT | st.integers() | st.none(), inner, max_size=3)
        | st.tuples(inner)
    ),
    max_leaves=8,
)


def cycle():
    knot: dict[str, object] = {}
    knot["self"] = [knot]
    return knot


def deep():
    nest: dict[str, object] = {}
    for _ in range(5_000):
        nest = {"in": nest}
    return nest


class Hostile(dict):
    def items(self):
        raise RuntimeError("no")

    def __bool__(self):
        raise RuntimeError("no")


class Unshowable:
    def __repr__(self):
        raise RuntimeError("no")


EVIDENCE = {
    "nan": {"iou": math.nan, "gap": -math.inf},
    "cycle": cycle(),
    "deep": deep(),
    "surrogate": {"text": "\ud800 lone", "\udfff": 1},
    "null byte": {"text": "a\x00b"},
    "huge": {"text": "x" * 3_000_000},
    "wide": {"items": list(range(200_000))},
    "numpy": {"box": np.array([1.5, 2.5]), "iou": np.float32(0.5), "n": np.int64(3)},
    "foreign": {"what": Unshowable(), "bytes": b"\xff", "set": {1}},
    "hostile": {"inner": Hostile(a=1)},
    "hostile itself": Hostile(a=1),
    "big integer": {"n": 10**400},
    "keys": {1: "a", None: "b", (1, 2): "c"},
}


@pytest.mark.parametrize("evidence", EVIDENCE.values(), ids=EVIDENCE)
def test_poisoned_evidence_is_written_as_json_that_duckdb_reads(writer, batch, groups, tmp_path, evidence):
    scored = groups(1)
    first = scored[0].records[0]
    records = [[replace(first[0], evidence=evidence), *first[1:]], *scored[0].records[1:]]
    scored[0] = replace(scored[0], records=records)
    with writer() as out:
        out.write_batch(batch(1, scored=scored))
    ledger = Ledger(tmp_path / "ledger")
    assert verify(ledger, steps=[1], groups=3, group_size=4) == []
    text = ledger.records().to_pylist()[0]["evidence"]
    assert len(text) <= MAX_JSON
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert ledger.sql("SELECT count(*) AS n FROM records WHERE json_valid(evidence)").to_pylist()[0]["n"] >= 1


@settings(deadline=None)
@given(ANYTHING)
def test_to_json_takes_anything(value):
    json.loads(to_json(value)).__class__  # noqa: B018 - decoding is the check
    to_json(value).encode()


def test_to_json_keeps_what_json_can_hold():
    value = {"span": [3, 4], "iou": 0.1 + 0.2, "text": "答案是 B", "none": None, "flag": True, "n": 2**60}
    assert json.loads(to_json(value)) == value


def test_to_json_says_what_it_could_not_hold():
    assert json.loads(to_json({"a": math.nan, "b": [math.inf]})) == {"a": "NaN", "b": ["Infinity"]}
    assert "cycle" in to_json(cycle())
    assert json.loads(to_json(["x" * 50], limit=20)) == {"cut": 54, "head": '["xxxxxxxx'}


@settings(deadline=None)
@given(ANY_TEXT | st.integers() | st.none(), st.integers(5, 30))
def test_as_text_always_fits(value, limit):
    text = as_text(value, limit)
    text.encode()
    assert len(text) <= limit + 4 or not isinstance(value, str)


def test_poisoned_texts_and_facts_are_written(writer, batch, groups, tmp_path):
    scored = groups(1)
    samples = list(scored[0].group.samples)
    samples[0] = replace(samples[0], completion="\ud83d lone \x00", metadata={"bad": "\udc00", "nan": math.nan})
    samples[1] = replace(samples[1], completion="y" * 2_000_000, reference=cycle(), images=[LazyImage("\ud800.png")])
    samples[2] = replace(samples[2], prompt=[{"role": "user", "content": "plain"}, {"role": "user", "content": None}])
    records = [[replace(record, reason="\ud800" * 9_000) for record in row] for row in scored[0].records]
    scored[0] = ScoredGroup(Group(scored[0].group.id, samples), scored[0].components, records)
    with writer() as out:
        out.write_batch(batch(1, scored=scored, stop_reasons=["\ud800"] * 12, rollout_logprobs=["no", None, *[0] * 10]))
        out.write_step(1, {"loss": math.inf, "text": "words", "none": None, "array": np.float32(2)})
    ledger = Ledger(tmp_path / "ledger")
    assert verify(ledger) == []
    rows = ledger.samples().to_pylist()
    assert "lone" in rows[0]["completion"]
    assert 900_000 < len(rows[1]["completion"]) < 1_100_000
    assert "cycle" in rows[1]["reference"]
    assert rows[1]["images"] == [None]
    assert [row["rollout_logprob"] for row in rows[:3]] == [None, None, 0]
    assert {row["metric"]: row["value"] for row in ledger.steps().to_pylist()} == {
        "array": 2.0,
        "loss": math.inf,
        "none": None,
        "text": None,
    }
