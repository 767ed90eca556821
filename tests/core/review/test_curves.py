import numpy as np
import pytest

from guerdon.ledger import Ledger
from guerdon.review.curves import component_curve, metric_lines, sample_lines
from guerdon.review.groups import read_groups
from guerdon.review.prompts import read_prompts

BOUNDS = (0.0, 1.0)


@pytest.fixture(scope="module")
def ledger(honest):
    return Ledger(honest / "ledger")


@pytest.fixture(scope="module")
def groups(ledger):
    return read_groups(ledger, read_prompts(ledger))


def test_a_curve_follows_the_records(ledger, groups):
    curve = component_curve(groups, "answer", BOUNDS)
    assert curve.steps == (1, 2, 3, 4, 5)
    for step, estimate, spread in zip(curve.steps, curve.means, curve.spread, strict=True):
        rows = ledger.records(phase="train", steps=[step], components=["answer"]).to_pylist()
        values = {}
        for row in rows:
            values.setdefault(row["group_id"], []).append(row["value"])
        assert estimate.value == pytest.approx(np.mean([row["value"] for row in rows]))
        assert estimate.low <= estimate.value <= estimate.high
        assert spread == pytest.approx(np.mean([max(one) - min(one) for one in values.values()]))


def test_statuses_are_shares_of_all_records(groups):
    curve = component_curve(groups, "boxes", BOUNDS)
    for k in range(len(curve.steps)):
        assert sum(shares[k] for shares in curve.statuses.values()) == pytest.approx(1.0)
    assert max(curve.statuses["abstain"]) > 0


def test_a_curve_of_one_modality(groups):
    text = component_curve(groups, "boxes", BOUNDS, modalities=["text"])
    assert all(np.isnan(estimate.value) for estimate in text.means)
    assert all(np.isnan(spread) for spread in text.spread)
    assert set(text.statuses["abstain"]) == {1.0}


def test_a_curve_of_evaluations(groups):
    assert component_curve(groups, "answer", BOUNDS, phase="eval", sampling="greedy").steps == (0, 5)


def test_lines_of_samples_and_metrics(ledger):
    samples = sample_lines(ledger)
    assert set(samples) == {"total", "length", "truncated", "trained", "logprob_difference"}
    assert samples["total"].steps == (1, 2, 3, 4, 5)
    assert np.isnan(samples["logprob_difference"].values).all()
    metrics = metric_lines(ledger)
    assert metrics["kl"].values == pytest.approx((0.01, 0.02, 0.03, 0.04, 0.05))
