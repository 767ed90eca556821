import math

import numpy as np
import pytest

from guerdon import Group, Record, Reward, Sample, ScoredGroup, ScoringError, Status
from guerdon.advantage import matrix_from
from guerdon.schedule import Linear


class Plain(Reward):
    name = "plain"
    value_range = (-1.0, 2.0)

    def score(self, sample):
        return 1.0


REWARDS = {
    "answer": Plain(weight=2.0),
    "brief": Plain(weight=Linear(schedule="linear", start=0, end=1, last=11), min_spread=0.1),
    "seen": Plain(role="monitor"),
}


def scored(name, *rows, truncated=()):
    """A group from rows of (status, value, masks), one for each component."""
    samples = [
        Sample(f"{name}/{i}", "text", group_id=name, index=i, truncated=i in truncated) for i in range(len(rows))
    ]
    records = [
        [
            Record(sample.id, component, Status(status), value, masks=masks)
            for component, (status, value, masks) in zip(REWARDS, row, strict=True)
        ]
        for sample, row in zip(samples, rows, strict=True)
    ]
    return ScoredGroup(Group(name, samples), tuple(REWARDS), records)


def ok(value):
    return ("ok", value, False)


ABSTAIN = ("abstain", None, False)
MASKING = ("timeout", None, True)
PLAIN = (ok(1.0), ok(0.5), ok(0.0))


def build(*groups, step=1, outcome="answer", **options):
    return matrix_from(groups, REWARDS, step=step, outcome=outcome, **options)


def test_it_lays_out_samples_in_order_with_the_facts_of_their_components():
    matrix = build(scored("g", PLAIN, (ok(0.0), ok(0.2), ok(1.0))), scored("h", PLAIN), step=6)
    assert matrix.values.tolist() == [[1.0, 0.5, 0.0], [0.0, 0.2, 1.0], [1.0, 0.5, 0.0]]
    assert matrix.groups.tolist() == [0, 0, 1]
    assert matrix.components == ("answer", "brief", "seen")
    assert matrix.weights.tolist() == [2.0, 0.5, 1.0]
    assert matrix.min_spread.tolist() == [0.0, 0.1, 0.0]
    assert (matrix.low[0], matrix.high[0]) == (-1.0, 2.0)
    assert matrix.trained_on.tolist() == [True, True, False]
    assert matrix.outcome == 0
    assert not matrix.masked.any()


def test_a_failure_that_the_completion_caused_counts_with_its_value():
    matrix = build(scored("g", PLAIN, (("error", -1.0, False), ok(0.5), ok(0.0))))
    assert matrix.values[1, 0] == -1.0
    assert not matrix.masked.any()


def test_a_failure_of_the_infrastructure_masks_its_sample_alone():
    matrix = build(scored("g", PLAIN, (MASKING, ok(0.5), ok(0.0)), PLAIN))
    assert matrix.masked.tolist() == [False, True, False]
    assert matrix.values[[0, 2], 0].tolist() == [1.0, 1.0]


def test_a_monitor_masks_nothing():
    matrix = build(scored("g", PLAIN, (ok(1.0), ok(0.5), MASKING), (ok(1.0), ok(0.5), ("error", None, False))))
    assert not matrix.masked.any()
    assert np.isnan(matrix.values[1:, 2]).all()


def test_a_group_abstains_as_one():
    matrix = build(scored("g", PLAIN, (ok(1.0), ABSTAIN, ok(0.0))), scored("h", PLAIN, PLAIN))
    assert np.isnan(matrix.values[:2, 1]).all()
    assert not np.isnan(matrix.values[2:]).any()
    assert not matrix.masked.any()


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf, 1e101])
def test_a_trained_value_that_is_none_masks_and_never_becomes_zero(value):
    matrix = build(scored("g", PLAIN, (("ok", value, False), ok(0.5), ok(0.0))))
    assert matrix.masked.tolist() == [False, True]
    assert math.isnan(matrix.values[1, 0])


def test_truncated_completions_are_masked_only_if_asked_for():
    group = scored("g", PLAIN, PLAIN, truncated={1})
    assert build(group).masked.tolist() == [False, False]
    assert build(group, mask_truncated=True).masked.tolist() == [False, True]


def test_an_empty_batch_gives_an_empty_matrix():
    matrix = build()
    assert matrix.values.shape == (0, 3)
    assert matrix.masked.shape == (0,)


def test_other_components_than_the_runs_are_refused():
    group = scored("g", PLAIN)
    other = ScoredGroup(group.group, ("answer", "seen", "brief"), group.records)
    with pytest.raises(ScoringError, match=r"group 'g' carries components \['answer', 'seen', 'brief'\]"):
        build(other)


def test_missing_rows_or_records_are_refused():
    group = scored("g", PLAIN, PLAIN)
    for records in (group.records[:1], [group.records[0], group.records[1][:2]]):
        with pytest.raises(ScoringError, match="one for each sample and component"):
            build(ScoredGroup(group.group, group.components, records))


def test_an_undeclared_outcome_is_none():
    assert build(scored("g", PLAIN), outcome=None).outcome is None
