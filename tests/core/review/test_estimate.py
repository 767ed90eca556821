import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from guerdon.review.estimate import NOTHING, Observed, difference, mean, observe

SIMULATIONS = 1000


def one_each(values, clusters=None):
    """A completion for each prompt."""
    values = np.asarray(values, dtype=np.float64)
    clusters = np.arange(len(values)) if clusters is None else np.asarray(clusters)
    return Observed(values, np.ones(len(values)), clusters)


def test_a_mean_of_independent_prompts_has_students_interval():
    values = np.array([0.1, 0.5, 0.9, 0.3, 0.7])
    estimate = mean(one_each(values))
    low, high = stats.t.interval(0.95, 4, loc=values.mean(), scale=stats.sem(values))
    assert estimate.value == pytest.approx(0.5)
    assert (estimate.low, estimate.high) == pytest.approx((low, high))
    assert (estimate.prompts, estimate.clusters) == (5, 5)


def test_a_paired_difference_has_the_interval_of_its_differences():
    rng = np.random.default_rng(0)
    before, after = rng.random(30), rng.random(30)
    change = after - before
    estimate = difference(one_each(before), one_each(after))
    low, high = stats.t.interval(0.95, 29, loc=change.mean(), scale=stats.sem(change))
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((change.mean(), low, high))


def test_a_difference_of_other_prompts_is_welchs():
    rng = np.random.default_rng(1)
    before, after = rng.random(12), rng.random(20) * 3
    estimate = difference(one_each(before), one_each(after, np.arange(20) + 12))
    welch = stats.ttest_ind(after, before, equal_var=False).confidence_interval(0.95)
    assert (estimate.low, estimate.high) == pytest.approx((welch.low, welch.high), rel=1e-6)


def test_the_standard_error_is_millers():
    differences = np.array([0.5, 0.25, -0.25, 1.0, 0.0, 0.75])
    clusters = np.array([0, 0, 1, 1, 2, 2])
    estimate = mean(one_each(differences, clusters))
    gaps = differences - differences.mean()
    miller = math.sqrt(sum(gaps[clusters == c].sum() ** 2 for c in range(3))) / 6
    assert estimate.standard_error == pytest.approx(miller * math.sqrt(3 / 2))
    assert estimate.clusters == 3


def test_prompts_that_share_a_picture_widen_the_interval():
    values = np.repeat([0.0, 1.0, 1.0, 0.0], 4)
    alone, shared = mean(one_each(values)), mean(one_each(values, np.repeat(np.arange(4), 4)))
    assert shared.half_width > 2 * alone.half_width


def test_completions_are_summed_by_prompt_and_missing_values_left_out():
    values = np.array([1.0, np.nan, 0.0, 0.5, np.nan])
    observed = observe(values, np.array([7, 7, 7, 3, 9]), np.array([1, 1, 1, 0, 2]))
    assert observed.sums.tolist() == [0.5, 1.0]
    assert observed.counts.tolist() == [1.0, 2.0]
    assert observed.clusters.tolist() == [0, 1]
    assert observed.mean == pytest.approx(0.5)


def test_intervals_stay_within_what_is_possible():
    estimate = mean(one_each([1.0] * 9 + [0.0]), (0.0, 1.0))
    assert estimate.high == 1.0
    changed = difference(one_each([0.0] * 3), one_each([1.0, 1.0, 0.0]), (0.0, 1.0))
    assert changed.high == 1.0


def test_what_never_differed_still_has_an_interval_of_what_was_not_seen():
    estimate = difference(one_each([1.0] * 20), one_each([1.0] * 20), (0.0, 1.0))
    assert estimate.value == 0.0
    assert estimate.standard_error == 0.0
    assert estimate.high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert estimate.low == -estimate.high
    assert estimate.detectable == estimate.half_width


def test_without_bounds_what_never_differed_has_no_interval():
    estimate = mean(one_each([2.0, 2.0]))
    assert math.isnan(estimate.low)
    assert estimate.prompts_for(0.1) is None


def test_one_cluster_has_no_interval():
    estimate = mean(one_each([0.0, 1.0], [4, 4]), (0.0, 1.0))
    assert estimate.value == 0.5
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.high)


def test_nothing_observed_is_nothing():
    nothing = one_each([])
    assert mean(nothing) == NOTHING or math.isnan(mean(nothing).value)
    assert math.isnan(difference(nothing, one_each([1.0])).value)
    assert mean(nothing).prompts == 0


def test_the_detectable_effect_needs_as_many_prompts_as_there_are():
    estimate = mean(one_each(np.random.default_rng(2).random(50)))
    assert estimate.prompts_for(estimate.detectable) == 50
    assert estimate.prompts_for(estimate.detectable / 2) == 200


@given(st.lists(st.floats(0, 1), min_size=3, max_size=20), st.integers(0, 10_000))
def test_the_order_of_prompts_does_not_matter(values, seed):
    order = np.random.default_rng(seed).permutation(len(values))
    one, other = mean(one_each(values), (0.0, 1.0)), mean(one_each(np.array(values)[order]), (0.0, 1.0))
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-9)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_no_change_is_within_its_interval(values):
    estimate = difference(one_each(values), one_each(values), (0.0, 1.0))
    assert estimate.value == 0.0
    assert estimate.low <= 0.0 <= estimate.high


def binary(rng, chances):
    return (rng.random(len(chances)) < chances).astype(np.float64)


def paired_answers(rng):
    """128 held-out prompts, right or wrong before and after; hard prompts stay hard."""
    skill = rng.beta(1.5, 1.5, 128)
    after = 0.85 * skill + 0.1
    return difference(one_each(binary(rng, skill)), one_each(binary(rng, after))), 0.1 - 0.15 * 0.5


def shared_pictures(rng):
    """60 pictures with one to four questions each, which share their difficulty."""
    clusters = np.repeat(np.arange(60), rng.integers(1, 5, 60))
    effect = rng.normal(0.05, 0.2, 60)[clusters] + rng.normal(0, 0.2, len(clusters))
    before = rng.random(len(clusters))
    return difference(one_each(before, clusters), one_each(before + effect, clusters)), 0.05


def training_steps(rng, shared=0):
    """16 prompts of 8 completions at each end, `shared` of them the same."""
    sides, truth = [], (0.5, 0.6)
    skill = rng.normal(0, 0.15, 32)
    for side in (0, 1):
        prompts = np.arange(16) + (16 - shared) * side
        chances = np.clip(skill[prompts] + truth[side], 0.02, 0.98)
        sides.append(Observed(rng.binomial(8, chances).astype(float), np.full(16, 8.0), prompts))
    return difference(*sides), 0.1


def evaluation_mean(rng):
    """64 prompts of 4 completions."""
    chances = rng.beta(2, 3, 64)
    return mean(Observed(rng.binomial(4, chances).astype(float), np.full(64, 4.0), np.arange(64)), (0.0, 1.0)), 0.4


DESIGNS = {
    "paired answers": paired_answers,
    "shared pictures": shared_pictures,
    "training, other prompts": training_steps,
    "training, half the prompts shared": lambda rng: training_steps(rng, shared=8),
    "training, all prompts shared": lambda rng: training_steps(rng, shared=16),
    "mean of an evaluation": evaluation_mean,
}


@pytest.mark.parametrize("design", DESIGNS)
def test_95_percent_intervals_cover_the_truth_in_93_to_97_percent(design):
    rng = np.random.default_rng(20260101)
    covered = 0
    for _ in range(SIMULATIONS):
        estimate, truth = DESIGNS[design](rng)
        covered += estimate.low <= truth <= estimate.high
    assert 0.93 <= covered / SIMULATIONS <= 0.97


def test_the_detectable_effect_is_found_four_times_in_five():
    rng = np.random.default_rng(5)
    found, effects = 0, []
    for _ in range(SIMULATIONS):
        noise = one_each(rng.normal(0.0, 1.0, 100))
        effects.append(mean(noise).detectable)
    effect = float(np.mean(effects))
    for _ in range(SIMULATIONS):
        found += mean(one_each(rng.normal(effect, 1.0, 100))).low > 0
    assert 0.76 <= found / SIMULATIONS <= 0.84
