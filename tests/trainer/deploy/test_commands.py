"""`guerdon jobs render` and `guerdon jobs dashboards`."""

from pathlib import Path

import pytest
import yaml

from guerdon import ConfigError
from guerdon_trainer.deploy.commands import dashboards, render

IMAGE = f"registry/guerdon@sha256:{'0' * 64}"
EXAMPLE = Path(__file__).parents[3] / "trainer" / "deploy" / "cluster.yaml"
PLUGIN = "from guerdon import hookimpl\n\n\n@hookimpl\ndef register_rewards(register):\n    pass\n"


@pytest.fixture
def config(tmp_path):
    data = {
        "run": {"name": "chart-qa"},
        "model": {"name_or_path": "/fsx/models/m"},
        "runtime": {"backend": "cluster", "gradient_accumulation_steps": 8, "output_dir": "/fsx/runs"},
        "data": {"train_manifest": "/fsx/data/train.jsonl"},
        "plugins": ["ours.py"],
        "outcome": "safety",
        "rewards": {"safety": {}},
    }
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(data))
    (tmp_path / "ours.py").write_text(PLUGIN)
    return tmp_path / "run.yaml"


def test_a_job_with_its_files(config, capsys):
    render(config, ["runtime.steps=9"], cluster=EXAMPLE, image=IMAGE)
    text = capsys.readouterr().out
    config_map, job = yaml.safe_load_all(text)
    assert config_map["data"]["ours.py"] == PLUGIN
    assert config_map["data"]["run.yaml"] == config.read_text()
    assert job["kind"] == "RayJob"
    assert job["spec"]["entrypoint"].endswith("runtime.steps=9")
    assert "  ours.py: |\n    from guerdon import hookimpl\n" in text


def test_a_cluster_that_stays(config, tmp_path):
    render(config, cluster=EXAMPLE, image=IMAGE, standing=True, output=tmp_path / "out.yaml")
    (cluster,) = yaml.safe_load_all((tmp_path / "out.yaml").read_text())
    assert cluster["kind"] == "RayCluster"


def test_a_key_in_the_configuration_is_refused(config):
    with pytest.raises(ConfigError, match="the command line, line 1, holds what looks like a Hugging Face token"):
        render(config, ["skyrl.trainer.x=hf_" + "a" * 30], cluster=EXAMPLE, image=IMAGE)


def test_a_plugin_elsewhere(config, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "ours.py").rename(tmp_path / "sub" / "ours.py")
    config.write_text(config.read_text().replace("- ours.py", "- sub/ours.py"))
    with pytest.raises(ConfigError, match=r"sub/ours\.py must lie beside run\.yaml"):
        render(config, cluster=EXAMPLE, image=IMAGE)


def test_dashboards_are_written_and_named(config, tmp_path, capsys):
    dashboards(config, tmp_path / "observe", region="us-west-2")
    assert str(tmp_path / "observe" / "grafana.json") in capsys.readouterr().out
