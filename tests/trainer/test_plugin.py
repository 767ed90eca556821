"""The trainer's commands: `train` and `demo` hand a configuration to the launcher."""

import subprocess
import sys

import pytest
import typer
import yaml

from guerdon import PluginError, load_plugins
from guerdon_trainer import launch, plugin
from guerdon_trainer.folder import RunFolder


@pytest.fixture
def launched(monkeypatch, tmp_path):
    """Record what the launcher is asked for, instead of training."""
    asked = []

    def train(config, plugins, sinks):
        asked.append((config, plugins, sinks))
        return RunFolder(tmp_path / "run")

    monkeypatch.setattr(launch, "train", train)
    monkeypatch.setattr("guerdon.report.terminal.print_summary", lambda path, console: console.print(f"summary {path}"))
    return asked


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "run.yaml"
    data = {
        "run": {"name": "t"},
        "model": {"name_or_path": "./m"},
        "adapter": {"dropout": 0.1},
        "data": {"train_manifest": "t.jsonl"},
        "outcome": "safety",
        "rewards": {"safety": {}},
    }
    path.write_text(yaml.safe_dump(data))
    return path


def test_both_verbs_are_registered_through_the_hook():
    app = typer.Typer()
    load_plugins().manager.hook.register_commands(app=app)
    assert {"train", "demo"} <= {command.name for command in app.registered_commands}


def test_train_applies_overrides_gives_advice_and_shows_progress(launched, config, capsys, tmp_path):
    plugin.train(config, ["runtime.steps=3"])
    ((built, plugins, sinks),) = launched
    assert built.runtime.steps == 3
    assert "safety" in plugins.rewards
    assert [type(sink).__name__ for sink in sinks] == ["TerminalProgress"]
    out = capsys.readouterr().out
    assert "advice: adapter.dropout 0.1" in out
    assert f"adapter: {tmp_path / 'run' / 'adapter'}" in out


def test_a_missing_dependency_names_the_extra(launched, config, monkeypatch):
    monkeypatch.setattr(plugin, "NEEDS", ("torch", "no_such_package"))
    with pytest.raises(PluginError, match=r"training needs no_such_package, .*pip install .*guerdon\[trainer\]"):
        plugin.train(config)
    assert launched == []


def test_demo_prepares_its_folder_and_trains_there(launched, monkeypatch, tmp_path):
    monkeypatch.setattr(plugin, "_finish", lambda *_: None)
    monkeypatch.setattr("guerdon_trainer.quickstart.demo.write_manifests", lambda *_, **__: None)
    output = tmp_path / "2026: a #1"
    plugin.demo(output=output, steps=2, seed=7, overrides=["algorithm.group_size=4"])
    ((built, _, _),) = launched
    assert built.runtime.output_dir == str(output)
    assert (built.runtime.steps, built.run.seed, built.algorithm.group_size) == (2, 7, 4)
    assert built.model.name_or_path == str(output / "model")
    assert (output / "model" / "config.json").is_file()


def test_explain_answers_for_skyrl(run_config):
    assert plugin.explain_config(run_config())["run.seed"] == "trainer.seed=0"


def test_nothing_heavy_is_imported_to_register():
    code = "import sys, guerdon_trainer.plugin; print([m for m in ('torch', 'ray', 'skyrl') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
