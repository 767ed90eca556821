import io

import pytest
from rich.console import Console

from guerdon.advantage import AdvantageConfig
from guerdon.config import RunConfig
from guerdon.report.reweight import component_table, flip_table, print_reweighting, sentences, write_reweighting
from guerdon.review import open_run
from guerdon.review.reweight import reweight


@pytest.fixture(scope="module")
def result(built, tmp_path_factory):
    folder = built.build_run(
        tmp_path_factory.mktemp("summed") / "run", rule=AdvantageConfig(advantage="sum"), evaluations=(), steps=3
    )
    rewards = {"answer": built.Plain(weight=0.0), "boxes": built.Plain(role="monitor"), "shape": built.Plain(weight=5)}
    config = RunConfig(
        run={"name": "other"},
        model={"name_or_path": "./tiny"},
        data={"train_manifest": "train.jsonl"},
        algorithm={"advantage": "sum"},
        outcome="answer",
        rewards=rewards,
    )
    return reweight(open_run(folder), config)


def printed(result):
    console = Console(file=io.StringIO(), width=100)
    print_reweighting(result, console)
    return console.file.getvalue()


def test_weights_and_parts_in_the_update_are_printed(result):
    text = printed(result)
    assert "made-up: advantage sum before, sum after" in text
    assert "answer*" in text
    assert "monitor" in text
    assert "100.0%" in text


def test_tables_have_a_row_for_each_component_and_each_flip(result):
    assert component_table(result).row_count == 3
    assert flip_table(result).row_count == min(len(result.flips), 10)


def test_sentences_count_over_the_run(result):
    flips = sum(step.flips for step in result.steps)
    assert sentences(result)[0].startswith(f"{flips} of 72 advantages change sign")
    assert "under the new rule the policy would have written others" in sentences(result)[-1]


def test_the_page_draws_itself(result, tmp_path, browser):
    browser.open(write_reweighting(result, tmp_path / "reweight.html"))
    text = browser.run("document.body.innerText")
    assert "made-up reweighted: advantage sum before, sum after" in text
    assert sentences(result)[0] in text
    assert browser.run("document.querySelectorAll('svg.chart').length") == 6
    assert browser.run("document.querySelectorAll('#flips tbody tr').length") == len(result.flips)
    assert browser.seen("Runtime.exceptionThrown") == browser.seen("Log.entryAdded") == []
