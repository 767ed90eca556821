"""What must hold for any batch, whatever its values, gaps and masks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from guerdon.advantage import AdvantageConfig, compute_advantages

LEVELS = st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 1.0]) | st.floats(0, 1, width=16)
CONFIGS = [
    AdvantageConfig(advantage=mode, advantage_scale=scale, advantage_baseline=baseline, filter=kept, **extra)
    for mode, extra in {
        "sum": {},
        "gdpo": {},
        "gate": {"gates": {"b": "a", "c": "b"}},
        "product": {},
        "lexicographic": {"priority": ("b", "a", "c")},
    }.items()
    for scale in ("std", "none")
    for baseline in ("mean", "leave_one_out")
    for kept in ("none", "total")
    if not (mode == "gdpo" and scale == "none")
]
any_config = st.sampled_from(CONFIGS)


@st.composite
def batches(draw, *, gaps=True, masks=True):
    """Up to 12 samples in up to 4 groups with 3 components: abstentions by group, masks by sample."""
    groups = draw(st.lists(st.integers(0, 3), min_size=1, max_size=12))
    values = np.array([[draw(LEVELS) for _ in range(3)] for _ in groups])
    masked = [masks and draw(st.integers(0, 4)) == 0 for _ in groups]
    if gaps:
        for group in set(groups):
            for column in range(3):
                if draw(st.integers(0, 4)) == 0:
                    values[np.array(groups) == group, column] = np.nan
        for row, out in enumerate(masked):
            if out:
                values[row, draw(st.integers(0, 2))] = np.nan
    weights = [draw(st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0])) for _ in range(3)]
    spreads = [draw(st.sampled_from([0.0, 0.0, 0.3])) for _ in range(3)]
    return {"values": values, "groups": groups, "masked": masked, "weights": weights, "min_spread": spreads}


@given(batches(), any_config)
def test_shares_sum_to_the_advantage_and_nothing_is_ever_nan(matrix, batch, config):
    result = compute_advantages(matrix(**batch), config)
    assert np.isfinite(result.advantages).all()
    assert np.isfinite(result.shares).all()
    assert result.shares.sum(axis=1) == pytest.approx(result.advantages, abs=1e-9)


@given(batches(), any_config)
def test_who_is_not_trained_gets_exactly_zero_and_masked_samples_are_not_trained(matrix, batch, config):
    result = compute_advantages(matrix(**batch), config)
    assert not result.trained[np.array(batch["masked"])].any()
    assert not result.advantages[~result.trained].any()
    assert not np.isnan(result.totals[result.trained]).any()


@given(batches(), any_config)
def test_advantages_of_a_group_sum_to_zero(matrix, batch, config):
    result = compute_advantages(matrix(**batch), config)
    for group in set(batch["groups"]):
        mine = result.advantages[np.array(batch["groups"]) == group]
        assert mine.sum() == pytest.approx(0, abs=1e-6 * max(1, np.abs(mine).max()))


@given(batches(), any_config, st.randoms(use_true_random=False))
def test_the_order_of_samples_and_groups_changes_no_bit(matrix, batch, config, random):
    order = random.sample(range(len(batch["groups"])), len(batch["groups"]))
    names = random.sample(range(4), 4)
    moved = {
        **batch,
        "values": batch["values"][order],
        "groups": [names[batch["groups"][row]] for row in order],
        "masked": [batch["masked"][row] for row in order],
    }
    here, there = compute_advantages(matrix(**batch), config), compute_advantages(matrix(**moved), config)
    assert np.array_equal(here.advantages[order], there.advantages)
    assert np.array_equal(here.totals[order], there.totals, equal_nan=True)


@given(batches(), any_config, st.permutations(range(3)))
def test_the_order_of_components_changes_no_bit_of_an_advantage(matrix, batch, config, order):
    plain = matrix(**batch)
    turned = replace(
        plain,
        values=plain.values[:, order],
        components=tuple(plain.components[k] for k in order),
        weights=plain.weights[order],
        min_spread=plain.min_spread[order],
    )
    here, there = compute_advantages(plain, config), compute_advantages(turned, config)
    assert np.array_equal(here.advantages, there.advantages)
    assert here.shares[:, order] == pytest.approx(there.shares, abs=1e-9)


@given(batches(), any_config, st.integers(0, 3))
def test_a_group_of_its_own_changes_nothing_for_the_others_but_the_batch_scale(matrix, batch, config, constant):
    more = {
        **batch,
        "values": np.vstack([batch["values"], [[0.1 * constant] * 3] * 5]),
        "groups": [*batch["groups"], *[9] * 5],
        "masked": [*batch["masked"], *[False] * 5],
    }
    here, there = compute_advantages(matrix(**batch), config), compute_advantages(matrix(**more), config)
    assert np.array_equal(here.advantages, there.advantages[:-5])
    assert not there.advantages[-5:].any()


@given(batches(gaps=False), st.sampled_from([0.125, 4.0, 64.0]), st.sampled_from([-1.0, 0.5, 3.0]))
def test_gdpo_is_blind_to_a_components_units(matrix, batch, scale, shift):
    config, plain = AdvantageConfig(), matrix(**batch | {"min_spread": [0.0] * 3})
    other = replace(plain, values=plain.values * [scale, 1, 1] + [shift, 0, 0])
    spreads = [np.ptp(plain.values[plain.groups == group, 0]) for group in set(batch["groups"])]
    assume(all(spread == 0 or spread > 1e-3 for spread in spreads))  # below, rounding of the shifted values
    expected = compute_advantages(plain, config).advantages
    assert compute_advantages(other, config).advantages == pytest.approx(expected, abs=1e-7)


@given(batches(), st.sampled_from([0.125, 4.0]))
def test_gdpo_is_blind_to_a_common_factor_of_the_weights_and_unscaled_sum_follows_it(matrix, batch, factor):
    plain = matrix(**batch)
    other = replace(plain, weights=plain.weights * factor)
    decoupled, unscaled = AdvantageConfig(), AdvantageConfig(advantage="sum", advantage_scale="none")
    expected = compute_advantages(plain, decoupled).advantages
    assert compute_advantages(other, decoupled).advantages == pytest.approx(expected, abs=1e-9)
    expected = compute_advantages(plain, unscaled).advantages * factor
    assert compute_advantages(other, unscaled).advantages == pytest.approx(expected, abs=1e-9)


@given(batches(gaps=False), any_config, st.integers(0, 2), st.data())
def test_breaking_a_grader_never_beats_a_wrong_answer(matrix, batch, config, column, data):
    """Two samples of a group alike in all else: one breaks a grader, one is judged, however badly."""
    rows = len(batch["groups"])
    assume(rows >= 2)
    broken, judged = data.draw(st.permutations(range(rows)))[:2]
    low = [data.draw(st.sampled_from([0.0, -1.0])) for _ in range(3)]
    values = batch["values"].copy() + low
    values[broken] = values[judged]
    values[broken, column] = low[column]
    groups, masked = list(batch["groups"]), list(batch["masked"])
    groups[broken], masked[broken], masked[judged] = groups[judged], False, False
    result = compute_advantages(
        matrix(**batch | {"values": values, "groups": groups, "masked": masked, "low": low, "high": np.array(low) + 1}),
        config,
    )
    assert result.advantages[broken] <= result.advantages[judged]
    assert result.totals[broken] <= result.totals[judged]


@given(batches(gaps=False, masks=False), st.integers(0, 2), st.sampled_from(["sum", "product", "lexicographic"]))
def test_breaking_a_grader_never_beats_having_been_wrong_oneself(matrix, batch, column, mode):
    config = AdvantageConfig(advantage=mode, priority=("b", "a", "c") if mode == "lexicographic" else ())
    values = batch["values"].copy()
    values[0, column] = 0.0
    wrong, broken = (
        compute_advantages(matrix(**batch), config),
        compute_advantages(matrix(**batch | {"values": values}), config),
    )
    assert broken.advantages[0] <= wrong.advantages[0] + 1e-6


@given(batches(), st.sampled_from([config for config in CONFIGS if config.advantage != "gdpo"]))
def test_a_group_alone_gets_what_it_gets_in_the_batch(matrix, batch, config):
    together = compute_advantages(matrix(**batch), config)
    for group in set(batch["groups"]):
        rows = np.array(batch["groups"]) == group
        alone = {name: np.array(batch[name])[rows] for name in ("values", "groups", "masked")}
        single = compute_advantages(matrix(**batch | alone), config)
        assert np.array_equal(single.advantages, together.advantages[rows])
        assert np.array_equal(single.trained, together.trained[rows])
