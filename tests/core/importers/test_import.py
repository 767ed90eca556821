import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from tests.core.importers import written
from typer.testing import CliRunner

from guerdon import ConfigError, DataError
from guerdon.comparison.compare import compare
from guerdon.comparison.sides import parse_side
from guerdon.importers.commands import register
from guerdon.ledger import Ledger
from guerdon.report.page import write_report
from guerdon.review import open_run, summarise


def run(*arguments):
    app = typer.Typer()
    register(app)
    app.command("other")(lambda: None)
    result = CliRunner().invoke(app, ["import", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("chat", [False, True])
def test_completions_of_trl_become_a_run(tmp_path, chat):
    said = run("trl", written.trl(tmp_path / "trl", chat=chat), "-o", tmp_path / "run", "--outcome", "accuracy_reward")
    assert "16 samples of 2 steps, accuracy_reward, format_reward" in said
    assert "the sign of the recomputed ones in 100.0%" in said
    ledger = Ledger(tmp_path / "run" / "ledger")
    samples = ledger.samples(phase="train", steps=[2]).to_pylist()
    assert len({row["group_id"] for row in samples}) == 2
    assert json.loads(samples[0]["prompt"]) in (
        [{"role": "user", "content": "what is 0?"}],
        [{"role": "user", "content": "what is 1?"}],
    )
    assert {row["completion"] for row in samples} == {f"it is {index}" for index in range(4)}
    assert {json.loads(row["reference"])["solution"] for row in samples} == {"0", "1"}
    records = ledger.records(phase="train", components=["format_reward"]).to_pylist()
    assert {(row["status"], row["value"]) for row in records} == {("ok", 0.5), ("abstain", None)}


def test_the_same_prompt_is_the_same_group_at_every_step(tmp_path):
    run("trl", written.trl(tmp_path / "trl"), "-o", tmp_path / "run")
    ledger = Ledger(tmp_path / "run" / "ledger")
    first, second = (set(ledger.samples(steps=[step])["group_id"].to_pylist()) for step in (1, 2))
    assert first == second


def test_weights_that_turn_the_update_are_noticed(tmp_path):
    table = {
        "step": [1, 1],
        "prompt": ["a", "a"],
        "completion": ["x", "y"],
        "good": [1.0, 0.0],
        "brief": [0.0, 0.5],
        "advantage": [-0.7, 0.7],
    }
    pq.write_table(pa.table(table), tmp_path / "completions_00001.parquet")
    said = run("trl", tmp_path, "-o", tmp_path / "plain")
    assert "in 0.0%; name the trainer's weights with --weight" in said
    assert "no outcome is declared" in said
    assert "in 100.0%" in run("trl", tmp_path, "-o", tmp_path / "weighted", "--weight", "brief=3")


def test_an_old_total_counts_only_where_it_stands_alone(tmp_path):
    for name, columns in (("alone", {}), ("beside", {"good": [1.0]})):
        table = {"step": [1], "prompt": ["a"], "completion": ["x"], "reward": [2.0], **columns}
        (tmp_path / name).mkdir()
        pq.write_table(pa.table(table), tmp_path / name / "completions_00001.parquet")
    assert "1 samples of 1 steps, reward\n" in run("trl", tmp_path / "alone", "-o", tmp_path / "a")
    assert "1 samples of 1 steps, good\n" in run("trl", tmp_path / "beside", "-o", tmp_path / "b")


def test_rollouts_of_verl_become_a_run(tmp_path):
    said = run("verl", written.verl(tmp_path / "verl"), "-o", tmp_path / "run", "--outcome", "acc")
    assert "72 samples of 12 steps, score, acc" in said
    summary = summarise(open_run(tmp_path / "run"))
    roles = {one.name: (one.role, one.low, one.high) for one in summary.components}
    assert roles == {"acc": ("monitor", 0.0, 1.0), "score": ("train", -0.5, 1.1)}
    assert summary.outcome == "acc"
    ledger = open_run(tmp_path / "run").ledger
    assert len(set(ledger.samples(steps=[10])["group_id"].to_pylist())) == 2


def test_evaluations_of_skyrl_become_a_run(tmp_path):
    said = run("skyrl", written.skyrl(tmp_path / "out"), "-o", tmp_path / "run", "--outcome", "score")
    assert "12 samples of 2 steps, score" in said
    ledger = Ledger(tmp_path / "run" / "ledger")
    samples = ledger.samples(phase="eval", steps=[5]).to_pylist()
    assert {json.loads(row["metadata"])["source"] for row in samples} == {"gsm8k", "chart"}
    assert sum(row["truncated"] for row in samples) == 4
    sides = [parse_side(f"{tmp_path / 'run'}@{when}") for when in ("first", "last")]
    row = compare(sides).contrasts[0].row("score")
    assert row.means == (0.0, 1.0)


@pytest.mark.parametrize("form", ["trl", "verl", "skyrl"])
def test_an_import_has_a_report(tmp_path, form):
    getattr(written, form)(tmp_path / "from")
    run(form, tmp_path / "from", "-o", tmp_path / "run")
    assert write_report(tmp_path / "run").stat().st_size > 10_000


def test_a_score_that_is_no_number_is_an_error_record(tmp_path):
    line = {"input": "a", "output": "b", "score": float("inf"), "step": 1}
    (tmp_path / "1.jsonl").write_text(json.dumps(line) + "\n" + json.dumps({**line, "score": 1.0}) + "\n")
    run("verl", tmp_path, "-o", tmp_path / "run")
    records = Ledger(tmp_path / "run" / "ledger").records().to_pylist()
    assert [(row["status"], row["value"]) for row in records] == [("error", None), ("ok", 1.0)]


@pytest.mark.parametrize("form", ["trl", "verl", "skyrl"])
def test_an_empty_folder_says_what_to_switch_on(tmp_path, form):
    with pytest.raises(DataError, match=r"train with|evaluate with"):
        run(form, tmp_path, "-o", tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"input": "a"}', "has no 'step'"),
        ('{"step": 1, "input": "a"}', "has no 'score'"),
        ("no json", "1.jsonl:1 is no JSON"),
        ("[1]", "is no JSON object"),
    ],
)
def test_another_format_is_named(tmp_path, text, message):
    (tmp_path / "1.jsonl").write_text(text)
    with pytest.raises(DataError, match=message):
        run("verl", tmp_path, "-o", tmp_path / "run")


def test_damaged_parquet_is_named(tmp_path):
    (tmp_path / "completions_00001.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(DataError, match="cannot be read"):
        run("trl", tmp_path, "-o", tmp_path / "run")


def test_unknown_components_and_bad_weights_are_refused(tmp_path):
    source = written.trl(tmp_path / "trl")
    for option, value in (("--outcome", "nobody"), ("--monitor", "nobody"), ("--weight", "nobody=1")):
        with pytest.raises(ConfigError, match="no component is named 'nobody'; there are accuracy_reward"):
            run("trl", source, "-o", tmp_path / "run", option, value)
    with pytest.raises(ConfigError, match="write NAME=WEIGHT"):
        run("trl", source, "-o", tmp_path / "run", "--weight", "format")


def test_a_ledger_is_never_written_over(tmp_path):
    source = written.trl(tmp_path / "trl")
    run("trl", source, "-o", tmp_path / "run")
    with pytest.raises(ConfigError, match="holds a ledger already"):
        run("trl", source, "-o", tmp_path / "run")
