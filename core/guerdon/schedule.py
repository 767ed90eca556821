"""Weights that follow the training step."""

import math
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

type Factor = Annotated[float, Field(ge=0, le=1e100, allow_inf_nan=False)]
"""A finite weight that is not negative: a penalty is a reward whose *values* are negative.

With a negative factor the component's minimum would be its best contribution, and a completion
that breaks the grader would be paid for it.
"""


class _Ramp(BaseModel):
    """From `start` to `end` between two steps, constant outside."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    start: Factor
    """The weight up to the step `first`."""

    end: Factor
    """The weight from the step `last` on."""

    first: int = Field(1, ge=1)
    """The training step at which the change begins, counted from 1."""

    last: int = Field(ge=2)
    """The training step at which the change is complete."""

    @model_validator(mode="after")
    def _order(self) -> "_Ramp":
        if self.last <= self.first:
            raise ValueError(f"the schedule ends at step {self.last}, not after its first step {self.first}")
        return self

    def progress(self, step: int) -> float:
        """Return how much of the way from `first` to `last` is done, in [0, 1]."""
        return min(max((step - self.first) / (self.last - self.first), 0.0), 1.0)

    def between(self, share: float) -> float:
        """Mix `start` and `end`; exact at both ends."""
        return self.start * (1.0 - share) + self.end * share


class Linear(_Ramp):
    """A straight line: ``{schedule: linear, start: 0, end: 1, last: 100}``."""

    schedule: Literal["linear"]

    def at(self, step: int) -> float:
        """Return the weight at a training step."""
        return self.between(self.progress(step))


class Cosine(_Ramp):
    """Half a cosine: flat at both ends, steepest half-way (as SGDR's decay, arXiv 1608.03983)."""

    schedule: Literal["cosine"]

    def at(self, step: int) -> float:
        """Return the weight at a training step."""
        return self.between((1.0 - math.cos(math.pi * self.progress(step))) / 2.0)


class Steps(BaseModel):
    """Constant between changes: ``{schedule: step, start: 1, changes: {100: 0.5, 200: 0}}``."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    schedule: Literal["step"]

    start: Factor
    """The weight before the first change."""

    changes: dict[Annotated[int, Field(ge=1)], Factor] = Field(min_length=1)
    """The weight from each of these training steps on."""

    def at(self, step: int) -> float:
        """Return the weight at a training step."""
        begun = [first for first in self.changes if first <= step]
        return self.changes[max(begun)] if begun else self.start


type Schedule = Annotated[Linear | Cosine | Steps, Field(discriminator="schedule")]

type Weight = Factor | Schedule
"""What `Reward.weight` may be: a number, or a schedule over the training steps."""


def weight_at(weight: float | Linear | Cosine | Steps, step: int) -> float:
    """Return the weight at a training step (counted from 1; 0 stands for before the first)."""
    return float(weight) if isinstance(weight, int | float) else weight.at(step)
