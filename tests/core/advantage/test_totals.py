import numpy as np
import pytest

from guerdon.advantage import AdvantageConfig, compute_advantages

NAN = float("nan")
PRODUCT = AdvantageConfig(advantage="product")


def gate(**gates):
    return AdvantageConfig(advantage="gate", gates=gates)


def ranked(*priority):
    return AdvantageConfig(advantage="lexicographic", priority=priority)


@pytest.mark.parametrize("mode", ["sum", "gdpo"])
def test_the_total_is_the_weighted_sum(matrix, mode):
    result = compute_advantages(matrix([[1, 0.5], [0, 1]], [0, 0], weights=[1.0, 0.2]), AdvantageConfig(advantage=mode))
    assert result.totals.tolist() == [1.1, 0.2]
    assert result.contributions.tolist() == [[1.0, 0.1], [0.0, 0.2]]


def test_a_monitor_is_in_no_total(matrix):
    result = compute_advantages(
        matrix([[1, 5], [0, 7]], [0, 0], trained_on=[True, False]), AdvantageConfig(advantage="sum")
    )
    assert result.totals.tolist() == [1, 0]
    assert np.isnan(result.contributions[:, 1]).all()
    assert result.shares[:, 1].tolist() == [0, 0]


def test_a_gated_component_counts_only_if_its_gate_passes(matrix):
    result = compute_advantages(matrix([[1, 0.8], [0.5, 0.8], [0.4, 0.8]], [0, 0, 0]), gate(b="a"))
    assert result.totals == pytest.approx([1.8, 1.3, 0.4])
    assert result.contributions[:, 1].tolist() == [0.8, 0.8, 0.0]


def test_a_closed_gate_does_not_spare_a_penalty(matrix):
    result = compute_advantages(matrix([[1, -0.2], [0, 0]], [0, 0], low=[0, -1], high=[1, 0]), gate(b="a"))
    assert result.totals.tolist() == [0.8, -1.0]


def test_gates_look_at_the_value_before_gating(matrix):
    result = compute_advantages(matrix([[0, 1, 1], [1, 1, 1]], [0, 0]), gate(b="a", c="b"))
    assert result.totals.tolist() == [1, 3]


def test_a_gate_that_abstains_stays_open(matrix):
    result = compute_advantages(matrix([[NAN, 0.8], [NAN, 0.2]], [0, 0]), gate(b="a"))
    assert result.totals.tolist() == [0.8, 0.2]


def test_a_product_is_zero_where_one_component_is_at_its_worst(matrix):
    result = compute_advantages(matrix([[1, 0.5], [0.8, 0], [0.5, 0.5]], [0, 0, 0]), PRODUCT)
    assert result.totals == pytest.approx([0.5, 0.0, 0.25])


def test_of_two_penalties_the_product_is_no_reward(matrix):
    result = compute_advantages(matrix([[-1, -1], [-0.5, -0.5], [0, 0]], [0] * 3, low=[-1, -1], high=[0, 0]), PRODUCT)
    assert result.totals.tolist() == [0, 0.25, 1]


def test_weights_are_exponents_of_a_product_and_zero_turns_off(matrix):
    values = [[0.5, 0.0], [0.25, 0.7]]
    result = compute_advantages(matrix(values, [0, 0], weights=[2.0, 0.0]), PRODUCT)
    assert result.totals.tolist() == [0.25, 0.0625]


def test_lexicographic_totals_are_the_share_of_siblings_beaten(matrix):
    values = [[1, 0.1], [1, 0.9], [0, 1.0], [0, 1.0]]
    result = compute_advantages(matrix(values, [0] * 4), ranked("a", "b"))
    assert result.totals == pytest.approx([2 / 3, 1.0, 1 / 6, 1 / 6])
    turned = compute_advantages(matrix(values, [0] * 4), ranked("b", "a"))
    assert turned.totals == pytest.approx([0.0, 1 / 3, 5 / 6, 5 / 6])


def test_no_lower_priority_ever_outweighs_a_higher_one(matrix):
    values = [[1, 0, 0], [0.999, 1, 1]]
    result = compute_advantages(matrix(values, [0, 0], weights=[1e-6, 9, 9]), ranked("a", "b", "c"))
    assert result.advantages[0] > 0 > result.advantages[1]


def test_lexicographic_ties_follow_min_spread_and_rounding(matrix):
    values = [[0.1 + 0.2, 0.0], [0.3, 1.0]]
    assert compute_advantages(matrix(values, [0, 0]), ranked("a", "b")).totals.tolist() == [0, 1]
    values = [[0.52, 0.0], [0.48, 1.0]]
    tied = compute_advantages(matrix(values, [0, 0], min_spread=[0.1, 0]), ranked("a", "b"))
    assert tied.totals.tolist() == [0, 1]


def test_weight_zero_takes_a_component_out_of_the_order(matrix):
    values = [[1, 0], [0, 1]]
    result = compute_advantages(matrix(values, [0, 0], weights=[0.0, 1.0]), ranked("a", "b"))
    assert result.totals.tolist() == [0, 1]


def test_masked_samples_have_no_place_in_the_order(matrix):
    result = compute_advantages(matrix([[1], [0.5], [0]], [0] * 3, masked=[False, True, False]), ranked("a"))
    assert result.totals[[0, 2]].tolist() == [1, 0]
    assert np.isnan(result.totals[1])
