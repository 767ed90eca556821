"""The base class: fields are configuration, and a class that cannot score is refused at once."""

from typing import ClassVar

import pytest
from pydantic import ValidationError

from guerdon import PluginError, Reward, Sample
from guerdon.reward import Constant, Limits, scoring_method
from guerdon.schedule import Linear


class Long(Reward):
    """Whether the completion is long."""

    name: ClassVar[str] = "long"
    value_range: ClassVar[tuple[float, float]] = (-1.0, 2.0)

    least: int = 3
    """Characters that make it long."""

    def score(self, sample: Sample) -> float:
        return float(len(sample.completion) >= self.least)


class ByGroup(Long):
    name: ClassVar[str] = "by_group"

    def score_batch(self, samples):
        return [0.0 for _ in samples]

    def score_group(self, samples):
        return [1.0 for _ in samples]


def test_fields_are_the_configuration_and_frozen():
    reward = Long(least=5, weight=0.5)
    assert reward.score(Sample("p/0", "four")) == 0.0
    assert reward.range() == (-1.0, 2.0)
    with pytest.raises(ValidationError, match="frozen"):
        reward.least = 6
    assert Long.model_fields["least"].description == "Characters that make it long."
    assert reward.prepare() is None


@pytest.mark.parametrize(
    "fields",
    [
        {"weight": -1},
        {"weight": float("inf")},
        {"weight": float("nan")},
        {"timeout_s": 0},
        {"timeout_s": float("inf")},
        {"role": "watch"},
        {"isolation": "thread"},
        {"missing": "zero"},
        {"missing": {"constant": float("nan")}},
        {"missing": {"constant": 0, "more": 1}},
        {"min_spread": -0.1},
        {"minimun": 1},
        {"limits": {"retries": 21}},
        {"limits": {"concurrency": 0}},
        {"limits": {"requests_per_minute": 0}},
    ],
)
def test_bad_fields_are_refused(fields):
    with pytest.raises(ValidationError):
        Long(**fields)


def test_the_forms_of_weight_missing_and_limits():
    assert Long(weight=2).weight == 2.0
    assert isinstance(Long(weight={"schedule": "linear", "start": 0, "end": 1, "last": 9}).weight, Linear)
    assert Long(missing={"constant": -0.5}).missing == Constant(constant=-0.5)
    assert Long(limits={"concurrency": 4}).limits == Limits(concurrency=4)


def test_scoring_method_prefers_the_group_then_the_batch():
    class Batch(Long):
        def score_batch(self, samples):
            return [0.0 for _ in samples]

    assert scoring_method(Long) == "score"
    assert scoring_method(Batch) == "score_batch"
    assert scoring_method(ByGroup) == "score_group"
    assert scoring_method(Reward) is None


def test_a_class_that_scores_nothing_is_refused_unless_it_says_it_is_abstract():
    with pytest.raises(PluginError, match="Nothing overrides none of score, score_batch, score_group"):

        class Nothing(Reward):
            name: ClassVar[str] = "nothing"

    class Base(Reward):
        abstract: ClassVar[bool] = True

    class Concrete(Base):
        name: ClassVar[str] = "concrete"

        def score(self, sample):
            return 0.0

    assert Concrete().score(Sample("p/0", "")) == 0.0
    with pytest.raises(PluginError, match="overrides none"):

        class StillNothing(Base):
            name: ClassVar[str] = "still"


@pytest.mark.parametrize("method", ["score", "score_batch", "score_group"])
def test_the_base_methods_are_not_implemented(method):
    with pytest.raises(NotImplementedError):
        getattr(Reward(), method)([])
