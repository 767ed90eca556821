import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from guerdon import ConfigError, LedgerError
from guerdon.report.commands import register

REWARDS = """
from typing import ClassVar
from guerdon import Reward, hookimpl

class Plain(Reward):
    name: ClassVar[str] = "plain"
    def score(self, sample):
        return 1.0

@hookimpl
def register_rewards(register):
    register(Plain)
"""

CONFIG = """
run: {name: other}
model: {name_or_path: ./tiny}
data: {train_manifest: train.jsonl}
algorithm: {advantage: gdpo}
plugins: [./rewards.py]
outcome: answer
rewards:
  answer: {use: plain, weight: 1.0}
  boxes: {use: plain, weight: 0.5}
  shape: {use: plain, weight: 3.0}
"""


@pytest.fixture
def run():
    app = typer.Typer()
    register(app)

    def call(*arguments):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return " ".join(result.output.split())

    return call


@pytest.fixture
def config(tmp_path):
    (tmp_path / "rewards.py").write_text(REWARDS)
    path = tmp_path / "other.yaml"
    path.write_text(CONFIG)
    return path


def test_report_writes_a_page(run, honest, tmp_path):
    assert run("report", honest, "--output", tmp_path / "page.html") == f"wrote {tmp_path / 'page.html'}"
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_report_without_a_ledger_is_an_error(run, tmp_path):
    with pytest.raises(LedgerError, match="holds no ledger"):
        run("report", tmp_path)


def test_reweight_prints_and_writes_a_page(run, honest, config, tmp_path):
    text = run("reweight", honest, config, "rewards.shape.weight=7", "--output", tmp_path / "page.html")
    assert "advantages change sign" in text
    assert f"wrote {tmp_path / 'page.html'}" in text
    assert "shape" in text
    assert " 7 " in text


def test_reweight_refuses_other_components(run, honest, config):
    config.write_text(CONFIG.replace("  boxes: {use: plain, weight: 0.5}\n", ""))
    with pytest.raises(ConfigError, match="it lacks boxes"):
        run("reweight", honest, config)


def test_adding_the_commands_imports_nothing_heavy():
    check = "import sys, guerdon.report.commands; assert not {'scipy', 'pyarrow', 'duckdb'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)
