"""Two Ray nodes on one machine, without a free CPU; one was given another image."""

import json

import pytest
import ray
import typer
import yaml
from tests.trainer.ray_nodes import start_nodes, stop_nodes

from guerdon import RunError
from guerdon.config import load_config
from guerdon.plugins import InlineFile
from guerdon_trainer.doctor import Questions, ask_nodes, check_cluster, compare
from guerdon_trainer.doctor.commands import doctor

OURS = b"""
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

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster():
    other = {"env_vars": {"GUERDON_IMAGE": "registry/guerdon@sha256:other"}}
    cluster = start_nodes({"num_cpus": 0, "include_dashboard": False}, {"num_cpus": 0, **other})
    yield cluster
    stop_nodes(cluster)


@pytest.fixture(scope="module")
def connected(cluster):
    ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
    yield
    ray.shutdown()


@pytest.fixture
def config(tmp_path, model_path):
    """A run on two nodes, with a plugin file."""
    (tmp_path / "ours.py").write_bytes(OURS)
    data = {
        "run": {"name": "t"},
        "model": {"name_or_path": model_path},
        "runtime": {"backend": "cluster", "nodes": 2, "gradient_accumulation_steps": 8, "output_dir": "/tmp/runs"},
        "data": {"train_manifest": "train.jsonl"},
        "plugins": ["ours.py"],
        "outcome": "one",
        "rewards": {"one": {}},
    }
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(data))
    return tmp_path / "run.yaml"


def test_each_node_answers_and_the_other_image_is_seen(connected):
    file = InlineFile("ours.py", OURS)
    nodes = ask_nodes(Questions((file,)))
    assert len(nodes) == 2
    assert [mismatch.field for mismatch in compare(nodes)] == ["image"]
    assert sorted(facts["image"] for facts in nodes.values()) == ["not told", "registry/guerdon@sha256:other"]
    assert {facts["plugin ours.py"] for facts in nodes.values()} == {file.digest[:12]}


def test_training_on_two_nodes_is_stopped(connected, config):
    with pytest.raises(RunError, match=r"the 2 nodes do not run the same:\n  image: .*sha256:other on [\d.]+/\w{6}"):
        check_cluster(*load_config(config))


def test_training_on_one_node_is_not_checked(connected, config):
    check_cluster(*load_config(config, ["runtime.nodes=1"]))


def test_a_node_that_does_not_answer_is_named(connected):
    with pytest.raises(RunError, match=r"no answer within 0 s from [\d.]+/\w{6}, [\d.]+/\w{6};"):
        ask_nodes(Questions(), patience_s=0)


def test_the_command_prints_the_table_and_exits_1(connected, cluster, config, capsys):
    with pytest.raises(typer.Exit) as left:
        doctor(config, ray=cluster.address, as_json=True)
    assert left.value.exit_code == 1
    told = json.loads(capsys.readouterr().out)
    assert told["differ"] == ["image"]
    assert all(facts["model"] for facts in told["nodes"].values())
