"""What of a run's record goes into the bundle, and what may not be missing from it."""

import json

import pytest

from guerdon_serving.bundle.run import (
    adapter_folder,
    describe_data,
    describe_rewards,
    describe_run,
    read_run,
    saved_steps,
)
from guerdon_serving.codes import Code, RefusedError


@pytest.fixture
def record(run_folder):
    return read_run(run_folder)


def test_the_record_of_the_trainer_is_understood(record, base_folder):
    assert record.base == str(base_folder)
    assert record.revision is None
    assert not record.dirty
    assert not record.rewards["answer"].in_a_file


def test_a_real_trainer_writes_such_a_record(tmp_path, monkeypatch):
    from guerdon.config.load import build_config
    from guerdon_trainer.folder import describe

    monkeypatch.chdir(tmp_path)
    config, plugins = build_config(
        {
            "run": {"name": "r"},
            "model": {"name_or_path": "org/tiny", "revision": "0" * 40},
            "data": {"train_manifest": "train.jsonl"},
            "outcome": "answer",
            "rewards": {"answer": {"use": "correctness"}},
        }
    )
    (tmp_path / "run.json").write_text(json.dumps(describe(config, plugins) | {"attempt": 2}), encoding="utf-8")
    record = read_run(tmp_path)
    rewards = describe_rewards(record, allow_dirty=False)
    run = describe_run(record, 7)
    assert (record.base, record.revision) == ("org/tiny", "0" * 40)
    assert (rewards["answer"].plugin, rewards["answer"].origin, rewards["answer"].dirty) == (
        "correctness",
        "guerdon",
        False,
    )
    assert (run.name, run.step, run.attempt, run.outcome, run.world_size) == ("r", 7, 2, "answer", 1)
    assert run.config["algorithm"]["max_completion_tokens"] == 1024


@pytest.mark.parametrize(
    ("git", "dirty"),
    [
        (None, True),
        ({}, True),
        ({"commit": None, "dirty": False}, True),
        ({"commit": "0" * 40, "dirty": True}, True),
        ({"commit": "0" * 40, "dirty": False}, False),
    ],
)
def test_a_tree_is_clean_only_if_git_said_so(record, git, dirty):
    assert record.model_copy(update={"git": git}).dirty is dirty


def test_rewards_bear_role_and_weight(record):
    (reward,) = describe_rewards(record, allow_dirty=False).values()
    assert (reward.role, reward.weight, reward.version) == ("train", 1.0, "0.1.0")


def test_manifests_are_digested(record):
    train, held_out = describe_data(record)
    assert (train.split, train.name) == ("train", "train.jsonl")
    assert train.sha256 != held_out.sha256
    alone = record.model_copy(
        update={"config": record.config | {"data": record.config["data"] | {"eval_manifest": None}}}
    )
    assert describe_data(alone) == [train]


def test_saved_steps_are_those_with_an_adapter(tmp_path):
    for name in ("global_step_10", "global_step_2", "global_step_x"):
        (tmp_path / "checkpoints" / name / "policy" / "lora_adapter").mkdir(parents=True)
    (tmp_path / "checkpoints" / "global_step_3" / "policy").mkdir(parents=True)
    assert saved_steps(tmp_path) == [2, 10]
    assert adapter_folder(tmp_path, 10).parent.parent.name == "global_step_10"
    with pytest.raises(RefusedError, match="checkpoints with an adapter: 2, 10") as step:
        adapter_folder(tmp_path, 3)
    with pytest.raises(RefusedError) as finished:
        adapter_folder(tmp_path, None)
    assert (step.value.code, finished.value.code) == (Code.RUN_STEP, Code.ADAPTER_MISSING)
