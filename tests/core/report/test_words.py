import math
import re

import pytest

from guerdon import Record, Status
from guerdon.advantage import AdvantageConfig
from guerdon.report.words import interval, judgement, number, overview, short, signed
from guerdon.review import Estimate, open_run, summarise
from guerdon.review.held_out import Comparison
from guerdon.review.summary import Window


def said(folder):
    return overview(summarise(open_run(folder)))


def text_of(folder):
    return "\n".join(line.text for line in said(folder))


def test_numbers_read_well():
    assert number(0.12345) == "0.123"
    assert number(math.nan) == "none"
    assert signed(-0.5) == "-0.500"
    assert interval(Estimate(0.1, 0.05, 0.15, 0.02, 9, 9)) == "+0.100 (+0.050 to +0.150)"
    assert interval(Estimate(0.1, math.nan, math.nan, math.nan, 1, 1)) == "+0.100 (no interval)"
    assert short(Window(1, 12)) == "steps 1-12"


def comparison(low, high, matters=0.05):
    change = Estimate((low + high) / 2, low, high, (high - low) / 4, 100, 100)
    return Comparison("answer", "value", "greedy", None, change, change, change, matters)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.02, 0.2, "That is a gain."),
        (-0.2, -0.02, "That is a loss."),
        (-0.01, 0.02, "no change of a size that matters"),
        (-0.2, 0.3, "Not powered"),
        (math.nan, math.nan, "too few prompts for an interval"),
    ],
)
def test_a_comparison_is_judged_plainly(low, high, words):
    assert words in judgement(comparison(low, high))


def test_what_is_not_powered_says_how_many_prompts_it_would_need():
    words = judgement(comparison(-0.2, 0.3))
    assert "a true change of 0.350 would show four times in five" in words
    assert "one of 0.050 would need" in words
    assert "would need" not in judgement(comparison(-0.2, 0.3, matters=None))


def test_a_hack_comes_first_and_is_a_warning(built, tmp_path):
    chances = {"answer": built.flat(0.4), "shape": built.rises(0.1, 0.95)}
    folder = built.build_run(tmp_path / "run", chances=chances, steps=30, prompts=16, group=8, evaluations=())
    first = said(folder)[0]
    assert first.warning
    assert "reward hack" in first.text
    assert "shape rose by" in first.text


def test_an_honest_run_has_no_warning(built, tmp_path):
    folder = built.build_run(tmp_path / "run", steps=30, prompts=16, group=8, evaluations=())
    assert not any(line.warning for line in said(folder))
    words = text_of(folder)
    assert "The mean total reward rose by" in words
    assert re.search(r"answer \+0\.\d+ \(\d\d% of it\)", words)


def test_failed_gradings_are_counted_and_warned_of(built, tmp_path):
    def judge(sample, component, phase, step):
        if component == "shape" and sample.index == 0:
            return Record(sample.id, component, Status.ERROR, 0.0, cause="completion", reason="ValueError")
        return None

    lines = said(built.build_run(tmp_path / "run", judge=judge))
    (failed,) = [line for line in lines if "failed on" in line.text]
    assert failed.warning
    assert "The grading of shape failed on 30 of 120 completions (25.0%)." in failed.text


def test_a_gain_of_style_is_named(built, tmp_path):
    def judge(sample, component, phase, step):
        if component != "answer" or phase != "eval":
            return None
        value = float(step > 0)
        return Record(sample.id, component, Status.OK, value, metrics={"strict": value, "lenient": 1.0})

    words = text_of(built.build_run(tmp_path / "run", judge=judge, held_out=40))
    assert "That is a gain." in words
    assert "the gain may be in how answers are written" in words


def test_silent_groups_are_counted(built, tmp_path):
    words = text_of(built.build_run(tmp_path / "run", chances={"answer": built.flat(1.0)}))
    assert "30 of 30 groups (100.0%) taught nothing" in words
    assert "30 with all outcomes right, 0 with all wrong" in words


def test_a_run_without_outcome_says_so(built, tmp_path):
    words = text_of(built.build_run(tmp_path / "run", outcome=None))
    assert "No outcome is declared" in words


def test_one_step_shows_no_change(built, tmp_path):
    words = text_of(built.build_run(tmp_path / "run", steps=1, evaluations=()))
    assert "There is only one training step (step 1)" in words


def test_the_mix_of_prompts_is_told_apart_from_progress(built, tmp_path):
    """A component that abstains for some prompts makes totals differ from step to step."""
    words = text_of(built.build_run(tmp_path / "run", steps=2, evaluations=(), prompts=2))
    assert "the mix of prompts" in words


def test_a_total_that_is_no_sum_is_not_split(built, tmp_path):
    rule = AdvantageConfig(advantage="product")
    words = text_of(built.build_run(tmp_path / "run", rule=rule, evaluations=()))
    (line,) = [one for one in words.splitlines() if one.startswith("The mean total reward")]
    assert "shape" not in line


def test_what_got_worse_beside_the_outcome_is_named(built, tmp_path):
    def judge(sample, component, phase, step):
        if component != "shape" or phase != "eval":
            return None
        return Record(sample.id, component, Status.OK, float(step == 0 or sample.group_id.endswith("7")))

    words = text_of(built.build_run(tmp_path / "run", judge=judge, held_out=40))
    assert "On held-out prompts shape fell: -0.900" in words
