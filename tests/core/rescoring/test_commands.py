"""``guerdon score``."""

import json

import pytest
import typer
import yaml
from typer.testing import CliRunner

from guerdon import ConfigError
from guerdon.rescoring.commands import register


@pytest.fixture
def run(tmp_path, data, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    config = tmp_path / "run.yaml"
    config.write_text(yaml.safe_dump(data))
    app = typer.Typer()
    register(app)
    app.command("other")(lambda: None)

    def run(*arguments):
        result = CliRunner().invoke(app, ["score", str(config), *map(str, arguments), "--workers", "1"])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def test_a_file_then_its_ledger(run, completions, tmp_path):
    first = run(completions(), "--output", tmp_path / "one")
    assert first.exit_code == 0
    assert "20 samples scored\n" in first.output
    assert f"wrote {tmp_path / 'one'}" in first.output
    second = run(tmp_path / "one", "--diff", "--output", tmp_path / "two")
    assert second.exit_code == 0
    assert "With the same code and fields: 40 of 40 values equal." in second.output
    third = run(completions(), "--output", tmp_path / "three")
    assert "40 of 40 records came from the cache" in third.output


def test_a_changed_field_by_override_as_json(run, completions, tmp_path):
    run(completions(), "--output", tmp_path / "one")
    result = run(tmp_path / "one", "rewards.answer.letter=b", "--diff", "--json", "--no-cache", "-o", tmp_path / "two")
    found = json.loads(result.stdout)
    assert (found["samples"], found["found"]) == (20, 0)
    assert found["diff"]["reproduced"] == {"equal": 20, "of": 20}
    assert (
        found["diff"]["changed"]
        == found["diff"]["components"]["answer"]["compared"] - (found["diff"]["components"]["answer"]["equal"])
    )
    assert found["diff"]["shown"][0]["values"].keys() == {"answer"}


def test_the_folder_is_named_after_data_and_rewards(run, completions, tmp_path):
    run(completions())
    run(completions())
    run(completions(), "rewards.answer.letter=b")
    names = sorted(path.name for path in tmp_path.glob("written-rescored-*"))
    assert len(names) == 2


def test_the_same_code_with_another_value_is_an_exit_code(run, completions, tmp_path, write_plugin, monkeypatch):
    write_plugin("sample.completion.count(self.letter) / 10", 'float(__import__("os").environ["LUCK"])')
    monkeypatch.setenv("LUCK", "0.5")
    run(completions(), "-o", tmp_path / "one")
    monkeypatch.setenv("LUCK", "0.25")
    assert run(completions(), "--no-cache", "-o", tmp_path / "two", "--against", tmp_path / "one").exit_code == 1


def test_a_file_has_nothing_to_compare_with(run, completions):
    with pytest.raises(ConfigError, match="--against RUN"):
        run(completions(), "--diff")
