"""The terminal while a run trains."""

import io

import pytest
from rich.console import Console

from guerdon_trainer.progress import TerminalProgress


@pytest.fixture
def shown():
    """Log steps and return the lines that stay on the screen."""

    def shown(*steps, total=16, lines=8, components=("answer", "brief")):
        target = io.StringIO()
        console = Console(file=target, width=200, force_terminal=False)
        with TerminalProgress(console, steps=total, components=components, outcome="answer", lines=lines) as progress:
            for step, metrics in steps:
                progress.log(step, metrics)
            progress.close()
        return [line.rstrip() for line in target.getvalue().splitlines() if line.strip()]

    return shown


def metrics(**more):
    return {"total/mean": 0.5, "component/answer/mean": 0.5, "component/brief/mean": -0.25} | more


def test_the_first_every_so_many_and_the_last_step_have_a_line(shown):
    lines = shown(*((step, metrics()) for step in range(1, 17)))
    steps = [int(line.split()[1]) for line in lines if line.startswith("step ")]
    assert steps == [1, 2, 4, 6, 8, 10, 12, 14, 16]
    assert lines[0] == "step   1  answer +0.50  brief -0.25"


def test_the_last_step_has_a_line_and_kl_where_there_is_one(shown):
    (line,) = [text for text in shown((3, metrics(kl=0.0125)), total=3, lines=1) if text.startswith("step")]
    assert line.endswith(("KL 0.012", "KL 0.013"))


def test_a_component_without_a_value_is_a_dash(shown):
    without = metrics()
    del without["component/brief/mean"]
    assert "step   1  answer +0.50  brief -" in shown((1, without))


def test_evaluations_before_and_after(shown):
    evaluated = {"eval/greedy/outcome": 0.25, "eval/sampled/outcome": 0.125}
    lines = shown((0, evaluated), (16, metrics(**evaluated)))
    assert "held out, before training: answer 0.250 greedy, 0.125 sampled" in lines
    assert "held out, after step 16: answer 0.250 greedy, 0.125 sampled" in lines


def test_an_evaluation_without_sampled_values(shown):
    assert "held out, before training: answer 0.250 greedy" in shown((0, {"eval/greedy/outcome": 0.25}))


def test_a_run_shorter_than_its_lines(shown):
    assert len([line for line in shown((1, metrics()), (2, metrics()), total=2) if line.startswith("step")]) == 2
