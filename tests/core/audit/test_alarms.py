from dataclasses import replace

import numpy as np
import pytest
from tests.core.audit.histories import SHAPE, built

from guerdon.audit import Thresholds, audit
from guerdon.audit.alarms.failures import wilson
from guerdon.audit.alarms.over import peak


def found(history, name):
    return next(one for one in audit(history).findings if one.alarm == name)


def test_a_run_that_learns_raises_nothing():
    result = audit(built(answer=(0.4, 0.8), form=(0.6, 0.9)))
    assert result.verdict == "clean"
    assert [one.alarm for one in result.alarms] == []


def test_a_proxy_that_climbs_without_the_outcome_is_an_alarm():
    one = found(built(answer=(0.5, 0.45), form=(0.2, 0.9)), "proxy_without_outcome")
    assert one.state == "alarm"
    assert one.reading.component == "shape"
    assert one.raised < SHAPE.steps
    assert 1 <= one.reading.onset <= 24
    assert one.reading.evidence["outcome_high"] < one.reading.evidence["no_gain_below"]
    assert "no gain that matters" in one.reading.text


def test_harder_prompts_are_no_hack_where_held_out_prompts_gain():
    run = built(answer=(0.6, 0.5), form=(0.4, 0.8), held_out=(0.4, 0.9))
    assert found(run, "proxy_without_outcome").state != "alarm"
    without = replace(run, evaluations=())
    assert found(without, "proxy_without_outcome").state == "alarm"


def test_an_outcome_at_its_best_has_nothing_to_gain():
    one = found(built(answer=(0.97, 0.97), form=(0.3, 0.9), held_out=(0.97, 0.97)), "proxy_without_outcome")
    assert (one.state, one.reading.text.endswith("began at its best")) == ("quiet", True)


def test_what_is_learned_at_once_stays_an_alarm():
    run = built(answer=(0.5, 0.4), form=(0.9, 0.9))
    column = run.column("shape")
    sums = run.groups.sums.copy()
    sums[run.groups.step <= 4, column] = 0.0
    assert found(replace(run, groups=replace(run.groups, sums=sums)), "proxy_without_outcome").state == "alarm"


def test_without_an_outcome_nobody_can_judge():
    result = audit(replace(built(form=(0.2, 0.9)), outcome=None))
    assert result.verdict == "cannot judge"
    judged = {one.alarm: one.state for one in result.findings}
    assert judged["proxy_without_outcome"] == judged["blind"] == "not judged"
    assert judged["kl"] == judged["failures"] == "quiet"
    assert "outcome:" in found(replace(built(), outcome=None), "length").reading.text


def test_without_bounds_there_is_no_climb_to_judge():
    run = built(ranges={"shape": (-np.inf, np.inf)})
    one = found(run, "proxy_without_outcome")
    assert (one.state, "value_range" in one.reading.text) == ("not judged", True)


def test_a_fall_on_held_out_prompts_is_an_alarm():
    one = found(built(answer=(0.7, 0.7), held_out=(0.8, 0.3)), "over_optimisation")
    assert (one.state, one.reading.component) == ("alarm", "answer")
    assert one.reading.evidence["fall_high"] < 0


def test_a_fall_in_training_counts_only_while_the_reward_rises():
    falls = {"answer": (0.8, 0.4), "held_out": (0.8, 0.8)}
    rising = replace(built(**falls, form=(0.1, 0.95), weights={"answer": 0.0, "shape": 1.0}), evaluations=())
    falling = replace(built(**falls, form=(0.5, 0.5)), evaluations=())
    assert found(rising, "over_optimisation").state == "alarm"
    assert found(falling, "over_optimisation").state == "quiet"


def test_the_peak_of_a_known_curve_is_found():
    distance = np.linspace(0.05, 3, 80)
    gold = distance * (1.0 - 0.7 * np.log(distance)) + np.random.default_rng(0).normal(0, 0.01, 80)
    fitted = peak(distance, gold)
    true = np.exp(1.0 / 0.7 - 1)
    assert fitted["peak_distance"] == pytest.approx(true, rel=0.05)
    assert fitted["peak_distance_low"] <= true <= fitted["peak_distance_high"]


def test_kl_that_runs_away_is_an_alarm_once_and_for_all():
    run = built(answer=(0.4, 0.8))
    kl = np.full(SHAPE.steps, 0.02)
    kl[20:26] = 3.0
    one = found(replace(run, metrics={"kl": kl}), "kl")
    assert (one.state, one.reading.onset) == ("alarm", 21)
    kl[22:] = 0.02
    assert found(replace(run, metrics={"kl": kl}), "kl").state == "quiet"


@pytest.mark.parametrize("metrics", [{}, {"kl": np.full(SHAPE.steps, np.nan)}])
def test_without_kl_it_is_not_judged(metrics):
    one = found(replace(built(), metrics=metrics), "kl")
    assert (one.state, "KL coefficient" in one.reading.text) == ("not judged", True)


@pytest.mark.parametrize(("ends", "state"), [((60, 180), "alarm"), ((60, 66), "quiet")])
def test_a_reward_bought_with_length(ends, state):
    one = found(
        built(answer=(0.5, 0.4), length=ends, long=200, weights={"answer": 0.2, "shape": 0.1, "long": 1.0}), "length"
    )
    assert one.state == state
    assert one.reading.evidence["growth"] > 1


def test_length_that_pays_nothing_is_no_alarm():
    assert found(built(answer=(0.3, 0.8), length=(60, 180)), "length").state == "quiet"


def test_a_reward_that_stops_telling_right_from_wrong():
    run = built(answer=(0.5, 0.4), weights={"answer": 1.0, "shape": 1.0})
    late = run.groups.step > 16
    gold = run.groups.gold
    blurred = replace(gold, xy=np.where(late, gold.x * gold.y / gold.n, gold.xy))
    one = found(replace(run, groups=replace(run.groups, gold=blurred)), "correlation")
    assert one.state == "alarm"
    assert one.reading.evidence["last"] == pytest.approx(0.0, abs=1e-9)
    assert found(run, "correlation").state == "quiet"


def test_failures_are_held_to_their_share():
    run = built()
    failed = run.groups.failed.copy()
    failed[run.groups.step == 5, 1] = 4.0
    one = found(replace(run, groups=replace(run.groups, failed=failed)), "failures")
    assert (one.state, one.reading.component, one.reading.onset) == ("alarm", "shape", 5)
    assert found(run, "failures").state == "quiet"


@pytest.mark.parametrize(("blind", "state"), [((0.4, 0.8), "alarm"), ((0.2, 0.2), "quiet")])
def test_a_gain_that_needs_no_pictures(blind, state):
    assert found(built(answer=(0.4, 0.8), blind=blind), "blind").state == state


def test_no_blind_evaluation_no_judgement():
    run = built(answer=(0.4, 0.8))
    seen = tuple(one for one in run.evaluations if one.phase == "eval")
    assert found(replace(run, evaluations=seen), "blind").state == "not judged"


def test_wilson_agrees_with_the_textbook():
    low, high = wilson(10, 100, 0.025)
    assert (low, high) == (pytest.approx(0.0552, abs=1e-3), pytest.approx(0.1744, abs=1e-3))
    assert wilson(0, 0, 0.025) == (0.0, 1.0)


def test_thresholds_can_be_others():
    run = built(answer=(0.5, 0.45), form=(0.2, 0.9))
    assert audit(run, Thresholds(climb=0.9)).verdict == "clean"
