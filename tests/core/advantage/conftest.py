import numpy as np
import pytest
from hypothesis import settings

from guerdon.advantage import ComponentMatrix

# Machines that run tests are shared: a slow example is no failure.
settings.register_profile("guerdon", deadline=None)
settings.load_profile("guerdon")


def build(values, groups, **changes):
    """A matrix of components with range [0, 1] and weight 1, all trained on."""
    values = np.array(values, dtype=np.float64)
    count, width = values.shape
    facts = {
        "values": values,
        "groups": np.array(groups, dtype=np.int64),
        "masked": np.zeros(count, dtype=np.bool_),
        "components": tuple("abcdefghijkl"[:width]),
        "weights": np.ones(width),
        "min_spread": np.zeros(width),
        "low": np.zeros(width),
        "high": np.ones(width),
        "trained_on": np.ones(width, dtype=np.bool_),
        "outcome": 0,
    }
    for name, value in changes.items():
        facts[name] = np.array(value, dtype=facts[name].dtype) if isinstance(facts[name], np.ndarray) else value
    return ComponentMatrix(**facts)


@pytest.fixture(scope="session")
def matrix():
    return build
