"""``guerdon rewards check`` and the pytest plugin."""

import json
import os
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from guerdon import ConfigError, PluginError
from guerdon.testing.commands import register
from guerdon.testing.naming import find_reward
from guerdon_plugins import Correctness

FILE = """
from typing import ClassVar
from guerdon import Abstain, Reward, hookimpl

class Loose(Reward):
    name: ClassVar[str] = "loose"
    any_case: bool = False
    def score(self, sample):
        gold = sample.reference.get("answer")
        if not isinstance(gold, str) or not gold:
            return Abstain("no text")
        text = sample.completion.lower() if self.any_case else sample.completion
        return float(gold in text)

class Tight(Loose):
    name: ClassVar[str] = "tight"
    def score(self, sample):
        gold = sample.reference.get("answer")
        if not isinstance(gold, str) or not gold:
            return Abstain("no text")
        return float(sample.completion == gold)

@hookimpl
def register_rewards(register):
    register(Loose)
    register(Tight)
"""
GOLD = {"id": "q", "messages": [{"role": "user", "content": "?"}], "reference": {"type": "exact", "answer": "yes"}}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    return path


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(GOLD | {"completion": "yes", "wrong": ["no"]}))
    return path


@pytest.fixture
def call():
    app = typer.Typer()
    app.callback()(lambda: None)
    register(app)
    runner = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"})
    return lambda *arguments: runner.invoke(app, ["check", *map(str, arguments)])


def test_a_failure_is_exit_code_1_and_a_table_says_what_is_paid(call, file, gold):
    done = call(f"{file}:loose", "--samples", gold)
    assert done.exit_code == 1
    assert "tells right from wrong answers" in done.output
    row = next(line for line in done.output.splitlines() if "inside a longer word" in line)
    assert "FAILS" in row
    assert "'two eyes'" in row
    assert "failures" in done.output


def test_what_passes_is_exit_code_0(call, file, gold):
    done = call(f"{file}:tight", "--samples", gold, "any_case=true")
    assert (done.exit_code, done.output.splitlines()[-1]) == (0, "ok")


def test_json_and_samples_by_default(call):
    done = call("format", "--json", "strict=true")
    data = json.loads(done.output)
    assert (done.exit_code, data["reward"], data["judges"], data["ok"]) == (0, "format", "form", True)


def test_what_it_judges_can_be_said(call, file, gold):
    done = call(f"{file}:loose", "--samples", gold, "--judges", "harm")
    assert done.exit_code == 0
    assert isinstance(call("format", "--judges", "taste").exception, ConfigError)


def test_rewards_are_found_by_name_file_and_class(file):
    assert find_reward("correctness", ["kind=choice", "normalise=[case]"]) == Correctness(
        kind="choice", normalise=("case",)
    )
    assert find_reward("guerdon_plugins:Correctness") == Correctness()
    assert find_reward(f"{file}:tight").name == "tight"


@pytest.mark.parametrize(
    ("spec", "fields", "error", "said"),
    [
        ("corectness", [], ConfigError, "Did you mean 'correctness'"),
        ("guerdon_plugins:Gone", [], PluginError, "cannot be imported"),
        ("no_such_module:Gone", [], PluginError, "cannot be imported"),
        ("json:dumps", [], PluginError, "no subclass of guerdon.Reward"),
        ("length", [], ConfigError, "needs max_len"),
        ("length", ["max_len"], ConfigError, "must read field=value"),
        ("length", ["max_len=many"], ConfigError, "max_len: .*found 'many'"),
        ("length", ["max_length=7"], ConfigError, "max_length: no such field"),
        ("{file}", [], ConfigError, "registers loose, tight; name one as"),
        ("{file}:gone", [], ConfigError, "registers loose, tight"),
    ],
)
def test_a_reward_that_is_not_found(spec, fields, error, said, file):
    with pytest.raises(error, match=said):
        find_reward(spec.format(file=file), fields)


@pytest.fixture
def run_pytest(tmp_path):
    """Run pytest with no plugin but ours, in a folder of its own."""
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "guerdon.pytest_plugin", "-p", "no:cacheprovider"]

    def run(*arguments):
        whole = [*command, *map(str, arguments)]
        options = {"capture_output": True, "text": True, "timeout": 120}
        return subprocess.run(whole, check=False, cwd=empty, env=environment, **options)

    return run


def test_pytest_checks_a_reward(run_pytest, file, gold):
    done = run_pytest("--guerdon-reward", f"{file}:loose", "--guerdon-reward", f"{file}:tight", "--samples", gold)
    assert done.returncode == 1, done.stderr
    assert "3 passed" in done.stdout
    assert f"{file}:loose::attacks" in done.stdout
    assert (
        "the right answer inside a longer word: paid 1, and the right completion 1 (sample q/0): 'two eyes'"
        in done.stdout
    )
    assert f"what attacks earn from {file}:tight" in done.stdout


def test_pytest_tells_of_a_reward_that_is_not_there(run_pytest):
    done = run_pytest("--guerdon-reward", "corectness")
    assert done.returncode == 1
    assert "Did you mean 'correctness'" in done.stdout


def test_the_plugin_imports_nothing_heavy():
    heavy = ("guerdon.testing", "PIL", "numpy", "scipy", "pyarrow", "duckdb", "torch")
    code = f"import sys, guerdon.pytest_plugin; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
