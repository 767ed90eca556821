"""The GPU's part: tokens/s through guerdon against raw vLLM on the same process, and adapter swaps.

GUERDON_BENCH_BASE names the base's folder, such as one of the 8B shape with random weights. Raw vLLM is the very
process that guerdon talks to, asked past guerdon, with the same requests.
"""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.runner import Target, spread
from benchmarks.serving_work import chat, make_bundle
from guerdon_serving.server.run import configure
from guerdon_serving.server.service import Service
from guerdon_serving.server.settings import Settings
from guerdon_serving.smoke.endpoint import Endpoint
from guerdon_serving.smoke.load import check_swap
from guerdon_serving.smoke.regression import regression_prompts
from guerdon_serving.smoke.settings import SmokeSettings
from guerdon_serving.vllm.engine import VllmEngine

BASE = "GUERDON_BENCH_BASE"
LEVELS = (1, 16, 64)
TOKENS = 256
ROUNDS = 5
RANK = 32
SCALE = 0.02


def targets() -> list[Target]:
    """Measure; nothing where no base is named."""
    if BASE not in os.environ:
        print(f"the GPU's part needs {BASE}=FOLDER, the base's folder")
        return []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        bundles = [make_bundle(Path(os.environ[BASE]), root, seed=seed, rank=RANK, scale=SCALE) for seed in (1, 2)]
        settings = Settings(bundles[0], port=0, engine="vllm", dtype="bfloat16", max_waiting=256, bundles=root)
        return asyncio.run(_measure(Service(settings), bundles, root))


async def _measure(service: Service, bundles: list[Path], root: Path) -> list[Target]:
    import uvicorn

    await asyncio.to_thread(service.start)
    server = uvicorn.Server(configure(service))
    running = asyncio.create_task(asyncio.to_thread(server.run))
    await asyncio.to_thread(_wait, server)
    port = server.servers[0].sockets[0].getsockname()[1]
    assert isinstance(service.engine, VllmEngine)
    process = service.engine.process
    found = [
        Target(f"cold start: {name}, s", seconds, seconds, 1.0, 0.0, "reported", ok=True)
        for name, seconds in service.start_seconds.items()
    ]
    async with (
        Endpoint(f"http://127.0.0.1:{port}", deadline_s=600) as ours,
        Endpoint(process.url, api_key=process.key, deadline_s=600) as raw,
    ):
        adapter = service.served[service.default].adapter
        found += [await _throughput(ours, raw, service.default, str(adapter), level) for level in LEVELS]
        sources = [str(bundle.relative_to(root)) for bundle in bundles]
        check = await check_swap(ours, SmokeSettings(f"http://127.0.0.1:{port}", swap=sources),
                                 regression_prompts([])[:16])  # fmt: skip
    print(check.detail)
    slowest = check.figures["slowest_load_s"]
    good = check.status == "ok" and slowest <= 2
    found.append(
        Target("slowest adapter swap under load, none failed, s", slowest, 2.0, slowest / 2, 0.0, "<= 1", good)
    )
    server.should_exit = True
    await running
    return found


def _wait(server: Any) -> None:
    while not server.started:
        time.sleep(0.05)


async def _throughput(ours: Endpoint, raw: Endpoint, model: str, adapter: str, level: int) -> Target:
    """Ask both in turn, the same requests."""
    rates: dict[str, list[float]] = {"ours": [], "raw": []}
    for number in range(ROUNDS + 1):
        for name, endpoint, body in (("ours", ours, chat(model, TOKENS)), ("raw", raw, chat(adapter, TOKENS))):
            rate = await _rate(endpoint, body, level)
            if number:
                rates[name].append(rate)
    ratios = [a / b for a, b in zip(rates["ours"], rates["raw"], strict=True)]
    ratio = statistics.median(ratios)
    return Target(
        f"tokens/s at {level} requests at a time (raw vLLM)",
        statistics.median(rates["ours"]), statistics.median(rates["raw"]), ratio, spread(ratios),
        ">= 0.97", ratio >= 0.97,
    )  # fmt: skip


async def _rate(endpoint: Endpoint, body: Mapping[str, Any], level: int) -> float:
    """Return completion tokens per second; each place asks twice."""

    async def place(number: int) -> int:
        tokens = 0
        for turn in range(2):
            status, said = await endpoint.send(
                "POST", "/v1/chat/completions", json={**body, "seed": 1000 * number + turn}
            )
            assert status == 200, said
            tokens += said["usage"]["completion_tokens"]
        return tokens

    start = time.perf_counter()
    counts = await asyncio.gather(*(place(number) for number in range(level)))
    return sum(counts) / (time.perf_counter() - start)
