"""Every random choice follows from seed, step and name."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guerdon_trainer.seeds import derive, step_batch

NAMES = st.lists(st.text(max_size=8) | st.integers(), max_size=4)


def test_known_values_stay():
    """A run that was begun by an older version must go on drawing the same."""
    assert derive(0) == 1609362278
    assert derive(0, "train", 1, "p", 0) == 533566245
    assert derive(7, "epoch", 3) == 1273377793


@settings(deadline=None)
@given(st.integers(0, 2**31 - 1), NAMES)
def test_a_seed_fits_in_31_bits_and_repeats(seed, names):
    assert 0 <= derive(seed, *names) < 2**31
    assert derive(seed, *names) == derive(seed, *names)


def test_every_argument_counts_and_their_borders_do():
    seeds = [
        derive(0, "train", 1, "p", 0),
        derive(1, "train", 1, "p", 0),
        derive(0, "eval", 1, "p", 0),
        derive(0, "train", 2, "p", 0),
        derive(0, "train", 1, "q", 0),
        derive(0, "train", 1, "p", 1),
        derive(0, "trai", "n1", "p", 0),
        derive(0, "train", 1, "p0"),
    ]
    assert len(set(seeds)) == len(seeds)


@settings(deadline=None)
@given(count=st.integers(1, 40), size=st.integers(1, 40), seed=st.integers(0, 9))
def test_an_epoch_shows_each_item_at_most_once_and_drops_less_than_a_batch(count, size, seed):
    if size > count:
        return
    steps = count // size
    shown = [item for step in range(1, steps + 1) for item in step_batch(range(count), size=size, step=step, seed=seed)]
    assert len(shown) == len(set(shown)) == steps * size
    assert count - len(shown) < size


def test_epochs_and_seeds_differ_and_a_step_repeats():
    items = list(range(32))
    first = step_batch(items, size=8, step=1, seed=0)
    assert step_batch(items, size=8, step=1, seed=0) == first
    assert step_batch(items, size=8, step=5, seed=0) != first
    assert step_batch(items, size=8, step=1, seed=1) != first


@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_batch_of_everything_is_a_permutation(step):
    assert sorted(step_batch("abc", size=3, step=step, seed=0)) == ["a", "b", "c"]
