"""Load: more and more requests at a time, and adapters that change under them."""

import asyncio
import itertools
import math
import time
from collections.abc import Iterator, Sequence

from guerdon.manifest import Prompt
from guerdon_serving.smoke.contract import read_metrics
from guerdon_serving.smoke.endpoint import Answer, Endpoint
from guerdon_serving.smoke.regression import openai_messages
from guerdon_serving.smoke.result import Check, Rung
from guerdon_serving.smoke.settings import SmokeSettings

RSS = "process_resident_memory_bytes"
GROWTH = 1.25
"""How much the server's memory may grow over the ladder: beyond the first rung's buffers it should not."""
TOO_MANY = 429
ALIAS = "guerdon-smoke"
SWAP_AT_A_TIME = 8


def percentile(values: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile; NaN without values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


async def climb(
    endpoint: Endpoint, settings: SmokeSettings, model: str, prompts: Sequence[Prompt]
) -> tuple[list[Rung], list[Check]]:
    """Ask on every rung of the ladder; the prompts' kinds take turns."""
    bodies = itertools.cycle([openai_messages(prompt) for prompt in _in_turn(prompts)])
    rungs, checks = [], []
    first = (await read_metrics(endpoint)).get(RSS)
    for concurrency in settings.ladder:
        start = time.perf_counter()
        answers = await at_a_time(endpoint, model, bodies, concurrency, settings)
        took = time.perf_counter() - start
        rungs.append(rung := _rung(concurrency, answers, took))
        checks.append(_check_rung(rung, answers, took, settings.deadline_s))
    checks.append(_check_memory(first, (await read_metrics(endpoint)).get(RSS)))
    return rungs, checks


async def at_a_time(
    endpoint: Endpoint, model: str, bodies: Iterator[object], concurrency: int, settings: SmokeSettings
) -> list[Answer]:
    """Keep so many requests under way until all have been asked."""
    places = asyncio.Semaphore(concurrency)

    async def one(body: object) -> Answer:
        async with places:
            return await endpoint.ask(model, body, max_tokens=settings.max_tokens)

    count = max(settings.requests, concurrency)
    return list(await asyncio.gather(*(one(next(bodies)) for _ in range(count))))


def _in_turn(prompts: Sequence[Prompt]) -> list[Prompt]:
    kinds = [[prompt for prompt in prompts if prompt.modality == kind] for kind in ("text", "image", "images")]
    rows = itertools.zip_longest(*(kind for kind in kinds if kind))
    return [prompt for row in rows for prompt in row if prompt is not None]


def _rung(concurrency: int, answers: Sequence[Answer], took: float) -> Rung:
    whole = [answer for answer in answers if answer.ok]
    totals, firsts = [answer.total_s for answer in whole], [answer.first_s for answer in whole]
    refused = sum(answer.status == TOO_MANY for answer in answers)
    return Rung(
        concurrency=concurrency,
        requests=len(answers),
        failed=len(answers) - len(whole) - refused,
        refused=refused,
        p50_s=percentile(totals, 0.5),
        p90_s=percentile(totals, 0.9),
        p99_s=percentile(totals, 0.99),
        first_p50_s=percentile(firsts, 0.5),
        first_p99_s=percentile(firsts, 0.99),
        tokens_per_s=sum(answer.completion_tokens for answer in whole) / took,
        requests_per_s=len(whole) / took,
    )


def _check_rung(rung: Rung, answers: Sequence[Answer], took: float, deadline_s: float) -> Check:
    problem = next((answer.problem for answer in answers if not answer.ok and answer.status != TOO_MANY), "")
    detail = (
        f"{rung.requests} requests, {rung.concurrency} at a time: p50 {rung.p50_s:.3f} s, p99 {rung.p99_s:.3f} s, "
        f"{rung.tokens_per_s:.0f} tokens/s"
    )
    if rung.refused:
        detail += f"; {rung.refused} were refused with 429"
    if rung.failed:
        detail = f"{rung.failed} of {rung.requests} requests failed: {problem}"
    served = rung.failed == 0 and rung.requests > rung.refused and rung.p99_s <= deadline_s
    return Check(f"load.{rung.concurrency}", "ok" if served else "failed", detail, took)


def _check_memory(first: float | None, last: float | None) -> Check:
    name = "load.memory"
    if not first or not last:
        return Check(name, "skipped", f"the server's /metrics has no {RSS}")
    grown = last / first
    return Check(
        name,
        "ok" if grown <= GROWTH else "failed",
        f"the server held {first / 2**20:.0f} MiB before and {last / 2**20:.0f} MiB after the load",
        figures={"before_bytes": first, "after_bytes": last},
    )


async def check_swap(endpoint: Endpoint, settings: SmokeSettings, prompts: Sequence[Prompt]) -> Check:
    """Load the bundles one after the other under one alias while the alias is being asked."""
    name, start = "swap.under_load", time.perf_counter()
    if not settings.swap:
        return Check(name, "skipped", "give --swap BUNDLE, twice, to change adapters under load")
    loaded: list[tuple[str, str, float]] = []
    answers: list[Answer] = []
    try:
        problem = await _load(endpoint, settings.swap[0], loaded)
        if not problem:
            problem = await _swap_while_asking(endpoint, settings, prompts, loaded, answers)
    finally:
        for full_name, _, _ in dict.fromkeys(loaded):
            await endpoint.send("DELETE", f"/adapters/{full_name}")
    problem = problem or _wrong(answers, {digest for _, digest, _ in loaded}, loaded[-1][1])
    slowest = max((seconds for _, _, seconds in loaded), default=0.0)
    return Check(
        name,
        "failed" if problem else "ok",
        problem
        or f"{len(answers)} requests over {len(loaded)} loads: no error, no wrong digest; slowest load {slowest:.2f} s",
        time.perf_counter() - start,
        {"slowest_load_s": slowest, "requests": float(len(answers))},
    )


async def _load(endpoint: Endpoint, source: str, loaded: list[tuple[str, str, float]]) -> str:
    start = time.perf_counter()
    status, said = await endpoint.send("POST", "/adapters", json={"name": ALIAS, "src": source})
    if status != 200:
        return f"POST /adapters with {source!r} is answered {status}: {said}"
    loaded.append((said["id"], said["digest"], time.perf_counter() - start))
    return ""


async def _swap_while_asking(
    endpoint: Endpoint,
    settings: SmokeSettings,
    prompts: Sequence[Prompt],
    loaded: list[tuple[str, str, float]],
    answers: list[Answer],
) -> str:
    bodies = itertools.cycle([openai_messages(prompt) for prompt in _in_turn(prompts)])
    done = asyncio.Event()

    async def ask() -> None:
        while not done.is_set():
            answers.append(await endpoint.ask(ALIAS, next(bodies), max_tokens=min(8, settings.max_tokens)))

    asking = [asyncio.create_task(ask()) for _ in range(SWAP_AT_A_TIME)]
    problem = ""
    for source in [*settings.swap[1:], settings.swap[0], *settings.swap[1:]]:
        problem = problem or await _load(endpoint, source, loaded)
        await asyncio.sleep(0.1)
    done.set()
    await asyncio.gather(*asking)
    answers.append(await endpoint.ask(ALIAS, next(bodies), max_tokens=1))
    return problem


def _wrong(answers: Sequence[Answer], digests: set[str], last: str) -> str:
    bad = [answer for answer in answers if not answer.ok]
    if bad:
        return f"{len(bad)} of {len(answers)} requests failed while adapters changed: {bad[0].status} {bad[0].problem}"
    strangers = [answer.bundle for answer in answers if answer.bundle not in digests]
    if strangers:
        return f"{len(strangers)} answers came from {strangers[0] or 'an unnamed model'}, which was not asked for"
    if answers[-1].bundle != last:
        return f"after the last load the alias is still answered by {answers[-1].bundle}"
    return ""
