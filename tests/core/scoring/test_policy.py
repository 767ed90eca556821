"""What failures and abstentions count as."""

import pytest

from guerdon import Record, Reward, Sample, ScoringError, Status
from guerdon.scoring.batch import ScoredGroup
from guerdon.scoring.cells import Abstained, Fault, Scored, error, timeout_of
from guerdon.scoring.policy import Failed, record_of, settle, value_of
from guerdon.scoring.records import Records

SAMPLES = [Sample(f"g/{i}", "") for i in range(3)]
BROKEN = error("ValueError", "it broke")
LOST = Fault(Status.ERROR, "infrastructure", "no worker", infrastructure=True)


class Penalty(Reward):
    name = "penalty"

    floor: float = -2.0

    def range(self):
        return self.floor, 0.0

    def score(self, sample):
        return 0.0


def settled(cells, **fields):
    return settle("p", Penalty(**fields), SAMPLES, cells)


def test_scores_pass_as_they_are():
    cells = [0.0, Scored(-1.0, "", "", {}), -2.0]
    assert settled(cells) is cells


@pytest.mark.parametrize("fault", [BROKEN, timeout_of(1)])
def test_a_failure_counts_as_the_configured_minimum(fault):
    assert settled([0.0, fault, 0.0], floor=-7)[1] == Failed(fault.status, -7.0, fault.reason, "completion", False)


@pytest.mark.parametrize("missing", ["minimum", "mask_sample", "fail", {"constant": 1.0}])
def test_infrastructure_masks_under_every_policy(missing):
    failed = settled([0.0, LOST, 0.0], missing=missing)[1]
    assert failed == Failed(Status.ERROR, None, "no worker", "infrastructure", True)


def test_a_group_abstains_as_one():
    away = Abstained("no reference")
    assert settled([away, away, away]) == [away, away, away]
    cells = settled([away, BROKEN, LOST])
    assert all(isinstance(cell, Abstained) for cell in cells)
    assert cells[1].reason == "its group abstains; its own scoring failed: it broke"


@pytest.mark.parametrize("missing", ["minimum", "mask_sample", {"constant": -0.5}])
def test_who_abstains_among_the_scored_failed(missing):
    cells = settled([Abstained("no box"), 0.0, BROKEN], missing=missing)
    assert isinstance(cells[0], Failed)
    assert cells[0][:2] == cells[2][:2]
    assert cells[0].cause == "completion"
    assert "others of its group were scored" in cells[0].reason
    assert cells[0].reason.endswith("(no box)")


def test_fail_stops_on_that_too():
    with pytest.raises(ScoringError, match="component 'p' failed on sample 'g/0': abstained while others"):
        settled([Abstained("no box"), 0.0, 0.0], missing="fail")


CELLS = [0.5, Scored(0.25, "why", '{"a": [1]}', {"m": 1.0}), Abstained("away"), settled([BROKEN, 0.0, 0.0])[0]]


def test_records_say_what_cells_held():
    assert [record_of("s", "c", cell, 0.002) for cell in CELLS] == [
        Record("s", "c", Status.OK, 0.5, latency_ms=2.0),
        Record("s", "c", Status.OK, 0.25, "why", {"a": [1]}, {"m": 1.0}, latency_ms=2.0),
        Record("s", "c", Status.ABSTAIN, None, "away", latency_ms=2.0),
        Record("s", "c", Status.ERROR, -2.0, "it broke", cause="completion", latency_ms=2.0),
    ]
    assert [value_of(cell) for cell in CELLS] == [0.5, 0.25, None, -2.0]


def test_records_are_a_sequence_of_rows():
    records = Records(["a", "b"], ["x", "y"], [CELLS[:2], CELLS[2:]], [[0.0, 0.0], [0.0, 0.0]])
    plain = tuple(tuple(row) for row in records)
    assert len(records) == 2
    assert records == plain
    assert records[:] == plain
    assert records[-1] == plain[1]
    assert records[0:1] == plain[0:1]
    assert records[0] is records[0]
    assert records != plain[:1]
    assert records != 5
    assert repr(records) == repr(plain)
    assert records.values() == [(0.5, None), (0.25, -2.0)]
    with pytest.raises(IndexError):
        records[2]


def test_values_of_plain_tuples():
    row = (Record("a", "x", Status.OK, 0.5), Record("a", "y", Status.ABSTAIN))
    assert ScoredGroup(None, ("x", "y"), (row,)).values() == [(0.5, None)]  # type: ignore[arg-type]
