import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon.advantage import pass_at_k


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.integers(1, 8))
def test_it_is_the_share_of_draws_that_hold_a_right_one(right, k):
    found = pass_at_k(np.array(right, dtype=np.float64), np.zeros(len(right), dtype=np.int64), k)
    draws = list(combinations(right, k))
    if not draws:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(sum(map(any, draws)) / len(draws))


def test_groups_count_alike_and_gaps_are_left_out():
    outcome = np.array([1.0, 0.0, math.nan, 0.0, 0.0])
    groups = np.array([4, 4, 4, 9, 9])
    assert pass_at_k(outcome, groups, 1) == pytest.approx((0.5 + 0.0) / 2)
    assert pass_at_k(outcome, groups, 2) == pytest.approx((1.0 + 0.0) / 2)
    assert math.isnan(pass_at_k(outcome, groups, 3))


def test_the_threshold_belongs_to_the_right_side():
    outcome, groups = np.array([0.4, 0.5]), np.array([0, 0])
    assert pass_at_k(outcome, groups, 1) == 0.5
    assert pass_at_k(outcome, groups, 1, threshold=0.4) == 1.0


def test_large_draws_do_not_overflow():
    outcome = np.zeros(5_000)
    outcome[:50] = 1.0
    exact = 1 - Fraction(math.comb(4_950, 100), math.comb(5_000, 100))
    assert pass_at_k(outcome, np.zeros(5_000, dtype=np.int64), 100) == pytest.approx(float(exact))


def test_k_below_one_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        pass_at_k(np.ones(2), np.zeros(2, dtype=np.int64), 0)
