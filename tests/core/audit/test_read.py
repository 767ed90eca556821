import math

import numpy as np
import pytest
from tests.core.review import built_runs

from guerdon import Record, Status
from guerdon.audit import read_history
from guerdon.review import open_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    def judge(sample, component, phase, step):
        if component == "boxes" and sample.images and sample.index == 1 and step == 2:
            return Record(sample.id, component, Status.ERROR, 0.0, cause="completion", reason="ValueError")
        return None

    return built_runs.build_run(tmp_path_factory.mktemp("read") / "run", judge=judge)


def test_sums_are_those_of_the_rows(folder):
    run = open_run(folder)
    history = read_history(run)
    groups = history.groups
    assert list(history.steps) == [1, 2, 3, 4, 5]
    assert len(groups.step) == 30
    records, samples = run.ledger.records(phase="train").to_pylist(), run.ledger.samples(phase="train").to_pylist()
    for name in ("answer", "boxes", "shape"):
        values = [row["value"] for row in records if row["component"] == name and row["value"] is not None]
        column = history.column(name)
        assert groups.sums[:, column].sum() == pytest.approx(sum(values))
        assert groups.counts[:, column].sum() == len(values)
    totals = [row["total"] for row in samples]
    assert groups.totals.sum() == pytest.approx(sum(totals))
    products = [row["total"] * row["token_count"] for row in samples]
    assert groups.length.xy.sum() == pytest.approx(sum(products))
    gold = {(row["step"], row["sample_id"]): row["value"] for row in records if row["component"] == "answer"}
    products = [row["total"] * gold[row["step"], row["sample_id"]] for row in samples]
    assert groups.gold.xy.sum() == pytest.approx(sum(products))
    assert groups.size.sum() == len(samples)


def test_failures_pictures_and_metrics_are_read(folder):
    history = read_history(open_run(folder))
    failed = history.groups.failed[:, history.column("boxes")]
    assert failed[history.groups.step == 2].sum() > 0
    assert failed[history.groups.step != 2].sum() == 0
    assert 0 < history.groups.visual.sum() < len(history.groups.visual)
    assert history.metrics["kl"] == pytest.approx(0.01 * np.arange(1, 6))


def test_evaluations_hold_the_outcome(folder):
    run = open_run(folder)
    found = read_history(run).evaluations
    assert {(one.phase, one.sampling, one.step) for one in found} == {
        ("eval", sampling, step) for sampling in ("greedy", "sampled") for step in (0, 5)
    }
    rows = run.ledger.records(phase="eval", sampling="greedy", steps=[5], components=["answer"])
    (mine,) = [one for one in found if (one.sampling, one.step) == ("greedy", 5)]
    assert mine.sums.sum() == pytest.approx(sum(rows["value"].to_pylist()))


def test_a_metric_that_is_missing_at_a_step_is_nan(tmp_path):
    run = built_runs.build_run(tmp_path / "run", metrics=lambda step: {"kl": 0.5} if step == 3 else {"loss": 1.0})
    kl = read_history(open_run(run)).metrics["kl"]
    assert [math.isnan(value) for value in kl] == [True, True, False, True, True]
