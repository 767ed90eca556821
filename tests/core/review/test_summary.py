import math

import pytest

from guerdon.review import open_run, summarise
from guerdon.review.summary import Window, windows


@pytest.fixture(scope="module")
def summary(honest):
    return summarise(open_run(honest))


def component(summary, name):
    return next(one for one in summary.components if one.name == name)


def test_a_run_in_a_few_numbers(summary):
    assert (summary.run, summary.mode, summary.outcome) == ("made-up", "gdpo", "answer")
    assert summary.training == (Window(1, 1), Window(5, 5))
    assert summary.evaluations == (0, 5)
    assert [one.name for one in summary.components] == ["answer", "boxes", "shape"]
    assert summary.modalities == "metadata"


def test_components_carry_means_weights_and_statuses(summary, honest):
    answer = component(summary, "answer")
    run = open_run(honest)
    values = run.ledger.records(phase="train", steps=[1], components=["answer"])["value"].to_numpy()
    assert answer.first.value == pytest.approx(values.mean())
    assert answer.change.value == pytest.approx(answer.last.value - answer.first.value)
    assert (answer.weights, answer.role, answer.plugin) == ((1.0, 1.0), "train", "demo:answer")
    assert answer.statuses == {"ok": 120, "abstain": 0, "error": 0, "timeout": 0}
    assert component(summary, "boxes").statuses["abstain"] > 0


def test_rises_add_up_to_the_totals(built, tmp_path):
    chances = {"answer": built.rises(0.2, 0.9), "shape": built.rises(0.1, 0.9)}
    summary = summarise(open_run(built.build_run(tmp_path / "run", chances=chances)))
    assert sum(one.rise for one in summary.components) == pytest.approx(summary.totals[1] - summary.totals[0])


def test_weights_that_follow_a_schedule_are_shown_at_both_ends(built, tmp_path):
    rewards = {
        "answer": built.Plain(),
        "shape": built.Plain(weight={"schedule": "linear", "start": 1.0, "end": 0.0, "last": 5}),
        "seen": built.Plain(role="monitor"),
    }
    chances = {name: built.flat(0.5) for name in rewards}
    summary = summarise(open_run(built.build_run(tmp_path / "run", rewards=rewards, chances=chances)))
    assert component(summary, "shape").weights == (1.0, 0.0)
    seen = component(summary, "seen")
    assert (seen.role, seen.rise, seen.share) == ("monitor", None, None)


@pytest.mark.parametrize(("count", "width"), [(1, 1), (4, 1), (5, 1), (10, 2), (60, 12), (100, 20), (1000, 20)])
def test_both_ends_are_a_fifth_of_the_run_and_at_most_twenty_steps(count, width):
    first, last = windows(range(1, count + 1))
    assert (first, last) == (Window(1, width), Window(count - width + 1, count))


def test_no_steps_have_no_ends():
    assert windows([]) is None


def test_windows_read_well():
    assert str(Window(3, 3)) == "step 3"
    assert str(Window(1, 12)) == "steps 1 to 12"


@pytest.fixture(scope="module")
def hacked(built, tmp_path_factory):
    chances = {"answer": built.flat(0.4), "shape": built.rises(0.1, 0.95)}
    folder = tmp_path_factory.mktemp("hacked") / "run"
    return built.build_run(folder, chances=chances, steps=30, prompts=16, group=8, evaluations=())


def test_a_hack_is_a_component_that_climbs_without_the_outcome(hacked):
    summary = summarise(open_run(hacked))
    assert [one.name for one in summary.climbing()] == ["shape"]
    assert summary.progress() in ("none", "unclear")


def test_an_honest_run_progresses(built, tmp_path):
    folder = built.build_run(tmp_path / "run", steps=30, prompts=16, group=8, evaluations=())
    summary = summarise(open_run(folder))
    assert summary.progress() == "gain"


def test_the_outcome_is_anchored_on_prompts_with_pictures(hacked, built, tmp_path):
    summary = summarise(open_run(hacked))
    everything = component(summary, "answer").change
    assert summary.anchor.prompts < everything.prompts


def test_without_an_outcome_nothing_is_said_about_progress(built, tmp_path):
    summary = summarise(open_run(built.build_run(tmp_path / "run", outcome=None)))
    assert (summary.anchor, summary.progress(), summary.outcome_row("greedy")) == (None, "unknown", None)
    assert all(one.all_right == 0 for one in summary.constant)


def test_a_run_before_its_first_step(built, tmp_path):
    summary = summarise(open_run(built.build_run(tmp_path / "run", steps=0, evaluations=(0,))))
    assert (summary.training, summary.totals, summary.components, summary.held_out) == (None, None, (), ())
    assert math.isnan(summary.constant_share)
    assert summary.progress() == "unknown"


def test_the_share_of_constant_groups(built, tmp_path):
    folder = built.build_run(tmp_path / "run", chances={"answer": built.flat(1.0)})
    summary = summarise(open_run(folder))
    assert summary.constant_share == 1.0
    assert all(one.all_right == one.groups for one in summary.constant)
