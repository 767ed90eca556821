import math

import numpy as np
import pytest

from guerdon import ConfigError
from guerdon.advantage import AdvantageConfig, compute_advantages

NAN = math.nan
MODES = {
    "sum": AdvantageConfig(advantage="sum"),
    "gdpo": AdvantageConfig(),
    "gate": AdvantageConfig(advantage="gate", gates={"b": "a"}),
    "product": AdvantageConfig(advantage="product"),
    "lexicographic": AdvantageConfig(advantage="lexicographic", priority=("a", "b")),
}
every_mode = pytest.mark.parametrize("config", MODES.values(), ids=MODES)


def test_gdpo_tells_apart_what_the_sum_takes_for_equal(matrix):
    """The example of GDPO (arXiv 2601.05242): (1, 0) and (0, 1) among all four pairs."""
    pairs = [[1, 0], [0, 1], [1, 1], [0, 0]]
    plain = compute_advantages(matrix(pairs, [0] * 4), MODES["sum"])
    assert plain.advantages[:2].tolist() == [0, 0]
    decoupled = compute_advantages(matrix(pairs, [0] * 4, weights=[1, 0.3]), MODES["gdpo"])
    assert decoupled.advantages == pytest.approx([0.58, -0.58, 1.08, -1.08], abs=0.005)


@every_mode
@pytest.mark.parametrize("size", [2, 3, 5, 6, 8, 12])
def test_constant_groups_give_exactly_zero(matrix, config, size):
    """SkyRL's GRPO is not 0 for 46 of these 99 in groups of 8, nor is ms-swift's GDPO."""
    values = np.repeat([[n / 100, 1 - n / 100] for n in range(1, 100)], size, axis=0)
    result = compute_advantages(matrix(values, np.repeat(np.arange(99), size)), config)
    assert not result.advantages.any()
    assert not result.shares.any()
    assert result.trained.all()


@every_mode
def test_totals_that_differ_by_rounding_alone_give_exactly_zero(matrix, config):
    values = [[0.1 + 0.2, 0.7], [0.3, 0.7], [0.3, 0.1 + 0.2 + 0.4]]
    result = compute_advantages(matrix(values, [0] * 3), config)
    assert result.advantages.tolist() == [0, 0, 0]


def test_components_that_cancel_leave_no_residue_in_gdpo(matrix):
    values = [[0.1, 0.9], [0.4, 0.6], [0.7, 0.3], [0.2, 0.8]]
    result = compute_advantages(matrix(values, [0] * 4), MODES["gdpo"])
    assert result.advantages.tolist() == [0, 0, 0, 0]
    assert not result.shares.any()


@every_mode
def test_one_missing_judge_moves_nobody_in_a_correct_group(matrix, config):
    """TRL counts the missing judge as 0: the fourth sample gets -1.5 there."""
    values = [[1, 1], [1, 1], [1, 1], [1, NAN]]
    result = compute_advantages(matrix(values, [0] * 4, masked=[False, False, False, True]), config)
    assert result.advantages.tolist() == [0, 0, 0, 0]
    assert result.trained.tolist() == [True, True, True, False]


@every_mode
def test_masked_samples_take_no_part_in_baseline_scale_or_update(matrix, config):
    rest = [[1, 0.2], [0, 0.9], [1, 0.4], [0.6, 0.1]]
    alone = compute_advantages(matrix(rest, [0, 0, 0, 0]), config)
    among = compute_advantages(
        matrix([*rest, [0.9, NAN], [NAN, NAN]], [0, 0, 0, 0, 0, 1], masked=[False] * 4 + [True] * 2), config
    )
    assert among.advantages[:4].tolist() == alone.advantages.tolist()
    assert among.advantages[4:].tolist() == [0, 0]
    assert among.trained.tolist() == [True] * 4 + [False] * 2
    assert among.shares[4:].tolist() == [[0, 0], [0, 0]]


def test_a_masked_samples_total_is_what_is_left_and_null_without_anything(matrix):
    values = [[1, 1], [0.9, NAN], [NAN, NAN]]
    result = compute_advantages(matrix(values, [0] * 3, masked=[False, True, True]), MODES["sum"])
    assert result.totals[:2].tolist() == [2, 0.9]
    assert math.isnan(result.totals[2])


@every_mode
def test_a_component_that_abstains_is_left_out_for_its_group_without_renormalising(matrix, config):
    values = [[1, NAN], [0, NAN], [1, 0.3], [0, 0.3]]
    result = compute_advantages(matrix(values, [0, 0, 1, 1]), config)
    assert result.trained.all()
    assert np.isnan(result.contributions[:2, 1]).all()
    assert result.shares[:2, 1].tolist() == [0, 0]
    assert result.advantages[0] > 0 > result.advantages[1]
    if config.advantage in ("sum", "gdpo"):
        assert result.totals.tolist() == [1, 0, 1.3, 0.3]


@every_mode
def test_one_gap_among_usable_samples_leaves_the_component_out_for_all(matrix, config):
    gap = compute_advantages(matrix([[1, 0.3], [0, NAN]], [0, 0]), config)
    none = compute_advantages(matrix([[1, NAN], [0, NAN]], [0, 0]), config)
    assert gap.advantages.tolist() == none.advantages.tolist()
    assert gap.totals.tolist() == none.totals.tolist()


@every_mode
def test_without_any_component_a_group_is_not_trained(matrix, config):
    result = compute_advantages(matrix([[NAN, NAN], [NAN, NAN], [1, 0], [0, 0]], [0, 0, 1, 1]), config)
    assert np.isnan(result.totals[:2]).all()
    assert result.trained.tolist() == [False, False, True, True]
    assert result.advantages[:2].tolist() == [0, 0]


@every_mode
def test_a_sample_alone_has_nothing_to_be_compared_with(matrix, config):
    result = compute_advantages(matrix([[0.7, 0.2], [1, 1], [0, 1]], [0, 1, 1]), config)
    assert result.advantages[0] == 0
    assert result.advantages[1] > 0


@every_mode
def test_an_empty_batch_is_fine(matrix, config):
    result = compute_advantages(matrix(np.empty((0, 2)), []), config)
    assert result.advantages.shape == result.totals.shape == (0,)
    assert result.shares.shape == (0, 2)


def test_min_spread_keeps_gdpo_from_blowing_up_a_near_constant_component(matrix):
    values = [[1, 0.500], [0, 0.501], [1, 0.502], [0, 0.501]]
    blown = compute_advantages(matrix(values, [0] * 4), MODES["gdpo"])
    calm = compute_advantages(matrix(values, [0] * 4, min_spread=[0, 0.01]), MODES["gdpo"])
    assert np.abs(blown.shares[:, 1]).max() > 0.5
    assert not calm.shares[:, 1].any()
    assert compute_advantages(matrix(values, [0] * 4, min_spread=[0, 0.001]), MODES["gdpo"]).shares[:, 1].any()


def test_constant_groups_and_masked_samples_stay_out_of_the_batch_scale(matrix):
    varied = [[1, 0.2], [0, 0.3], [0.5, 0.9], [1, 0.1]]
    alone = compute_advantages(matrix(varied, [0] * 4), MODES["gdpo"])
    padded = compute_advantages(
        matrix([*varied, *[[0.3, 0.7]] * 40, [1, 1]], [0] * 4 + [1] * 40 + [0], masked=[False] * 44 + [True]),
        MODES["gdpo"],
    )
    assert padded.advantages[:4].tolist() == alone.advantages.tolist()


def test_without_scale_it_is_dr_grpo(matrix):
    config = AdvantageConfig(advantage="sum", advantage_scale="none")
    result = compute_advantages(matrix([[1, 0.5], [0, 0.1]], [0, 0]), config)
    assert result.advantages == pytest.approx([0.7, -0.7])


def test_leave_one_out_is_rloo(matrix):
    config = AdvantageConfig(advantage="sum", advantage_scale="none", advantage_baseline="leave_one_out")
    result = compute_advantages(matrix([[1], [0.5], [0]], [0] * 3), config)
    assert result.advantages == pytest.approx([1 - 0.25, 0.5 - 0.5, 0 - 0.75])


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("none", [True, True, True, True]),
        ("outcome", [True, False, False, False]),
        ("total", [True, False, False, False]),
        ("any_component", [True, True, False, False]),
    ],
)
def test_the_filter_drops_groups_without_the_wanted_variation(matrix, name, kept):
    varied, cancelling, off, constant = [[1, 0], [0, 0]], [[1, 0], [1, 0.5]], [[0.5, 0], [0.5, 0]], [[1, 1], [1, 1]]
    cancelling = [[*row, extra] for row, extra in zip(cancelling, [0.5, 0], strict=True)]
    rows = [[*row, 0, 0] for row in varied] + [[*row, 0] for row in cancelling]
    rows += [[*off[0], 0, 0.1], [*off[1], 0, 0.2]] + [[*row, 0, 0] for row in constant]
    batch = matrix(rows, [0, 0, 1, 1, 2, 2, 3, 3], weights=[1, 1, 1, 0])
    result = compute_advantages(batch, AdvantageConfig(advantage="sum", filter=name))
    assert result.kept.reshape(4, 2)[:, 0].tolist() == kept
    assert result.trained.tolist() == result.kept.tolist()
    assert not result.advantages[~result.kept].any()


def test_the_outcome_may_be_a_monitor_and_may_be_missing(matrix):
    values = [[1, 1], [0, 1], [NAN, 1], [NAN, 0]]
    config = AdvantageConfig(advantage="sum", filter="outcome")
    result = compute_advantages(matrix(values, [0, 0, 1, 1], trained_on=[False, True]), config)
    assert result.kept.tolist() == [True, True, False, False]
    with pytest.raises(ConfigError, match="outcome"):
        compute_advantages(matrix(values, [0, 0, 1, 1], outcome=None), config)


def test_above_eight_components_shares_are_exact_or_null(matrix):
    values = np.random.default_rng(0).random((6, 9))
    wide = matrix(values, [0] * 6)
    for name in ("sum", "gdpo"):
        result = compute_advantages(wide, MODES[name])
        assert result.shares.sum(axis=1) == pytest.approx(result.advantages, abs=1e-9)
    for config in (MODES["product"], MODES["gate"]):
        assert compute_advantages(wide, config).shares is None


def test_shares_show_who_moved_the_advantage(matrix):
    """A constant factor 0.5 takes from the sample that would have had 1, and nothing from the one at 0."""
    result = compute_advantages(matrix([[1, 0.5], [0, 0.5]], [0, 0]), MODES["product"])
    assert result.shares[0] * result.totals.std(ddof=1) == pytest.approx([0.375, -0.125], abs=1e-5)
    gated = compute_advantages(matrix([[1, 1], [0, 1]], [0, 0]), MODES["gate"])
    assert gated.shares[0] / gated.shares[0].sum() == pytest.approx([0.75, 0.25])


@pytest.mark.parametrize("scale", [1e-200, 1e99])
def test_extreme_values_stay_finite(matrix, scale):
    values = np.array([[1, 0.3], [0, 0.9], [0.5, 0.1]]) * scale
    for name in ("sum", "gdpo"):
        result = compute_advantages(matrix(values, [0] * 3, high=[scale, scale]), MODES[name])
        assert np.isfinite(result.advantages).all()
        assert np.isfinite(result.shares).all()
