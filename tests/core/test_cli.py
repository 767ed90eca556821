"""The command line: what it prints, and with which code it ends."""

import json
import subprocess
import sys

import pytest
import yaml
from typer.testing import CliRunner

from guerdon import cli

WIDE = {"COLUMNS": "400", "NO_COLOR": "1"}
MINE = """
from typing import ClassVar
from guerdon import Reward, hookimpl

class Mine(Reward):
    '''Judges [red] things.'''
    name: ClassVar[str] = "mine"
    value_range: ClassVar[tuple[float, float]] = (-1.0, 2.5)
    pattern: str
    '''A pattern such as [a-z]+.'''
    least: int = 3
    def score(self, sample):
        return 0.0

@hookimpl
def register_rewards(register):
    register(Mine)
"""


@pytest.fixture
def run(monkeypatch):
    """Call `main`, as the installed script does."""

    def run(*arguments: object, capsys):
        monkeypatch.setattr(sys, "argv", ["guerdon", *map(str, arguments)])
        for name, value in WIDE.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return lambda *arguments, capsys: run(*arguments, capsys=capsys)


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text(
        yaml.safe_dump(
            {
                "run": {"name": "t"},
                "model": {"name_or_path": "./m"},
                "adapter": {"exclude_modules": "[a-z]*visual.*"},
                "data": {"train_manifest": "t.jsonl"},
                "outcome": "safety",
                "rewards": {"safety": {}},
            }
        )
    )
    return path


def test_config_schema_prints_or_writes(run, capsys, tmp_path, mine):
    code, out, _ = run("config", "schema", capsys=capsys)
    assert code == 0
    assert "component_length" in json.loads(out)["$defs"]
    code, out, _ = run("config", "schema", "--plugin", mine, "--output", tmp_path / "schema.json", capsys=capsys)
    assert (code, out) == (0, "")
    assert "component_mine" in json.loads((tmp_path / "schema.json").read_text())["$defs"]


def test_config_explain_shows_values_as_they_are_and_advice(run, capsys, config):
    code, out, _ = run("config", "explain", config, "adapter.dropout=0.1", capsys=capsys)
    assert code == 0
    (row,) = [line for line in out.splitlines() if "adapter.dropout " in line and "override" in line]
    assert "trainer.policy.model.lora.dropout=0.1" in row
    assert out.count("[a-z]*visual.*") == 2, "brackets are no markup"
    assert "advice: adapter.dropout 0.1" in out


def test_config_explain_without_advice(run, capsys, config):
    assert "advice" not in run("config", "explain", config, capsys=capsys)[1]


def test_rewards_list(run, capsys, mine):
    code, out, err = run("rewards", "list", "--plugin", mine, capsys=capsys)
    assert (code, err) == (0, "")
    for name in ("correctness", "format", "grounding", "length", "safety"):
        assert f" {name} " in out
    assert "Judges [red] things." in out
    assert "file@" in out


def test_rewards_list_ends_with_1_where_a_plugin_fails_to_load(run, capsys, tmp_path, monkeypatch):
    info = tmp_path / "broken-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[guerdon]\nbad = no_such_module\n")
    monkeypatch.syspath_prepend(tmp_path)
    code, out, err = run("rewards", "list", capsys=capsys)
    assert code == 1
    assert "failed to load: bad of broken: ModuleNotFoundError" in err
    assert "correctness" in out


def test_rewards_explain(run, capsys, mine):
    code, out, _ = run("rewards", "explain", "mine", "--plugin", mine, capsys=capsys)
    assert code == 0
    assert "Judges [red] things." in out
    assert "values from -1 to 2.5" in out
    assert "A pattern such as [a-z]+." in out
    assert [part.strip() for part in _row(out, "pattern").split("│")[1:3]] == ["pattern", "required"]
    assert [part.strip() for part in _row(out, "least").split("│")[1:3]] == ["least", "3"]


def _row(out: str, field: str) -> str:
    return next(line for line in out.splitlines() if line.startswith(f"│ {field} "))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rewards", "explain", "lenght"], "no reward named 'lenght'. Did you mean 'length'?"),
        (["rewards", "list", "--plugin", "gone.py"], "plugin file gone.py cannot be read"),
        (["config", "explain", "gone.yaml"], "gone.yaml cannot be read"),
    ],
)
def test_an_error_of_ours_is_a_line_on_stderr_and_code_2(arguments, said, run, capsys):
    code, out, err = run(*arguments, capsys=capsys)
    assert (code, out) == (2, "")
    assert err.startswith("guerdon: ")
    assert said in err
    assert "Traceback" not in err


def test_a_wrong_field_on_the_command_line(run, capsys, config):
    code, _, err = run("config", "explain", config, "rewards.safety.foo=1", capsys=capsys)
    assert code == 2
    assert "rewards.safety.foo: no such field" in err


def test_without_arguments_the_verbs_are_listed():
    result = CliRunner().invoke(cli.app, [], env=WIDE)
    assert "config" in result.output
    assert "rewards" in result.output


def test_python_m_guerdon_has_the_commands_of_all_parts():
    done = subprocess.run([sys.executable, "-m", "guerdon", "--help"], capture_output=True, text=True, check=True)
    for verb in ("config", "rewards", "train", "demo"):
        assert f" {verb} " in done.stdout
