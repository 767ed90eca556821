"""What others compute, on batches where they are right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon.advantage import AdvantageConfig, compute_advantages

WEIGHTS = np.array([1.0, 0.5, 0.2])


def published_gdpo(values, size, epsilon):
    """Equations 4 to 6 of arXiv 2601.05242, written down anew: [G * size, K] to [G * size]."""
    groups = values.reshape(-1, size, values.shape[1])
    deviations = groups.std(axis=1, ddof=1, keepdims=True)
    normalised = (groups - groups.mean(axis=1, keepdims=True)) / (deviations + epsilon)
    combined = (normalised * WEIGHTS).sum(axis=2).ravel()
    return (combined - combined.mean()) / (combined.std(ddof=1) + epsilon)


@st.composite
def batches(draw):
    """Groups in which every component varies well."""
    size, groups = draw(st.integers(2, 12)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rng.random((groups, size, 3))
    values[:, 0], values[:, 1] = rng.random((groups, 3)) * 0.2, 0.8 + rng.random((groups, 3)) * 0.2
    return values.reshape(-1, 3), size


@given(batches())
def test_gdpo_is_the_published_formula(matrix, batch):
    values, size = batch
    groups = np.arange(len(values)) // size
    ours = compute_advantages(matrix(values, groups, weights=WEIGHTS), AdvantageConfig(advantage="gdpo"))
    if np.abs(ours.advantages).max() > 0:  # weights and ranks may cancel in a group of two
        assert ours.advantages == pytest.approx(published_gdpo(values, size, 0.0), abs=1e-9)
        assert ours.advantages == pytest.approx(published_gdpo(values, size, 1e-8), abs=1e-6)


@given(batches())
def test_sum_is_grpo(matrix, batch):
    values, size = batch
    groups = np.arange(len(values)) // size
    totals = (values * WEIGHTS).sum(axis=1).reshape(-1, size)
    centred = totals - totals.mean(axis=1, keepdims=True)
    ours = compute_advantages(matrix(values, groups, weights=WEIGHTS), AdvantageConfig(advantage="sum"))
    assert ours.advantages == pytest.approx((centred / (totals.std(axis=1, ddof=1, keepdims=True) + 1e-6)).ravel())


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["std", "none"])
def test_sum_is_what_skyrl_computes(matrix, scale):
    torch = pytest.importorskip("torch")
    skyrl = pytest.importorskip("skyrl.backends.skyrl_train.utils.ppo_utils")
    rng = np.random.default_rng(1)
    for size in (2, 3, 5, 8, 16):
        values = rng.random((10 * size, 3))
        groups = np.repeat(np.arange(10), size)
        batch = matrix(values, groups, weights=WEIGHTS)
        ours = compute_advantages(batch, AdvantageConfig(advantage="sum", advantage_scale=scale))
        theirs, _ = skyrl.compute_grpo_outcome_advantage(
            torch.tensor(ours.totals)[:, None], torch.ones(len(values), 1), groups, grpo_norm_by_std=scale == "std"
        )
        assert ours.advantages == pytest.approx(theirs[:, 0].numpy(), abs=1e-6)
