"""``guerdon preflight`` on the shipped model: lengths, pictures, the verb's exit codes."""

import json

import pytest
import typer
import yaml
from typer.testing import CliRunner

from guerdon.config import dump_config
from guerdon.preflight import read_split
from guerdon_trainer.preflight.commands import preflight
from guerdon_trainer.preflight.look import length_row, look, shown_pictures


@pytest.fixture
def manifest(tmp_path, prompts):
    path = tmp_path / "train.jsonl"
    rows = [
        {"id": prompt.id, "messages": prompt.messages, "reference": prompt.reference, "metadata": {}}
        for prompt in prompts
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.fixture
def config(run_config, manifest):
    return run_config(data={"train_manifest": str(manifest)}, runtime={"prompts_per_step": 2})


def test_prompts_are_counted_and_long_ones_named(manifest, processor, rendered):
    split = read_split("train", str(manifest))
    lengths = sorted(len(row.token_ids) for row in rendered)
    row = length_row(split, processor, limit=lengths[1])
    assert row.seen.startswith(f"{lengths[0]} to {lengths[2]} tokens, median {lengths[1]}")
    assert len(row.refusals) == 1
    assert f"{lengths[2]} tokens; algorithm.max_prompt_tokens is {lengths[1]}" in row.refusals[0]


def test_a_prompt_that_cannot_be_counted_does_not_hide_the_others(manifest, processor):
    text = manifest.read_text().replace("what color", "what <|image_pad|> color")
    manifest.write_text(text)
    row = length_row(read_split("train", str(manifest)), processor, limit=1000)
    assert len(row.refusals) == 1
    assert "train.jsonl:2 (one): prompt 'one' has 1 images, and 2 image tokens" in row.refusals[0]
    assert "tokens, median" in row.seen


def test_pictures_are_shown_as_the_model_gets_them(manifest, processor, prompts):
    rows = list(shown_pictures(read_split("train", str(manifest)), processor))
    assert [row.check for row in rows] == ["picture of one", "picture of two", "picture of two"]
    assert rows[0].seen.startswith("64x64 pixels, ")
    assert list(shown_pictures(read_split("train", str(manifest)), object())) == []


def test_what_is_in_order(config):
    found = look(config)
    assert found.ok, found.as_json()
    assert {row.check for row in found.rows} >= {"advantage", "train manifest", "train lengths", "train: answer"}


def test_a_model_that_is_not_there(config):
    model = config.model.model_copy(update={"name_or_path": "./gone"})
    found = look(config.model_copy(update={"model": model}))
    assert [row.refusals for row in found.rows if row.refusals] == [("model.name_or_path ./gone is no folder",)]


@pytest.fixture
def call(config, tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text(yaml.safe_dump(dump_config(config)))
    app = typer.Typer()
    app.callback()(lambda: None)
    app.command("preflight")(preflight)
    runner = CliRunner(env={"COLUMNS": "160", "NO_COLOR": "1"})
    return lambda *arguments: runner.invoke(app, ["preflight", str(path), *arguments])


def test_the_verb(call):
    done = call()
    assert (done.exit_code, done.output.splitlines()[-1]) == (0, "ready to train")
    done = call("--json", "algorithm.max_prompt_tokens=3")
    assert done.exit_code == 1
    data = json.loads(done.output)
    assert [row["check"] for row in data["rows"] if row["refusals"]] == ["train lengths"]
