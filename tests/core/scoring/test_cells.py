"""What a verdict comes to."""

import json
import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Abstain, Reward, Score, Status, UnavailableError
from guerdon.scoring.cells import (
    Abstained,
    Bounds,
    Fault,
    Scored,
    bounds_of,
    cell_of,
    error_of,
    is_plain,
    timeout_of,
)
from guerdon.scoring.text import MAX_EVIDENCE, MAX_METRICS, MAX_REASON, clean_metrics, clean_text, dump_evidence

UNIT = Bounds(0.0, 1.0)


@pytest.mark.parametrize("verdict", [0.5, np.float64(0.5), np.float16(0.5), Fraction(1, 2)])
def test_numbers_become_floats(verdict):
    cell = cell_of(verdict, UNIT)
    assert cell == 0.5
    assert type(cell) is float


@pytest.mark.parametrize("verdict", [0, 1, np.int8(1), np.uint64(0)])
def test_integers_are_numbers(verdict):
    assert cell_of(verdict, UNIT) == float(verdict)


@pytest.mark.parametrize(
    ("verdict", "kind"),
    [
        (None, "none"),
        (True, "type"),
        (np.False_, "type"),
        ("0.5", "type"),
        ([0.5], "type"),
        (np.array(0.5), "type"),
        (1j, "type"),
        (object(), "type"),
        (math.nan, "finite"),
        (-math.inf, "finite"),
        (np.float32("inf"), "finite"),
        (10**400, "finite"),
        (1.001, "range"),
        (-1e-6, "range"),
    ],
)
@pytest.mark.parametrize("wrap", [lambda v: v, Score])
def test_all_else_is_an_error_with_its_kind(verdict, kind, wrap):
    cell = cell_of(wrap(verdict), UNIT)
    assert isinstance(cell, Fault)
    assert (cell.status, cell.kind, cell.infrastructure) == (Status.ERROR, kind, False)
    assert cell.reason


@given(st.floats(0, 1))
def test_the_range_includes_its_ends_and_rounding(value):
    assert cell_of(value, UNIT) == value
    assert cell_of(1.0 + 1e-10, UNIT) == 1.0
    assert cell_of(-1e-10, UNIT) == 0.0


def test_an_infinite_range_still_refuses_infinity():
    class Free(Reward):
        name = "free"
        value_range = (-math.inf, math.inf)

        def score(self, sample):
            return 0.0

    bounds = bounds_of(Free())
    assert cell_of(sys.float_info.max, bounds) == sys.float_info.max
    assert isinstance(cell_of(math.inf, bounds), Fault)
    assert isinstance(cell_of(math.nan, bounds), Fault)


def test_a_score_is_made_safe_to_store():
    cell = cell_of(Score(np.float32(1), "why\ud800", {"n": np.int64(3)}, {"m": 1}), UNIT)
    assert cell == Scored(1.0, "why\ufffd", '{"n":3}', {"m": 1.0})
    assert cell_of(Abstain("because\udc00"), UNIT) == Abstained("because\ufffd")
    assert cell_of(Score(0.5, 7), UNIT) == Scored(0.5, "7", "", {})  # type: ignore[arg-type]
    assert isinstance(cell_of(Score(0.5, "", {}, [1]), UNIT), Fault)  # type: ignore[arg-type]


def test_a_raised_exception_in_one_line():
    assert error_of(ValueError("a\n b")).reason == "ValueError: a b"
    assert error_of(KeyError()).reason == "KeyError"
    assert error_of(SystemExit("stop")).reason == "the reward called sys.exit('stop')"
    assert len(error_of(ValueError("x" * 10_000_000)).reason) <= MAX_REASON
    assert error_of(UnavailableError("503")).infrastructure
    assert not error_of(ConnectionError("503")).infrastructure


def test_plain_cells():
    assert is_plain([])
    assert is_plain([0.5, Scored(0.5, "", "", {})])
    assert not is_plain([0.5, Abstained("")])
    assert not is_plain([timeout_of(1.5)])
    assert timeout_of(1.5).reason == "no verdict within 1.5 s"


class Odd:
    pass


class Shape:
    size = 10**9

    def tolist(self):
        raise AssertionError("too large to list")


leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None, exclude_categories=()))
    | st.binary(max_size=5)
    | st.sampled_from([Odd(), Shape(), np.float32("nan"), np.arange(4), {1, 2}, 1j])
)
keys = st.text(st.characters(codec=None, exclude_categories=()), max_size=5) | st.integers() | st.none() | st.floats()
evidence = st.dictionaries(
    keys, st.recursive(leaves, lambda c: st.lists(c, max_size=4) | st.dictionaries(keys, c, max_size=4), max_leaves=20)
)


@given(evidence)
def test_any_evidence_can_be_stored(thing):
    text = dump_evidence(thing)
    text.encode()
    assert len(text) <= MAX_EVIDENCE
    if not thing:
        assert text == ""
        return
    loaded = json.loads(text, parse_constant=pytest.fail)
    assert isinstance(loaded, dict)
    json.dumps(loaded, allow_nan=False)


def test_evidence_that_is_json_is_kept_exactly():
    thing = {"spans": [[0, 4], [7, 9]], "iou": 0.25, "text": "漢字", "none": None, "yes": True}
    assert json.loads(dump_evidence(thing)) == thing


@pytest.mark.parametrize(
    "thing",
    [
        {"x": "x" * 100_000},
        {"x": [0] * 100_000},
        {"x": {"y": "漢" * 40_000}},
        {"x": {"y": [0.123456789] * 20_000}},
    ],
)
def test_large_evidence_becomes_a_note(thing):
    note = json.loads(dump_evidence(thing))["note"]
    assert note.startswith("evidence dropped: it ")
    assert str(MAX_EVIDENCE) in note


def test_evidence_with_large_poison_stays_small():
    thing = {"bad": float("nan"), "many": [float("inf")] * 50_000, "deep": [[[["x"]]]]}
    assert len(dump_evidence(thing)) <= MAX_EVIDENCE
    assert dump_evidence({"n": 10**5000, "bad": float("nan")}).startswith('{"n":"<integer of ')


@given(st.text(st.characters(codec=None, exclude_categories=())), st.integers(1, 10))
def test_any_text_can_be_written(text, limit):
    cleaned = clean_text(text, limit)
    cleaned.encode()
    assert len(cleaned) <= limit


def test_metrics_keep_the_finite_numbers():
    assert clean_metrics({"a": 1, "b": math.nan, "c": "x", "d": None, 5: True, "e": np.float32(0.5)}) == {
        "a": 1.0,
        "5": 1.0,
        "e": 0.5,
    }
    assert len(clean_metrics({str(i): i for i in range(1000)})) == MAX_METRICS
