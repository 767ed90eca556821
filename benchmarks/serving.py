"""Serving: several adapters in one batch, ``/ping`` under load, adapters that change, memory; on a GPU also vLLM.

The GPU's part runs where vLLM is installed and a GPU is there: `benchmarks.serving_gpu`.
"""

import asyncio
import importlib.util
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from benchmarks.runner import Target, alternate, spread
from benchmarks.serving_work import chat, make_bundle, served
from guerdon_serving.smoke.contract import read_metrics
from guerdon_serving.smoke.endpoint import Endpoint
from guerdon_serving.smoke.load import RSS, check_swap, percentile
from guerdon_serving.smoke.regression import regression_prompts
from guerdon_serving.smoke.settings import SmokeSettings

TOKENS = 32
ROUNDS = 7
CYCLES = int(os.environ.get("GUERDON_BENCH_CYCLES", "1000"))
WARM = 20
"""Cycles before memory is looked at."""
PINGS = 100


def run() -> list[Target]:
    """Measure what this machine can."""
    from guerdon_trainer.quickstart.checkpoint import checkpoint_path

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        bundles = [make_bundle(checkpoint_path(), root, seed=seed) for seed in (1, 2)]
        targets = [_batch(bundles)]
        with served(bundles[0], root, ["--threads", "1"]) as url:
            targets += asyncio.run(_server(url, [str(bundle.relative_to(root)) for bundle in bundles]))
    if importlib.util.find_spec("vllm"):
        from benchmarks.serving_gpu import targets as on_gpu

        targets += on_gpu()
    return targets


def _batch(bundles: list[Path]) -> Target:
    """Complete a row of the base and one of each adapter, together and one after the other."""
    import torch

    from guerdon_serving.bundle.read import open_bundle
    from guerdon_serving.model.generate import Row, generate
    from guerdon_serving.verify import attach, verify_load

    torch.set_num_threads(1)
    loaded = verify_load(bundles[0])
    attach(open_bundle(bundles[1]), loaded.policy)
    names = [None, *loaded.policy.adapters]
    encoded = loaded.prompter.encode([{"role": "user", "content": chat("", 1)["messages"][0]["content"]}], [])

    def rows() -> list[Row]:
        return [Row(encoded, name, max_tokens=TOKENS, temperature=5.0, seed=n) for n, name in enumerate(names)]

    def together() -> float:
        return _seconds_per_token(lambda batch: generate(loaded.policy, batch), rows())

    def each_alone(batch: list[Row]) -> None:
        for row in batch:
            generate(loaded.policy, [row])

    def one_by_one() -> float:
        return _seconds_per_token(each_alone, rows())

    rounds = alternate({"together": together, "one by one": one_by_one}, ROUNDS)
    ratios = rounds.each(lambda times: times["one by one"] / times["together"])
    ratio = statistics.median(ratios)
    return Target(
        "base and 2 adapters in one batch, tokens/s (one after the other)",
        1 / rounds.median("together"),
        1 / rounds.median("one by one"),
        ratio,
        spread(ratios),
        ">= 1.5",
        ratio >= 1.5,
    )


def _seconds_per_token(work: Callable[[list[Any]], object], rows: list[Any]) -> float:
    start = time.perf_counter()
    work(rows)
    return (time.perf_counter() - start) / sum(len(row.tokens) for row in rows)


async def _server(url: str, sources: list[str]) -> list[Target]:
    async with Endpoint(url) as endpoint:
        start = {name: value for name, value in (await read_metrics(endpoint)).items() if "start_seconds" in name}
        targets = [_figure(f"cold start: {name.partition('=')[2].strip('}')}, s", s) for name, s in start.items()]
        targets.append(await _ping(endpoint))
        targets += await _swap(endpoint, sources)
        targets.append(await _memory(endpoint, sources[1]))
    return targets


async def _ping(endpoint: Endpoint) -> Target:
    """Ask ``/ping`` again and again while eight completions are under way."""
    stop = asyncio.Event()

    async def generate() -> None:
        while not stop.is_set():
            await endpoint.send("POST", "/v1/chat/completions", json=chat("base", 64))

    busy = [asyncio.create_task(generate()) for _ in range(8)]
    await asyncio.sleep(0.5)
    times = []
    for _ in range(PINGS):
        begin = time.perf_counter()
        status, _ = await endpoint.get("/ping")
        times.append(time.perf_counter() - begin if status == 200 else float("inf"))
        await asyncio.sleep(0.01)
    stop.set()
    await asyncio.gather(*busy)
    worst, middle = percentile(times, 0.95) * 1000, statistics.median(times) * 1000
    return Target(
        "ping while 8 completions are under way, ms, 95th percentile (median)",
        worst, middle, worst / 50, spread(times), "<= 1 (of 50 ms)", worst <= 50,
    )  # fmt: skip


async def _swap(endpoint: Endpoint, sources: list[str]) -> list[Target]:
    settings = SmokeSettings(str(endpoint.http.base_url), swap=sources, max_tokens=8)
    check = await check_swap(endpoint, settings, regression_prompts([])[:8])
    print(check.detail)
    slowest = check.figures["slowest_load_s"]
    return [
        Target(f"adapter swap under load: wrong or failed, of {check.figures['requests']:.0f}",
               float(check.status != "ok"), 0.0, float(check.status != "ok"), 0.0, "== 0", check.status == "ok"),
        Target("slowest swap under load, s", slowest, 2.0, slowest / 2, 0.0, "<= 1 (of 2 s)", slowest <= 2),
    ]  # fmt: skip


async def _memory(endpoint: Endpoint, source: str) -> Target:
    """Load and unload an adapter again and again; the server's memory may not grow by 5%."""

    async def cycle() -> None:
        status, said = await endpoint.send("POST", "/adapters", json={"name": "cycle", "src": source})
        assert status == 200, said
        status, said = await endpoint.send("DELETE", "/adapters/cycle")
        assert status == 200, said

    for _ in range(WARM):
        await cycle()
    before = (await read_metrics(endpoint))[RSS]
    for _ in range(CYCLES):
        await cycle()
    after = (await read_metrics(endpoint))[RSS]
    ratio = after / before
    return Target(
        f"memory after {CYCLES} loads and unloads, MiB (before)",
        after / 2**20, before / 2**20, ratio, 0.0, "<= 1.05", ratio <= 1.05,
    )  # fmt: skip


def _figure(name: str, value: float) -> Target:
    """Report a figure that is held to nothing."""
    return Target(name, value, value, 1.0, 0.0, "reported", ok=True)


def peers() -> dict[str, str]:
    """Return the peers' versions."""
    return {"httpx": httpx.__version__}
