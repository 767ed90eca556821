"""The base class of all rewards. A reward's fields are its configuration."""

import inspect
from collections.abc import Awaitable, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from guerdon.errors import PluginError
from guerdon.sample import Sample
from guerdon.schedule import Weight
from guerdon.score import Abstain, Score

API_VERSION = 1
"""The version of this contract. A reward written for another one is refused on loading."""

type Verdict = float | Score | Abstain
type FiniteFloat = Annotated[float, Field(allow_inf_nan=False)]


class Constant(BaseModel):
    """The policy ``missing: {constant: x}``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    constant: FiniteFloat


type Missing = Literal["minimum", "mask_sample", "fail"] | Constant


class Limits(BaseModel):
    """How an async reward may use the service that it asks. Each node of a cluster keeps its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    concurrency: int = Field(64, ge=1)
    """Calls under way at a time. `timeout_s` begins when a call may start."""

    retries: int = Field(0, ge=0, le=20)
    """Further attempts when a call raises, within the same `timeout_s`."""

    backoff_s: float = Field(0.5, gt=0, allow_inf_nan=False)
    """Seconds before the second attempt; twice as long before each further one, give or take a half."""

    requests_per_minute: float | None = Field(None, gt=0, allow_inf_nan=False)
    tokens_per_minute: float | None = Field(None, gt=0, allow_inf_nan=False)
    """Counts the metric ``tokens`` of the scores that come back."""


class Reward(BaseModel):
    """Judges samples. Subclass it, name it, give it fields, write `score`.

    Override one of `score`, `score_batch` and `score_group`; each may be ``async``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: ClassVar[str]
    """How YAML names the reward (``use: name``)."""

    api_version: ClassVar[int] = API_VERSION
    value_range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    """Lowest and highest value, before the weight. A value outside it is an error."""

    needs: ClassVar[frozenset[str]] = frozenset()
    """What it cannot do without: ``image``, or ``reference.<key>``; preflight checks the data."""

    bounded: ClassVar[bool] = False
    """Time and memory are proven to be bounded for any completion, so it may run inline."""

    weight: Weight = 1.0
    """Factor in the total, not negative; or a schedule on the training step (`guerdon.schedule`)."""

    role: Literal["train", "monitor"] = "train"
    """``monitor`` records the component without training on it."""

    timeout_s: float = Field(5.0, gt=0, allow_inf_nan=False)
    """Seconds that one sample may take; then the worker is killed and the status is ``timeout``."""

    isolation: Literal["process", "inline"] = "process"
    """``process`` runs in a worker that can be killed; ``inline`` only where `bounded` is true."""

    missing: Missing = "minimum"
    """What a failure caused by the completion counts as. One of the infrastructure always masks."""

    limits: Limits | None = None
    """For an async reward that asks a service: concurrency, rate, retries."""

    min_spread: float = Field(0.0, ge=0, allow_inf_nan=False)
    """Under this spread (highest less lowest) in a group, GDPO takes the component as constant."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a subclass that scores nothing or has no name."""
        super().__init_subclass__(**kwargs)
        if inspect.isabstract(cls) or cls.__dict__.get("abstract", False):
            return
        if scoring_method(cls) is None:
            raise PluginError(f"reward class {cls.__name__} overrides none of score, score_batch, score_group")

    def range(self) -> tuple[float, float]:
        """Return the lowest and highest value under this configuration."""
        return self.value_range

    def cacheable(self) -> bool:
        """Tell whether the same code, fields and sample always give the same score, so that it may be kept.

        By default a plain `score` is taken to do so. What asks a service, or judges several samples
        at once, says so itself.
        """
        method = type(self).score
        return scoring_method(type(self)) == "score" and not inspect.iscoroutinefunction(method)

    def prepare(self) -> None:
        """Import or load what takes long. A worker calls it once, before any sample's time runs."""

    def score(self, sample: Sample) -> Verdict | Awaitable[Verdict]:
        """Judge one sample."""
        raise NotImplementedError

    def score_batch(self, samples: Sequence[Sample]) -> Sequence[Verdict] | Awaitable[Sequence[Verdict]]:
        """Judge many samples at once; one verdict for each, in order."""
        raise NotImplementedError

    def score_group(self, samples: Sequence[Sample]) -> Sequence[Verdict] | Awaitable[Sequence[Verdict]]:
        """Judge the samples of one prompt against each other; one verdict for each, in order."""
        raise NotImplementedError


type ScoringMethod = Literal["score", "score_batch", "score_group"]


def scoring_method(cls: type[Reward]) -> ScoringMethod | None:
    """Name the method that `cls` overrides; the group's goes before the batch's and the sample's."""
    methods: tuple[ScoringMethod, ...] = ("score_group", "score_batch", "score")
    return next((name for name in methods if getattr(cls, name) is not getattr(Reward, name)), None)
