"""Rates, retries and the steps of a coroutine, without processes."""

import asyncio
from itertools import pairwise

import pytest

from guerdon import Score, UnavailableError
from guerdon.reward import Limits
from guerdon.scoring import limits as module
from guerdon.scoring.limits import Bucket, Limiter
from guerdon.scoring.stepping import stepped


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test moves; sleeping moves it as well."""
    now = [0.0]

    async def sleep(seconds: float) -> None:
        now[0] += max(0.0, seconds)

    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    monkeypatch.setattr(module.asyncio, "sleep", sleep)
    return now


def test_a_bucket_lets_a_burst_pass_then_the_rate(clock):
    bucket = Bucket(120)  # two a second
    assert [bucket.take(1) for _ in range(4)] == [0.0, 0.0, 0.5, 1.0]
    clock[0] = 10.0
    assert [bucket.take(1) for _ in range(3)] == [0.0, 0.0, 0.5]


def test_a_slow_rate_still_lets_one_pass(clock):
    bucket = Bucket(6)
    assert bucket.take(1) == 0.0
    assert bucket.take(1) == pytest.approx(10.0)


def test_tokens_are_paid_afterwards(clock):
    verdict = Score(0.5, metrics={"tokens": 250})

    async def run() -> float:
        limiter = Limiter(Limits(tokens_per_minute=6000))  # 100 a second
        await limiter.enter()
        limiter.count([verdict, 0.5])
        limiter.leave()
        await limiter.enter()
        return clock[0]

    assert asyncio.run(run()) == pytest.approx(1.5)


def test_back_off_doubles_and_the_last_error_is_raised(clock):
    calls: list[float] = []

    async def refuse() -> float:
        calls.append(clock[0])
        raise UnavailableError("429")

    async def run() -> None:
        with pytest.raises(UnavailableError):
            await Limiter(Limits(retries=3, backoff_s=1.0)).attempt(refuse)

    asyncio.run(run())
    pauses = [later - earlier for earlier, later in pairwise(calls)]
    assert len(calls) == 4
    assert all(0.5 * 2**i <= pause <= 1.5 * 2**i for i, pause in enumerate(pauses))


def test_each_attempt_counts_as_a_request(clock):
    async def refuse() -> float:
        raise UnavailableError

    async def run() -> float:
        limiter = Limiter(Limits(retries=2, backoff_s=0.001, requests_per_minute=6))
        await limiter.enter()
        with pytest.raises(UnavailableError):
            await limiter.attempt(refuse)
        return clock[0]

    assert asyncio.run(run()) == pytest.approx(20.0, abs=0.1)


def test_steps_are_seen_from_outside():
    seen: list[str] = []

    async def work() -> str:
        seen.append("first")
        await asyncio.sleep(0)
        seen.append("second")
        with pytest.raises(ZeroDivisionError):
            await fail()
        return "done"

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ZeroDivisionError

    async def run() -> str:
        return await stepped(work(), lambda: seen.append("("), lambda: seen.append(")"))

    assert asyncio.run(run()) == "done"
    assert seen == ["(", "first", ")", "(", "second", ")", "(", ")"]


def test_a_cancelled_coroutine_may_clean_up():
    seen: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            seen.append("cleaned")

    async def run() -> None:
        async def step() -> None:
            await stepped(work(), lambda: None, lambda: None)

        task = asyncio.create_task(step())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert seen == ["cleaned"]
