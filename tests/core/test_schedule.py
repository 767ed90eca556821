import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from guerdon import Reward
from guerdon.schedule import Cosine, Linear, Steps, Weight, weight_at

WEIGHT = TypeAdapter(Weight)


class Always(Reward):
    name = "always"

    def score(self, sample):
        return 1.0


def test_a_number_is_constant():
    assert [weight_at(0.3, step) for step in (0, 1, 10**6)] == [0.3, 0.3, 0.3]
    assert weight_at(2, 5) == 2.0


def test_linear_is_exact_at_both_ends_and_straight_between():
    ramp = WEIGHT.validate_python({"schedule": "linear", "start": 0.1, "end": 0.7, "first": 11, "last": 21})
    assert isinstance(ramp, Linear)
    assert [weight_at(ramp, step) for step in (0, 1, 11)] == [0.1, 0.1, 0.1]
    assert [weight_at(ramp, step) for step in (21, 22, 999)] == [0.7, 0.7, 0.7]
    assert weight_at(ramp, 16) == pytest.approx(0.4)


def test_cosine_is_flat_at_the_ends_and_half_way_in_the_middle():
    ramp = WEIGHT.validate_python({"schedule": "cosine", "start": 1.0, "end": 0.0, "last": 101})
    assert isinstance(ramp, Cosine)
    assert weight_at(ramp, 1) == 1.0
    assert weight_at(ramp, 101) == 0.0
    assert weight_at(ramp, 51) == pytest.approx(0.5)
    assert weight_at(ramp, 11) == pytest.approx((1 + math.cos(math.pi * 0.1)) / 2)


def test_step_changes_at_the_named_steps_in_any_order():
    stairs = WEIGHT.validate_python({"schedule": "step", "start": 1.0, "changes": {"20": 0.0, "10": 0.5}})
    assert isinstance(stairs, Steps)
    assert [weight_at(stairs, step) for step in (0, 9, 10, 19, 20, 999)] == [1.0, 1.0, 0.5, 0.5, 0.0, 0.0]


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.integers(1, 50), st.integers(1, 50), st.integers(0, 200))
def test_ramps_stay_between_their_ends_and_go_one_way(start, end, first, length, step):
    for cls, name in ((Linear, "linear"), (Cosine, "cosine")):
        ramp = cls(schedule=name, start=start, end=end, first=first, last=first + length)
        now, then = weight_at(ramp, step), weight_at(ramp, step + 1)
        slack = 1e-9 * max(start, end)
        assert min(start, end) - slack <= now <= max(start, end) + slack
        assert (then - now) * (end - start) >= -slack * max(start, end)


@pytest.mark.parametrize(
    "weight",
    [
        -1.0,
        math.nan,
        math.inf,
        {"schedule": "linear", "start": 0, "end": 1, "last": 1},
        {"schedule": "linear", "start": 0, "end": 1, "first": 9, "last": 9},
        {"schedule": "linear", "start": 0, "end": 1},
        {"schedule": "linear", "start": -1, "end": 1, "last": 9},
        {"schedule": "exponential", "start": 0, "end": 1, "last": 9},
        {"schedule": "step", "start": 1, "changes": {}},
        {"schedule": "step", "start": 1, "changes": {"0": 1}},
        {"schedule": "cosine", "start": 0, "end": 1, "last": 9, "step": 3},
    ],
)
def test_wrong_weights_are_refused(weight):
    with pytest.raises(ValidationError):
        Always(weight=weight)


def test_a_reward_takes_a_number_or_a_schedule_and_round_trips_through_json():
    for weight in (0.5, {"schedule": "linear", "start": 0, "end": 1, "last": 9}):
        reward = Always(weight=weight)
        assert Always.model_validate_json(reward.model_dump_json()) == reward


def test_a_negative_weight_is_named_with_its_bound():
    with pytest.raises(ValidationError, match="greater than or equal to 0"):
        Always(weight=-0.5)
