import numpy as np
import pytest

from guerdon.ledger import Ledger
from guerdon.review.groups import read_groups
from guerdon.review.prompts import read_prompts


@pytest.fixture(scope="module")
def ledger(honest):
    return Ledger(honest / "ledger")


@pytest.fixture(scope="module")
def groups(ledger):
    return read_groups(ledger, read_prompts(ledger))


def test_sums_are_those_of_the_records(ledger, groups):
    rows = ledger.records(phase="train", steps=[3], components=["answer"]).to_pylist()
    observed = groups.observed(groups.chosen(component="answer", steps=[3]))
    assert observed.mean == pytest.approx(np.mean([row["value"] for row in rows]))
    assert observed.counts.sum() == len(rows) == 24


def test_steps_and_components_are_listed(groups):
    assert groups.steps() == [1, 2, 3, 4, 5]
    assert groups.steps("eval", "greedy") == [0, 5]
    assert groups.components() == ["answer", "boxes", "shape"]


def test_a_component_that_abstains_is_left_out_of_means_and_counted_in_statuses(groups):
    text = groups.chosen(component="boxes", modalities=["text"])
    assert len(groups.observed(text).sums) == 0
    assert groups.statuses(text)["ok"] == 0
    assert groups.statuses(text)["abstain"] > 0
    assert groups.statuses(groups.chosen(component="boxes", modalities=["image", "images"]))["abstain"] == 0


def test_a_prompt_that_comes_twice_is_one_prompt(groups):
    observed = groups.observed(groups.chosen(component="answer"))
    assert len(observed.sums) == 18  # 6 prompts a step, out of 18
    assert observed.counts.sum() == 5 * 6 * 4


def test_an_evaluation_is_apart_from_training(groups):
    assert groups.statuses(groups.chosen(phase="eval", sampling="greedy", component="answer"))["ok"] == 24
