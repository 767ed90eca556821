"""``guerdon smoke`` against a real server: what passes, what blocks, and what is written of it."""

import asyncio
import dataclasses
import json
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from guerdon import ConfigError
from guerdon_serving.commands import add_commands
from guerdon_serving.smoke.compare import check_comparisons, compare, make_judge
from guerdon_serving.smoke.regression import openai_messages, regression_prompts
from guerdon_serving.smoke.run import examine
from guerdon_serving.smoke.settings import SmokeSettings
from guerdon_serving.smoke.write import as_html, as_json, as_junit


@pytest.fixture(scope="module")
def folders(bundle, other_bundle, tmp_path_factory):
    return [str(each.folder.relative_to(tmp_path_factory.getbasetemp())) for each in (bundle, other_bundle)]


@pytest.fixture(scope="module")
def prompts():
    """Sums, which the shipped checkpoint can do, and a few pictures."""
    everything = regression_prompts([])
    kinds = {kind: [prompt for prompt in everything if prompt.modality == kind] for kind in ("text", "image", "images")}
    return [*kinds["text"][:10], *kinds["image"][:1], *kinds["images"][:2]]


@pytest.fixture(scope="module")
def better(server, folders, prompts):
    """The base as the candidate: a random adapter must not be better than it."""
    told = []
    settings = SmokeSettings(
        server.url, "base", {"tiny": server.url}, ladder=(1, 3), requests=3, max_tokens=24, swap=folders
    )
    report = asyncio.run(examine(settings, prompts, make_judge(settings), told.append))
    assert told == report.checks
    return report


def test_a_good_endpoint_passes(better, bundle):
    assert [(check.name, check.detail) for check in better.checks if check.status == "failed"] == []
    names = {check.name for check in better.checks if check.status == "ok"}
    assert names >= {
        "start.ready", "contract.models", "answers.text", "answers.image", "answers.images",
        "contract.unknown_model", "contract.body_limit", "contract.ping", "timeouts.abandoned",
        "load.1", "load.3", "load.memory", "swap.under_load", "regression.tiny.all", "regression.tiny.images",
    }  # fmt: skip
    assert (better.model, better.bundle) == (f"base@{better.bundle[7:19]}", bundle.facts.base.revision)
    assert better.passed


def test_start_is_split_into_phases(better):
    figures = next(check.figures for check in better.checks if check.name == "start.ready")
    assert figures.keys() == {"waited_s", "hash_s", "load_s", "probe_s", "ready_s"}
    assert 0 < figures["hash_s"] + figures["load_s"] + figures["probe_s"] <= figures["ready_s"] + 1e-6


def test_the_ladder_is_measured(better):
    for rung, concurrency in zip(better.rungs, (1, 3), strict=True):
        assert (rung.concurrency, rung.requests, rung.failed, rung.refused) == (concurrency, 3, 0, 0)
        assert 0 < rung.first_p50_s <= rung.p50_s <= rung.p90_s <= rung.p99_s
        assert rung.tokens_per_s > rung.requests_per_s > 0


def test_an_adapter_that_got_worse_blocks(better, prompts):
    scores = {
        model: {"answer": np.array([row["scores"][model] for row in better.answers])}
        for model in ("tiny", better.model)
    }
    judge = make_judge(SmokeSettings("http://x"))
    overall = next(found for found in better.comparisons if found.modality is None)
    mirrored = next(found for found in compare(judge, prompts, scores, "tiny") if found.modality is None)
    assert mirrored.difference.value == pytest.approx(-overall.difference.value)
    assert overall.difference.value > 0
    scores["tiny"]["answer"][:] = 0.0
    lost = compare(judge, prompts, scores, "tiny")
    failed = {check.name for check in check_comparisons(lost) if check.status == "failed"}
    assert failed >= {f"regression.{better.model}.all", f"regression.{better.model}.text"}
    assert next(found.verdict for found in lost if found.modality is None) == "lost"
    assert not dataclasses.replace(better, checks=check_comparisons(lost)).passed


def test_a_prompt_without_an_answer_of_either_counts_for_neither(prompts):
    judge = make_judge(SmokeSettings("http://x"))
    rng = np.random.default_rng(0)
    scores = {name: {"answer": rng.integers(0, 2, len(prompts)).astype(float)} for name in ("a", "b")}
    scores["a"]["answer"][0] = scores["b"]["answer"][1] = np.nan
    found = next(each for each in compare(judge, prompts, scores, "b") if each.modality is None)
    assert found.difference.prompts == len(prompts) - 2
    both = slice(2, None)
    expected = scores["b"]["answer"][both].mean() - scores["a"]["answer"][both].mean()
    assert found.difference.value == pytest.approx(expected)


def test_the_built_in_prompts_are_the_same_everywhere_and_independent():
    first, again = regression_prompts([]), regression_prompts([])
    assert [openai_messages(prompt) for prompt in first] == [openai_messages(prompt) for prompt in again]
    pictures = [image.source for prompt in first for image in prompt.images]
    assert (len(first), len(pictures), len(set(pictures))) == (48, 48, 48)


def test_json_junit_and_page_say_the_same(better):
    data = json.loads(as_json(better))
    assert (data["passed"], data["model"], len(data["checks"])) == (True, better.model, len(better.checks))
    assert len(data["answers"]) == 13
    suite = ET.fromstring(as_junit(better).partition("\n")[2])
    assert (int(suite.get("tests")), suite.get("failures")) == (len(better.checks), "0")
    assert [f"{case.get('classname')}.{case.get('name')}" for case in suite] == [
        f"smoke.{check.name}" for check in better.checks
    ]
    page = as_html(better)
    assert 'Smoke test: <span class="ok">passed' in page
    assert "<script" not in page
    for check in better.checks:
        assert check.name in page


@pytest.fixture
def call(monkeypatch):
    app = typer.Typer()
    add_commands(app)

    def run(*arguments):
        result = CliRunner().invoke(app, ["smoke", *map(str, arguments)])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output

    return run


QUICK = ("--ladder", "1", "--requests", "1", "--max-tokens", "2")


def test_the_command_asks_the_users_own_prompts_and_writes_files(call, server, tmp_path):
    own = tmp_path / "own.jsonl"
    rows = [
        {"id": f"mine-{n}", "messages": [{"role": "user", "content": f"what is {n} plus 1?"}],
         "reference": {"type": "exact", "answer": str(n + 1)}}
        for n in range(3)
    ]  # fmt: skip
    own.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    files = [tmp_path / name for name in ("s.json", "s.xml", "s.html")]
    code, output = call(
        server.url, "--no-builtin", "--data", own, *QUICK, "--against", f"base={server.url}",
        "--json", files[0], "--junit", files[1], "--html", files[2],
    )  # fmt: skip
    assert code == 0, output
    assert "ok       regression.base.all: answer on all prompts (3)" in output
    assert "skipped  answers.image: no prompt of this kind" in output
    assert output.splitlines()[-1].startswith("passed: ")
    assert all(file.stat().st_size for file in files)
    assert [row["id"] for row in json.loads(files[0].read_text(encoding="utf-8"))["answers"]] == [
        "mine-0", "mine-1", "mine-2",
    ]  # fmt: skip


def test_the_command_exits_1_for_a_model_that_is_not_served(call, server, tmp_path):
    own = tmp_path / "own.jsonl"
    own.write_text('{"id": "a", "messages": [{"role": "user", "content": "hi"}]}\n', encoding="utf-8")
    code, output = call(
        server.url, "--model", "nobody", "--no-builtin", "--data", own, *QUICK, "--junit", tmp_path / "s.xml"
    )
    assert code == 1
    assert "failed   contract.models: 'nobody' is not served" in output
    suite = ET.parse(tmp_path / "s.xml").getroot()
    assert int(suite.get("failures")) == len(suite.findall(".//failure")) > 0


def test_nobody_there_is_a_failure_not_a_crash(call):
    code, output = call("http://127.0.0.1:9", "--wait", "0.1")
    assert code == 1
    assert "failed   start.ready: /ping says 0" in output


@pytest.mark.parametrize(
    "arguments",
    [("ftp://x",), ("http://x", "--ladder", "a,b"), ("http://x", "--ladder", "0"), ("http://x", "--no-builtin")],
)
def test_wrong_options_are_refused(call, arguments):
    with pytest.raises(ConfigError):
        call(*arguments)
