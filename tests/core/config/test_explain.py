"""`config explain`: each field once, with its source and what it becomes."""

import pytest

from guerdon.config import build_config
from guerdon.config.explain import explain


@pytest.fixture
def rows(data):
    def rows(*overrides, **fields):
        config, plugins = build_config(data(**fields))
        return {row[0]: row[1:] for row in explain(config, plugins, overrides)}

    return rows


def test_every_field_stands_once_with_its_source(data, rows):
    config, plugins = build_config(data())
    fields = [row[0] for row in explain(config, plugins)]
    assert len(fields) == len(set(fields))
    found = rows()
    assert found["run.name"][:2] == ("chart-qa", "file")
    assert found["run.seed"][:2] == ("0", "default")
    assert found["rewards.boxes.use"][:2] == ("grounding", "file")
    assert found["rewards.boxes.weight"][:2] == ("0.5", "file")
    assert found["rewards.answer.weight"][:2] == ("1.0", "default")
    assert found["skyrl"][:2] == ("{}", "default")


def test_what_a_field_becomes_is_the_trainers_answer(rows):
    found = rows(runtime__prompts_per_step=4)
    assert found["runtime.prompts_per_step"] == ("4", "file", "trainer.train_batch_size=4")
    assert found["runtime.gradient_accumulation_steps"][2] == "trainer.policy_mini_batch_size=2"
    assert found["runtime.scoring_workers"][2] == ""


@pytest.mark.parametrize(
    ("override", "field"),
    [
        ("run.seed=1", "run.seed"),
        ("rewards.boxes.weight=1", "rewards.boxes.weight"),
        ("rewards.boxes={use: grounding}", "rewards.boxes.tau"),
        ("skyrl.trainer.x=1", "skyrl"),
    ],
)
def test_an_override_is_told_as_the_source(override, field, rows):
    found = rows(override)
    assert found[field][1] == "override"
    assert found["rewards.answer.weight"][1] == "default"
    assert found["run.name"][1] == "file"


def test_nested_fields_and_schedules_have_rows_of_their_own(rows):
    found = rows(
        rewards__boxes__weight={"schedule": "linear", "start": 0, "end": 1, "last": 5},
        rewards__boxes__limits={"concurrency": 3},
    )
    assert found["rewards.boxes.weight.last"][:2] == ("5", "file")
    assert found["rewards.boxes.weight.first"][:2] == ("1", "default")
    assert found["rewards.boxes.limits.concurrency"][:2] == ("3", "file")


def test_a_long_value_is_cut(rows):
    value = rows(adapter__target_modules=[f"module_{i}" for i in range(40)])["adapter.target_modules"][0]
    assert len(value) == 80
    assert value.endswith("...")
