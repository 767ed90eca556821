"""From records to advantages, whatever mix of statuses the engine hands over."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Group, Record, Reward, Sample, ScoredGroup, Status
from guerdon.advantage import AdvantageConfig, compute_advantages, matrix_from


class Plain(Reward):
    name = "plain"

    def score(self, sample):
        return 1.0


REWARDS = {"answer": Plain(), "shape": Plain(weight=0.3), "seen": Plain(role="monitor")}
CONFIGS = [
    AdvantageConfig(),
    AdvantageConfig(advantage="sum", filter="any_component"),
    AdvantageConfig(advantage="gate", gates={"shape": "answer"}),
    AdvantageConfig(advantage="product"),
    AdvantageConfig(advantage="lexicographic", priority=("answer", "shape")),
]
VALUES = st.none() | st.sampled_from([0.0, 0.3, 0.5, 1.0, math.nan, math.inf, -math.inf, 1e300])
CELLS = st.tuples(st.sampled_from(list(Status)), VALUES, st.booleans())


@st.composite
def scored(draw):
    """Groups of records in which anything may be combined with anything."""
    groups = []
    for number in range(draw(st.integers(0, 3))):
        size = draw(st.integers(1, 5))
        samples = [Sample(f"{number}/{i}", "", group_id=str(number), index=i) for i in range(size)]
        records = [
            [Record(sample.id, name, status, value, masks=masks) for name, (status, value, masks) in row]
            for sample in samples
            for row in [[(name, draw(CELLS)) for name in REWARDS]]
        ]
        groups.append(ScoredGroup(Group(str(number), samples), tuple(REWARDS), records))
    return groups


def compute(groups, config):
    return compute_advantages(matrix_from(groups, REWARDS, step=1, outcome="answer"), config)


@given(scored(), st.sampled_from(CONFIGS))
def test_any_mix_of_statuses_gives_finite_advantages(groups, config):
    result = compute(groups, config)
    assert np.isfinite(result.advantages).all()
    assert np.isfinite(result.shares).all()
    np.testing.assert_allclose(result.shares.sum(axis=1), result.advantages, atol=1e-9)


@given(scored(), st.sampled_from(CONFIGS))
def test_who_lacks_a_trained_score_is_not_trained_on(groups, config):
    result = compute(groups, config)
    rows = [row for group in groups for row in group.records]
    for row, trained in zip(rows, result.trained, strict=True):
        lacking = [
            record.masks
            or (record.status is not Status.ABSTAIN and (record.value is None or not abs(record.value) <= 1e100))
            for record in row[:2]
        ]
        assert not (trained and any(lacking))


@given(scored(), scored(), st.sampled_from(CONFIGS))
def test_a_monitor_moves_nothing(groups, others, config):
    spare = [row[2] for group in others for row in group.records] or [Record("", "seen", Status.OK, 0.0)]
    changed = [
        ScoredGroup(
            group.group,
            group.components,
            [[*row[:2], spare[(position + i) % len(spare)]] for i, row in enumerate(group.records)],
        )
        for position, group in enumerate(groups)
    ]
    here, there = compute(groups, config), compute(changed, config)
    assert here.advantages.tobytes() == there.advantages.tobytes()
    assert here.trained.tobytes() == there.trained.tobytes()
