"""Concurrency, rate and retries of async rewards that ask a service."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable
from time import monotonic
from typing import Any

from guerdon.reward import Limits
from guerdon.score import Score

BURST_S = 1.0
"""A rate may be used up ahead by this many seconds' worth."""


class Bucket:
    """Lets through so much a minute. Taking may run into debt, which the next one waits off."""

    def __init__(self, per_minute: float) -> None:
        self.rate = per_minute / 60
        self.capacity = max(1.0, self.rate * BURST_S)
        self.level = self.capacity
        self.seen = monotonic()

    def take(self, amount: float) -> float:
        """Take, and return the seconds until the level is not negative."""
        now = monotonic()
        self.level = min(self.capacity, self.level + (now - self.seen) * self.rate) - amount
        self.seen = now
        return max(0.0, -self.level / self.rate)


class Limiter:
    """The limits of one component in one process."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._free = asyncio.Semaphore(limits.concurrency)
        self._requests = Bucket(limits.requests_per_minute) if limits.requests_per_minute else None
        self._tokens = Bucket(limits.tokens_per_minute) if limits.tokens_per_minute else None

    async def enter(self) -> None:
        """Wait until a call may start."""
        await self._free.acquire()
        await self._pass()

    def leave(self) -> None:
        """Give the place back."""
        self._free.release()

    async def attempt[T](self, call: Callable[[], Awaitable[T]]) -> T:
        """Call; again, after a pause and within the rates, while it raises and retries are left."""
        for failures in range(self.limits.retries):
            try:
                return await call()
            except Exception:  # noqa: BLE001  # the last one is not caught
                pause = self.limits.backoff_s * 2**failures * random.uniform(0.5, 1.5)  # noqa: S311  # jitter
            await asyncio.sleep(pause)
            await self._pass()
        return await call()

    async def _pass(self) -> None:
        if self._requests is not None:
            await asyncio.sleep(self._requests.take(1))
        if self._tokens is not None:
            await asyncio.sleep(self._tokens.take(0))

    def count(self, verdicts: Iterable[Any]) -> None:
        """Count the tokens that scores say they took."""
        if self._tokens is not None:
            metrics = [verdict.metrics for verdict in verdicts if isinstance(verdict, Score)]
            self._tokens.take(sum(float(each.get("tokens", 0)) for each in metrics))
