import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon.advantage.grid import Grid, centre, deviation, spread, total, varies

NAN = math.nan


@given(st.lists(st.integers(-3, 3), max_size=20))
def test_laying_out_and_gathering_gives_the_same_back(groups):
    grid = Grid.of(np.array(groups, dtype=np.int64))
    values = np.arange(float(len(groups)))
    assert np.array_equal(grid.gather(grid.spread_out(values)), values)
    assert grid.flags(np.ones(len(groups), dtype=np.bool_)).sum() == len(groups)


def test_groups_may_be_scattered_and_of_different_size():
    grid = Grid.of(np.array([7, 3, 7, 7]))
    laid = grid.spread_out(np.array([1.0, 2.0, 3.0, 4.0]))
    assert np.array_equal(laid, [[2.0, NAN, NAN], [1.0, 3.0, 4.0]], equal_nan=True)


@given(st.lists(st.floats(-1e6, 1e6) | st.just(NAN), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_terms_changes_no_bit_of_a_sum(terms, random):
    shuffled = random.sample(terms, len(terms))
    assert total(np.array(terms), 0) == total(np.array(shuffled), 0)


def test_centring_leaves_out_who_takes_no_part():
    values = np.array([[1.0, 3.0, NAN], [5.0, NAN, NAN], [NAN, NAN, NAN]])
    assert np.array_equal(centre(values), [[-1, 1, NAN], [0, NAN, NAN], [NAN, NAN, NAN]], equal_nan=True)


def test_leave_one_out_compares_with_the_mean_of_the_others():
    values = np.array([[1.0, 2.0, 6.0]])
    assert centre(values, leave_one_out=True)[0] == pytest.approx([1 - 4, 2 - 3.5, 6 - 1.5])


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=10))
def test_the_deviation_is_numpys_unbiased_one(values):
    assert deviation(np.array([values]))[0, 0] == pytest.approx(np.std(values, ddof=1), abs=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-170, 1.0, 1e170, 1e300])
def test_the_deviation_survives_very_small_and_large_values(scale):
    assert deviation(np.array([[0.0, scale]]))[0, 0] / scale == pytest.approx(math.sqrt(0.5))


def test_spread_of_nobody_is_zero():
    assert spread(np.array([[NAN, NAN], [2.0, NAN], [2.0, 5.0]])).tolist() == [0, 0, 3]


def test_rounding_is_no_variation():
    residue = np.array([[0.1 + 0.2, 0.3]])
    assert spread(residue)[0] > 0
    assert not varies(residue, residue)[0]
    assert varies(np.array([[0.3, 0.3001]]), residue)[0]
