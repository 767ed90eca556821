"""Calling a reward, and checking what comes back. A call is one sample for `score`, else all of them."""

import inspect
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from guerdon.reward import Reward, ScoringMethod, scoring_method
from guerdon.sample import Sample
from guerdon.scoring.cells import Cell, Fault, bounds_of, cell_of, error, error_of, is_plain

type Contained = tuple[type[BaseException], ...]

IN_WORKER: Contained = (BaseException,)
"""A worker gets no Ctrl-C; a KeyboardInterrupt there comes from the reward."""

IN_CALLER: Contained = (Exception, SystemExit)
"""In the caller's process Ctrl-C must still stop the run."""


def method_of(reward: Reward) -> ScoringMethod:
    """Name the method that scores."""
    name = scoring_method(type(reward))
    assert name is not None, "Reward.__init_subclass__ refuses a class without one"
    return name


def is_async(reward: Reward) -> bool:
    """Tell whether the reward's method is declared ``async``."""
    return inspect.iscoroutinefunction(getattr(type(reward), method_of(reward)))


class Store[T](Protocol):
    """What can be written to by place: a list, or shared memory."""

    def __setitem__(self, index: int, value: T, /) -> None:
        """Write."""


@dataclass(slots=True)
class Run:
    """Calls of one reward, one after the other."""

    position: int = 0
    """The first sample."""
    until: float = math.inf
    """Stop after the call that ends later than this, by `time.monotonic`."""
    cells: list[Cell] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    """Seconds."""


class Caller:
    """A reward with what is looked up once: its method and its bounds."""

    __slots__ = ("bounds", "contained", "method", "reward", "whole")

    def __init__(self, reward: Reward, contained: Contained) -> None:
        self.reward = reward
        self.method: Any = getattr(reward, method_of(reward))
        self.whole = method_of(reward) != "score"
        self.bounds = bounds_of(reward)
        self.contained = contained

    def score_each(self, samples: Sequence[Sample], run: Run, times: Store[float], places: Store[int]) -> None:
        """Call `Reward.score` on the samples from ``run.position`` on, until ``run.until``, a fault or the end.

        Never raises what is contained. The time and place of each call are noted in ``times[0]``
        and ``places[2]`` before it is made.
        """
        score, (low, high), contained = self.method, self.bounds, self.contained
        cells, latencies, until, clock = run.cells, run.latencies, run.until, time.monotonic
        before = clock()
        for position in range(run.position, len(samples)):
            times[0] = before
            places[2] = position
            try:
                verdict = score(samples[position])
                if type(verdict) is float and low <= verdict <= high:
                    cells.append(verdict)
                else:
                    cells.append(cell := cell_of(verdict, self.bounds))
                    until = until if not isinstance(cell, Fault) else 0.0
            except contained as exception:
                cells.append(error_of(exception))
                until = 0.0
            now = clock()
            latencies.append(now - before)
            if now > until:
                break
            before = now

    def score_all(self, samples: Sequence[Sample]) -> list[Cell]:
        """Call `Reward.score_batch` or `Reward.score_group`: one cell for each sample, whatever happens."""
        try:
            return self.check_all(self.method(samples), len(samples))
        except self.contained as exception:
            return [error_of(exception)] * len(samples)

    def check_all(self, verdicts: Any, count: int) -> list[Cell]:
        """Check what one call gave for `count` samples; a wrong number makes all errors, never shifted."""
        if isinstance(verdicts, str | bytes | dict | set | frozenset) or not hasattr(verdicts, "__len__"):
            fault = error("type", f"returned {type(verdicts).__name__}; return one verdict for each of {count} samples")
            return [fault] * count
        listed = list(verdicts)
        if len(listed) != count:
            return [error("length", f"returned {len(listed)} verdicts for {count} samples")] * count
        return [cell_of(verdict, self.bounds) for verdict in listed]


class Column(NamedTuple):
    """What a component came to on a group."""

    cells: Sequence[Cell]
    latencies: Sequence[float]
    """Seconds."""
    plain: bool
    """All cells are scores: no fault, no abstention."""


def score_here(caller: Caller, samples: Sequence[Sample]) -> Column:
    """Score in this process. The latency is the mean of the samples'."""
    before = time.perf_counter()
    cells = caller.score_all(samples) if caller.whole else _one_by_one(caller, samples)
    latency = (time.perf_counter() - before) / max(1, len(samples))
    return Column(cells, [latency] * len(samples), is_plain(cells))


def _one_by_one(caller: Caller, samples: Sequence[Sample]) -> list[Cell]:
    """As `Caller.score_each`, for rewards that need no watching."""
    score, contained, bounds = caller.method, caller.contained, caller.bounds
    low, high = bounds
    cells: list[Cell] = []
    append = cells.append
    for sample in samples:
        try:
            verdict = score(sample)
            append(verdict if type(verdict) is float and low <= verdict <= high else cell_of(verdict, bounds))
        except contained as exception:
            append(error_of(exception))
    return cells
