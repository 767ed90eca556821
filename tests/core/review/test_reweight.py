import json
import math

import numpy as np
import pytest

from guerdon import ConfigError, LedgerError, Record, Status
from guerdon.advantage import AdvantageConfig
from guerdon.config import RunConfig
from guerdon.review import open_run
from guerdon.review.reweight import SHOWN, reweight


def config_of(rewards, outcome="answer", **algorithm):
    return RunConfig(
        run={"name": "other"},
        model={"name_or_path": "./tiny"},
        data={"train_manifest": "train.jsonl"},
        algorithm={"advantage": "sum", **algorithm},
        outcome=outcome,
        rewards=rewards,
    )


@pytest.fixture(scope="module")
def summed(built, tmp_path_factory):
    """A run trained with the mode ``sum``."""
    return built.build_run(
        tmp_path_factory.mktemp("summed") / "run", rule=AdvantageConfig(advantage="sum"), evaluations=(), steps=3
    )


@pytest.fixture
def rewards(built):
    def choose(**changes):
        weights = {"answer": 1.0, "boxes": 0.5, "shape": 0.5} | changes
        return {
            name: built.Plain(role="monitor") if weight == "monitor" else built.Plain(weight=weight)
            for name, weight in weights.items()
        }

    return choose


def test_the_same_rule_changes_nothing(summed, rewards):
    result = reweight(open_run(summed), config_of(rewards()))
    assert result.modes == ("sum", "sum")
    assert result.flips == ()
    for step in result.steps:
        assert (step.flips, step.reversed, step.winners) == (0, 0, 0)
        assert step.before == step.after
        assert step.correlation == pytest.approx(1.0)
        assert step.ordered > 0


def test_what_it_calls_before_is_what_was_trained_on(summed, rewards):
    run = open_run(summed)
    result = reweight(run, config_of(rewards(shape=2.0)))
    for step in result.steps:
        rows = run.ledger.samples(phase="train", steps=[step.step])
        assert step.before.total == pytest.approx(np.mean(rows["total"].to_numpy()))
        assert step.samples == rows.num_rows == 24


def test_other_weights_change_totals_signs_and_order(summed, rewards):
    result = reweight(open_run(summed), config_of(rewards(answer=0.0, shape=5.0)))
    assert sum(step.flips for step in result.steps) > 0
    assert sum(step.reversed for step in result.steps) > 0
    assert sum(step.winners for step in result.steps) > 0
    assert all(step.correlation < 1 for step in result.steps)
    assert result.weights["shape"] == ("0.5", "5")
    assert result.steps[0].after.update["answer"] == 0.0


def planted(built, folder):
    """One group: the first sample is right and badly formed, the second is wrong and well formed."""

    def judge(sample, component, phase, step):
        value = float((component == "answer") == (sample.index == 0))
        return Record(sample.id, component, Status.OK, value)

    chances = {"answer": built.flat(0.5), "shape": built.flat(0.5)}
    rule = AdvantageConfig(advantage="sum")
    return built.build_run(folder, chances=chances, judge=judge, rule=rule, steps=1, prompts=1, group=2, evaluations=())


def test_a_planted_change_is_told_exactly(built, tmp_path):
    run = open_run(planted(built, tmp_path / "run"))
    rewards = {"answer": built.Plain(weight=1.0), "shape": built.Plain(weight=2.0)}
    (step,) = reweight(run, config_of(rewards)).steps
    assert (step.samples, step.groups, step.flips) == (2, 1, 2)
    assert (step.ordered, step.reversed, step.winners) == (1, 1, 1)
    assert (step.before.total, step.after.total) == (pytest.approx(0.75), pytest.approx(1.5))
    assert step.correlation == pytest.approx(-1.0)


def test_samples_that_change_sign_are_named_with_their_scores(built, tmp_path):
    run = open_run(planted(built, tmp_path / "run"))
    rewards = {"answer": built.Plain(weight=1.0), "shape": built.Plain(weight=2.0)}
    flips = reweight(run, config_of(rewards)).flips
    assert {flip.sample_id[-2:] for flip in flips} == {"/0", "/1"}
    right = next(flip for flip in flips if flip.sample_id.endswith("/0"))
    assert right.before > 0 > right.after
    assert right.values == {"answer": 1.0, "shape": 0.0}


def test_the_largest_changes_are_kept(summed, rewards):
    result = reweight(open_run(summed), config_of(rewards(answer=0.0, shape=5.0)))
    sizes = [abs(flip.after - flip.before) for flip in result.flips]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) <= SHOWN


def test_a_component_can_be_put_to_watching(summed, rewards):
    result = reweight(open_run(summed), config_of(rewards(boxes="monitor")))
    assert result.weights["boxes"] == ("0.5", "monitor")
    assert "boxes" not in result.steps[0].after.update


def test_a_schedule_counts_at_its_steps(summed, rewards):
    ramp = {"schedule": "linear", "start": 0.5, "end": 1.5, "first": 1, "last": 3}
    result = reweight(open_run(summed), config_of(rewards(shape=ramp)))
    assert result.weights["shape"] == ("0.5", "0.5 to 1.5")
    assert result.steps[0].before == result.steps[0].after
    assert result.steps[2].after.total > result.steps[2].before.total


def test_another_mode_is_applied(summed, rewards):
    result = reweight(open_run(summed), config_of(rewards(), advantage="gdpo"))
    assert result.modes == ("sum", "gdpo")
    assert result.steps[0].before.total == result.steps[0].after.total
    assert result.steps[0].before.update != result.steps[0].after.update


def test_components_in_another_order_are_the_same_components(summed, rewards):
    turned = dict(reversed(rewards().items()))
    for step in reweight(open_run(summed), config_of(turned)).steps:
        assert step.before == step.after


def test_silent_groups_are_counted_on_both_sides(built, tmp_path):
    chances = {"answer": built.flat(1.0), "shape": built.flat(0.5)}
    folder = built.build_run(tmp_path / "run", chances=chances, rule=AdvantageConfig(advantage="sum"), evaluations=())
    rewards = {"answer": built.Plain(), "shape": built.Plain(role="monitor")}
    result = reweight(open_run(folder), config_of(rewards))
    assert all(step.after.constant == step.groups for step in result.steps)
    assert sum(step.before.constant for step in result.steps) < sum(step.groups for step in result.steps)
    assert all(math.isnan(step.correlation) and step.after.update == {} for step in result.steps)


def test_other_components_are_refused(summed, built, rewards):
    fewer = {name: reward for name, reward in rewards().items() if name != "boxes"} | {"extra": built.Plain()}
    with pytest.raises(ConfigError, match=r"it lacks boxes; it adds extra.*scores nothing again.*role: monitor"):
        reweight(open_run(summed), config_of(fewer))


def test_a_reward_that_would_score_differently_is_refused(built, tmp_path, rewards):
    folder = built.build_run(tmp_path / "run", steps=1, evaluations=())
    facts = json.loads((folder / "run.json").read_text())
    facts["config"]["rewards"] = {
        name: {"use": "plain", **reward.model_dump(mode="json")} for name, reward in rewards().items()
    }
    facts["config"]["rewards"]["boxes"]["missing"] = "mask_sample"
    (folder / "run.json").write_text(json.dumps(facts))
    with pytest.raises(ConfigError, match=r"rewards\.boxes\.missing is 'minimum'.*made with 'mask_sample'"):
        reweight(open_run(folder), config_of(rewards()))
    facts["config"]["rewards"]["boxes"] |= {"missing": "minimum", "use": "other"}
    (folder / "run.json").write_text(json.dumps(facts))
    with pytest.raises(ConfigError, match=r"rewards\.boxes\.use is 'plain'.*made with 'other'"):
        reweight(open_run(folder), config_of(rewards()))


def test_weights_roles_and_limits_may_differ(built, tmp_path, rewards):
    folder = built.build_run(tmp_path / "run", steps=1, evaluations=())
    facts = json.loads((folder / "run.json").read_text())
    facts["config"]["rewards"] = {
        name: {"use": "plain", **reward.model_dump(mode="json"), "weight": 9.0, "timeout_s": 1.0}
        for name, reward in rewards().items()
    }
    (folder / "run.json").write_text(json.dumps(facts))
    assert len(reweight(open_run(folder), config_of(rewards())).steps) == 1


def test_a_rule_that_does_not_fit_is_refused(summed, rewards):
    with pytest.raises(ConfigError, match="priority must name each trained component once"):
        reweight(open_run(summed), config_of(rewards(), advantage="lexicographic", priority=("answer",)))


def test_a_run_without_training_is_refused(built, tmp_path, rewards):
    folder = built.build_run(tmp_path / "run", steps=0, evaluations=(0,))
    with pytest.raises(LedgerError, match="has no training step"):
        reweight(open_run(folder), config_of(rewards()))
