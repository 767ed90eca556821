"""Numbers worth a curve, by hand and where values are missing."""

import math

import pytest

from guerdon import Group, Record, Sample, ScoredGroup, Status
from guerdon.advantage import AdvantageConfig, compute_advantages, matrix_from
from guerdon.config import build_config
from guerdon_trainer.measures import component_measures, training_measures

REWARDS = {"answer": {"use": "correctness"}, "brief": {"use": "length", "max_len": 9, "cache_len": 3, "weight": 0.5}}


@pytest.fixture(scope="module")
def rewards():
    data = {
        "run": {"name": "t"},
        "model": {"name_or_path": "./m"},
        "data": {"train_manifest": "t"},
        "outcome": "answer",
        "rewards": REWARDS,
    }
    return build_config(data)[0].rewards


def group(name, *rows):
    """Rows of (answer, brief): numbers, or records without the names."""
    samples, records = [], []
    for index, row in enumerate(rows):
        sample = Sample(f"{name}/{index}", "x", group_id=name, index=index)
        samples.append(sample)
        records.append([_record(sample.id, component, cell) for component, cell in zip(REWARDS, row, strict=True)])
    return ScoredGroup(Group(name, samples), tuple(REWARDS), records)


def _record(sample, component, cell):
    if isinstance(cell, int | float):
        return Record(sample, component, Status.OK, float(cell))
    status, value, metrics = cell
    masks = status in (Status.ERROR, Status.TIMEOUT) and value is None
    return Record(sample, component, status, value, metrics=metrics, masks=masks)


def measured(rewards, *scored):
    matrix = matrix_from(scored, rewards, step=1, outcome="answer")
    return training_measures(scored, matrix, compute_advantages(matrix, AdvantageConfig(advantage="sum")), "answer")


def test_the_measures_of_a_step(rewards):
    found = measured(rewards, group("p", (1, 0), (0, -1)), group("q", (1, 0), (1, 0)))
    assert found["component/answer/mean"] == found["component/outcome"] == 0.75
    assert found["component/brief/mean"] == -0.25
    assert found["component/answer/spread"] == 0.5
    assert found["component/answer/ok"] == 1.0
    assert found["component/answer/error"] == found["component/answer/timeout"] == 0.0
    assert found["total/mean"] == pytest.approx((1 - 0.5 + 1 + 1) / 4)
    assert found["groups/constant"] == 0.5
    assert found["samples/trained"] == 1.0
    assert found["advantage/abs_mean"] == pytest.approx(0.5, rel=0.5)


def test_shares_of_statuses_and_masked_samples(rewards):
    timeout, abstain = (Status.TIMEOUT, None, {}), (Status.ABSTAIN, None, {})
    answers = (1, timeout, 0, (Status.ERROR, 0.0, {}))
    found = measured(rewards, group("p", *((answer, abstain) for answer in answers)))
    assert found["component/answer/ok"] == 0.5
    assert found["component/answer/timeout"] == found["component/answer/error"] == 0.25
    assert found["component/answer/mean"] == pytest.approx(1 / 3)
    assert found["component/brief/abstain"] == 1.0
    assert found["samples/trained"] == 0.75


def test_a_component_without_any_value_is_nan_without_a_warning(rewards):
    abstain = (Status.ABSTAIN, None, {})
    found = measured(rewards, group("p", (1, abstain), (0, abstain)))
    assert math.isnan(found["component/brief/mean"])
    assert math.isnan(found["component/brief/spread"])
    assert found["component/answer/spread"] == 1.0


def test_nothing_usable_at_all(rewards):
    lost = (Status.ERROR, None, {})
    found = measured(rewards, group("p", (lost, lost), (lost, lost)))
    assert math.isnan(found["total/mean"])
    assert found["samples/trained"] == 0.0
    assert found["groups/constant"] == 1.0
    assert found["advantage/abs_mean"] == 0.0


def test_own_metrics_are_means_and_take_over_no_name_of_ours():
    metrics = {"iou": 0.5, "mean": 9.0, "ok": 9.0, "error": 9.0}
    scored = [group("p", ((Status.OK, 1.0, metrics), 0), ((Status.OK, 0.0, {"iou": 1.0}), 0))]
    found = component_measures(scored, "eval/greedy", "answer")
    assert found["eval/greedy/answer/iou"] == 0.75
    assert found["eval/greedy/answer/mean"] == found["eval/greedy/outcome"] == 0.5
    assert found["eval/greedy/answer/ok"] == 1.0
    assert found["eval/greedy/answer/error"] == 0.0
