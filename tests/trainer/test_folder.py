"""The folder of a run: who may go on in it, and what it tells about how the run came to be."""

import hashlib
import json
import subprocess

import pytest

from guerdon import RunError
from guerdon.config import build_config, dump_config, identity
from guerdon_trainer.folder import RunFolder, describe, open_run

OURS = """
from typing import ClassVar

from guerdon import Reward, hookimpl


class One(Reward):
    name: ClassVar[str] = "one"

    def score(self, sample):
        return 1.0


@hookimpl
def register_rewards(register):
    register(One)
"""


def file_digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def opened(run_config):
    def opened(**sections):
        config, plugins = build_config(dump_config(run_config(**sections)))
        return open_run(config, plugins)

    return opened


def test_paths_lie_below_the_run(tmp_path):
    folder = RunFolder(tmp_path / "demo")
    below = [folder.record, folder.ledger, folder.checkpoints, folder.adapter, folder.scratch, folder.logs]
    assert all(path.is_relative_to(tmp_path / "demo") for path in [*below, folder.tensorboard])
    assert len({*below, folder.tensorboard}) == 7


def test_a_new_run_is_the_first_attempt_and_records_itself(opened, run_config, tmp_path):
    folder, attempt = opened()
    assert attempt == 1
    assert folder.path == tmp_path / "runs" / "t"
    record = json.loads(folder.record.read_text())
    assert record["attempt"] == 1
    again, _ = build_config(record["config"])
    assert again == run_config()
    assert record["config_hash"] == identity(run_config())
    assert record["rewards"]["answer"]["plugin"] == "correctness"
    assert len(record["rewards"]["answer"]["code_hash"]) == 64
    assert {"guerdon", "torch", "skyrl"} <= record["versions"].keys()
    assert not list(folder.path.glob("*.tmp"))


def test_the_same_run_resumes_and_counts_its_attempts(opened):
    opened()
    assert opened()[1] == 2
    assert opened()[1] == 3


def test_fields_that_do_not_make_it_another_run_may_change(opened):
    opened()
    folder, attempt = opened(runtime={"steps": 9, "eval_interval": 1})
    assert attempt == 2
    assert json.loads(folder.record.read_text())["config"]["runtime"]["steps"] == 9


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        ({"algorithm": {"learning_rate": 1e-4}}, "algorithm.learning_rate: 1e-05 -> 0.0001"),
        ({"run": {"seed": 5}}, "run.seed: 0 -> 5"),
        ({"rewards": {"brief": {"use": "length", "max_len": 9, "cache_len": 3}}}, "rewards.brief: None -> {"),
        ({"adapter": {"target_modules": ["q_proj"]}}, "adapter.target_modules: ["),
    ],
)
def test_another_configuration_may_not_and_the_differences_are_named(sections, said, opened):
    folder, _ = opened()
    before = folder.record.read_text()
    with pytest.raises(RunError) as caught:
        opened(**sections)
    assert said in str(caught.value)
    assert "Choose another run.name, or restore the configuration to resume" in str(caught.value)
    assert folder.record.read_text() == before


def test_other_prompts_under_the_same_name_may_not(opened, tmp_path):
    manifest = tmp_path / "train.jsonl"
    manifest.write_text('{"id": "a"}\n')
    data = {"train_manifest": str(manifest)}
    folder, _ = opened(data=data)
    assert json.loads(folder.record.read_text())["data"] == {"train": file_digest(manifest), "eval": None}
    manifest.write_text('{"id": "b"}\n')
    with pytest.raises(RunError, match=r"has changed: data\.train_manifest\. Choose another run\.name, or restore it"):
        opened(data=data)


def test_other_code_under_the_same_name_may_not(opened, tmp_path):
    plugin = tmp_path / "ours.py"
    plugin.write_text(OURS)
    sections = {"plugins": [str(plugin)], "rewards": {"answer": {"use": "correctness"}, "one": {"use": "one"}}}
    opened(**sections)
    assert opened(**sections)[1] == 2
    plugin.write_text(OURS.replace("return 1.0", "return 0.5"))
    with pytest.raises(RunError, match=r"the code of rewards\.one"):
        opened(**sections)


def test_another_name_is_another_folder(opened):
    opened()
    folder, attempt = opened(run={"name": "other"}, algorithm={"learning_rate": 1e-4})
    assert (folder.path.name, attempt) == ("other", 1)


@pytest.fixture
def git(tmp_path, monkeypatch):
    def git(*arguments):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return git


def test_the_state_of_the_checkout_is_recorded(git, run_config, tmp_path):
    config, plugins = build_config(dump_config(run_config()))
    assert describe(config, plugins)["git"] is None
    git("init", "-q")
    (tmp_path / "a").write_text("1")
    git("add", "a")
    git("commit", "-q", "-m", "first")
    clean = describe(config, plugins)["git"]
    assert len(clean["commit"]) == 40
    assert clean["dirty"] is False
    (tmp_path / "a").write_text("2")
    assert describe(config, plugins)["git"] == {"commit": clean["commit"], "dirty": True}


def test_without_git_nothing_is_claimed(run_config, monkeypatch):
    config, plugins = build_config(dump_config(run_config()))
    monkeypatch.setenv("PATH", "")
    assert describe(config, plugins)["git"] is None
