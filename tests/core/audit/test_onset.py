import numpy as np
import pytest

from guerdon.audit.onset import onset
from guerdon.audit.thresholds import DEFAULT


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("at", [10, 40])
def test_a_step_is_dated(at, sign):
    values = np.random.default_rng(1).normal(0, 0.1, 80)
    values[at:] += sign * 1.0
    assert abs(onset(values, 5, DEFAULT, upwards=sign > 0) - at) <= 4


def test_gaps_are_passed_over():
    values = np.where(np.arange(60) < 30, 0.0, 2.0) + np.random.default_rng(2).normal(0, 0.1, 60)
    values[::3] = np.nan
    assert abs(onset(values, 6, DEFAULT) - 30) <= 4


@pytest.mark.parametrize("values", [np.zeros(20), np.full(20, np.nan)])
def test_without_a_change_it_is_the_end_of_the_baseline(values):
    assert onset(values, 5, DEFAULT) == 5
