"""Calling a reward in this process, as an engine's worker does, with a limit of time."""

import asyncio
import inspect
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from guerdon.reward import Reward
from guerdon.sample import Sample
from guerdon.scoring.calls import IN_CALLER, Caller
from guerdon.scoring.cells import Abstained, Cell, Fault, Scored, cell_of, error_of, timeout_of


class _OverdueError(BaseException):
    """The call took longer than the reward's `timeout_s`. No reward's ``except Exception`` catches it."""


class Scorer:
    """A reward, what it gives for samples, and how long its slowest call took."""

    def __init__(self, reward: Reward) -> None:
        reward.prepare()
        self.reward = reward
        self.caller = Caller(reward, IN_CALLER)
        self.low, self.high = self.caller.bounds
        self.slowest = 0.0
        """Seconds."""

    def cells(self, samples: Sequence[Sample]) -> list[Cell]:
        """Score the samples: one by one, as one batch, or as one group, as the reward is written."""
        if self.caller.whole:
            verdicts = self._call(list(samples))
            return (
                [verdicts] * len(samples)
                if isinstance(verdicts, Fault)
                else self.caller.check_all(verdicts, len(samples))
            )
        return [self._checked(self._call(sample)) for sample in samples]

    def values(self, samples: Sequence[Sample]) -> list[float | None]:
        """Return the values; see `value`."""
        return [self.value(cell) for cell in self.cells(samples)]

    def value(self, cell: Cell) -> float | None:
        """Return what a cell counts as: a fault is the minimum, an abstention None."""
        match cell:
            case float():
                return cell
            case Scored():
                return cell.value
            case Abstained():
                return None
            case Fault():
                return self.low

    def reaches(self, value: float) -> bool:
        """Tell whether a value is the maximum, but for the rounding of written coordinates."""
        return value >= self.high - 1e-6 * min(1.0, self.high - self.low)

    def _checked(self, verdict: Any) -> Cell:
        return verdict if isinstance(verdict, Fault) else cell_of(verdict, self.caller.bounds)

    def _call(self, argument: Any) -> Any:
        limit = self.reward.timeout_s * (len(argument) if isinstance(argument, list) else 1)
        before = time.perf_counter()
        try:
            with _limit(limit):
                verdict = self.caller.method(argument)
                return asyncio.run(_awaited(verdict)) if inspect.isawaitable(verdict) else verdict
        except _OverdueError:
            return timeout_of(limit)
        except IN_CALLER as error:
            return error_of(error)
        finally:
            self.slowest = max(self.slowest, time.perf_counter() - before)


async def _awaited(verdict: Any) -> Any:
    return await verdict


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Interrupt the block after so many seconds, where the system can: on Unix, in the main thread."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def overdue(*_: object) -> None:
        raise _OverdueError

    former = signal.signal(signal.SIGALRM, overdue)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
