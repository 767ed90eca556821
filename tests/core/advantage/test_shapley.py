from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon.advantage.shapley import MOST, shapley


def game(count, seed):
    """A random game for three samples: a total for each coalition."""
    table = np.random.default_rng(seed).normal(size=(2**count, 3))
    return lambda coalition: table[int(sum(1 << k for k in range(count) if coalition[k]))]


def by_permutations(count, play):
    """The definition: what each component adds, over all orders of adding them."""
    added = np.zeros((3, count))
    orders = list(permutations(range(count)))
    for order in orders:
        coalition = np.zeros(count, dtype=np.bool_)
        for k in order:
            before = play(coalition)
            coalition[k] = True
            added[:, k] += play(coalition) - before
    return added / len(orders)


@given(st.integers(1, 5), st.integers(0, 1000))
def test_it_is_the_mean_over_all_orders(count, seed):
    play = game(count, seed)
    assert shapley(count, play) == pytest.approx(by_permutations(count, play), abs=1e-12)


@given(st.integers(1, MOST), st.integers(0, 50))
def test_the_values_add_up_to_what_all_earn_together(count, seed):
    play = game(count, seed)
    everyone, nobody = np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    assert shapley(count, play).sum(axis=-1) == pytest.approx(play(everyone) - play(nobody), abs=1e-12)


def test_who_adds_nothing_gets_nothing():
    values = shapley(3, lambda coalition: np.array([3.0 * coalition[0] * coalition[2]]))
    assert values.tolist() == [[1.5, 0.0, 1.5]]


def test_too_many_components_are_refused():
    with pytest.raises(ValueError, match="9 components"):
        shapley(MOST + 1, game(MOST + 1, 0))
