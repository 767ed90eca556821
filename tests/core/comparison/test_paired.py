import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from guerdon.comparison.paired import BCA_CLUSTERS, clustered, holm, p_value, paired

UNIT = (0.0, 1.0)


def simulated(rng, prompts, pictures, effect, kind):
    """Values of two sides whose true difference is `effect`; prompts of one picture move together."""
    clusters = np.arange(prompts) // pictures
    ease = rng.normal(0, 1.0, prompts)
    common = rng.normal(0, 0.6, prompts)[clusters]
    if kind == "score":
        noise = rng.normal(0, 0.05, (2, prompts))
        return 0.5 + 0.1 * ease + noise[0], 0.5 + effect + 0.1 * ease + noise[1] + 0.05 * common, clusters
    before = 1 / (1 + np.exp(-ease - common))
    after = np.clip(before + effect, 0, 1)
    completions = 4 if kind == "mean of four" else 1
    draws = [rng.binomial(completions, chance) / completions for chance in (before, after)]
    return draws[0], draws[1], clusters


def covered(rng, prompts, pictures, kind):
    """Whether the interval holds the truth, which is the mean change of all prompts that could have been drawn."""
    effect = 0.08 if kind == "score" else 0.0
    before, after, clusters = simulated(rng, prompts, pictures, effect, kind)
    found = paired(before, after, clusters, (-math.inf, math.inf))
    return found.low <= effect <= found.high


def coverage(runs, prompts, pictures, kind):
    rng = np.random.default_rng([prompts, pictures, len(kind)])
    return np.mean([covered(rng, prompts, pictures, kind) for _ in range(runs)])


@pytest.mark.parametrize("kind", ["binary", "mean of four", "score"])
def test_intervals_cover(kind):
    assert 0.90 <= coverage(120, 40, 2, kind) <= 0.99


@pytest.mark.bounds
@pytest.mark.parametrize(("prompts", "pictures"), [(40, 1), (60, 2), (128, 1), (384, 3)])
@pytest.mark.parametrize("kind", ["binary", "mean of four", "score"])
def test_intervals_cover_93_to_97_percent_of_1000(prompts, pictures, kind):
    assert 0.93 <= coverage(1000, prompts, pictures, kind) <= 0.97


def test_many_clusters_are_bootstrapped_and_few_are_not():
    rng = np.random.default_rng(0)
    before, after, clusters = simulated(rng, 4 * BCA_CLUSTERS, 2, 0.08, "score")
    many = paired(before, after, clusters, UNIT)
    half = stats.t.ppf(0.975, many.clusters - 1) * many.standard_error
    assert (many.low, many.high) != (pytest.approx(many.value - half), pytest.approx(many.value + half))
    assert many.half_width == pytest.approx(half, rel=0.15)
    few = paired(before[:40], after[:40], clusters[:40], UNIT)
    half = stats.t.ppf(0.975, few.clusters - 1) * few.standard_error
    assert (few.low, few.high) == (pytest.approx(few.value - half), pytest.approx(few.value + half))


def test_shared_pictures_widen_the_interval():
    rng = np.random.default_rng(1)
    moved = np.repeat(rng.normal(0, 1, 30), 4)
    together = paired(np.zeros(120), moved, np.arange(120) // 4, (-9, 9))
    apart = paired(np.zeros(120), moved, np.arange(120), (-9, 9))
    assert together.half_width > 1.6 * apart.half_width


def test_sides_that_do_not_differ_leave_what_was_never_seen():
    same = np.ones(60)
    found = paired(same, same, np.arange(60), UNIT)
    assert found.value == 0.0
    assert 0 < found.high < 0.07
    assert p_value(same, same, np.arange(60)) == 1.0


def test_binary_prompts_take_mcnemar():
    before = np.array([1] * 5 + [0] * 15 + [1] * 10, dtype=float)
    after = np.array([0] * 5 + [1] * 15 + [1] * 10, dtype=float)
    assert p_value(before, after, np.arange(30)) == pytest.approx(stats.binomtest(15, 20).pvalue)


def test_clusters_are_swapped_whole():
    rng = np.random.default_rng(2)
    moved = np.repeat(rng.choice([-1.0, 1.0], 6), 20)
    moved[:100] = 1.0  # five of six clusters
    clusters = np.arange(120) // 20
    p = p_value(np.zeros(120), moved, clusters)
    assert p >= 2 / 2**6  # six coins cannot say more
    assert p_value(np.zeros(120), moved, np.arange(120)) < 0.01


def test_a_permutation_agrees_with_the_t_test():
    rng = np.random.default_rng(3)
    before, after, _ = simulated(rng, 60, 1, 0.015, "score")
    assert p_value(before, after, np.arange(60)) == pytest.approx(stats.ttest_rel(after, before).pvalue, abs=0.03)


def test_clusters_add_up():
    sums, counts = clustered(np.array([1.0, 2.0, 3.0]), np.array([7, 7, 2]))
    assert (list(sums), list(counts)) == ([3.0, 3.0], [1.0, 2.0])


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_lies_between_the_value_and_bonferroni_and_keeps_the_order(values):
    corrected = holm(values)
    assert all(p <= q <= min(1.0, len(values) * p) + 1e-12 for p, q in zip(values, corrected, strict=True))
    order = np.argsort(values, kind="stable")
    assert list(np.array(corrected)[order]) == sorted(corrected)
