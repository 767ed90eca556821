"""Readiness, names, limits: what holds whatever the model answers."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any, Final

import httpx

from guerdon.manifest import Prompt
from guerdon_serving.server.settings import MAX_BODY_BYTES
from guerdon_serving.smoke.endpoint import CHAT, Endpoint
from guerdon_serving.smoke.regression import openai_messages
from guerdon_serving.smoke.result import Check

HELLO: Final = [{"role": "user", "content": "what is 2 plus 3?"}]
UNKNOWN: Final = "no-such-adapter@000000000000"
PING_S: Final = 2.0
"""SageMaker's limit for ``/ping``."""
BODY_S: Final = 10.0
"""In which a body that is too long must be refused."""
SETTLE_S: Final = 15.0
"""How long a request that its client has left may still be counted as under way."""


async def check_start(endpoint: Endpoint, wait_s: float) -> Check:
    """Wait until ``/ping`` answers 200; say how long that took, and what the server says of its own start."""
    start, status, said = time.perf_counter(), 0, None
    while (took := time.perf_counter() - start) < wait_s:
        status, said = await endpoint.get("/ping")
        if status == 200:
            metrics = await read_metrics(endpoint)
            phases = {
                name.partition('"')[2].partition('"')[0]: value
                for name, value in metrics.items()
                if name.startswith("guerdon_start_seconds{")
            }
            split = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in phases.items())
            return Check(
                "start.ready",
                "ok",
                f"ready after {took:.2f} s of waiting" + (f"; its own start: {split}" if split else ""),
                took,
                {"waited_s": took, **{f"{name}_s": value for name, value in phases.items()}},
            )
        await asyncio.sleep(0.2)
    return Check("start.ready", "failed", f"/ping says {status} ({said}) after {wait_s:g} s; is it being served?", took)


async def check_ping(endpoint: Endpoint) -> Check:
    """Ask ``/ping`` while a completion is under way."""
    asked = asyncio.create_task(endpoint.ask(None, HELLO, max_tokens=64))
    times: list[float] = []
    for _ in range(10):
        start = time.perf_counter()
        status, _ = await endpoint.get("/ping")
        times.append(time.perf_counter() - start if status == 200 else float("inf"))
    await asked
    slowest = max(times)
    return Check(
        "contract.ping",
        "ok" if slowest < PING_S else "failed",
        f"/ping answers within {slowest * 1000:.0f} ms while a completion is under way, at most {PING_S:g} s",
        sum(times),
        {"slowest_s": slowest},
    )


async def check_unknown(endpoint: Endpoint) -> Check:
    """Ask for an adapter that nobody serves: 404, never the base's answer."""
    answer = await endpoint.ask(UNKNOWN, HELLO, max_tokens=1)
    good = answer.status == 404
    said = f"an unknown adapter is answered {answer.status}"
    return Check(
        "contract.unknown_model",
        "ok" if good else "failed",
        said if good else f"{said}, and must be 404: the base would be served under any name",
        answer.total_s,
    )


async def check_body(endpoint: Endpoint) -> Check:
    """Announce more than SageMaker lets through."""
    start = time.perf_counter()
    size = MAX_BODY_BYTES + 1
    status = await _announce(endpoint, size)
    good = status == 413
    return Check(
        "contract.body_limit",
        "ok" if good else "failed",
        f"a body of {size} bytes is answered {status or 'by nothing'}" + ("" if good else ", and must be 413"),
        time.perf_counter() - start,
    )


async def _announce(endpoint: Endpoint, size: int) -> int:
    """Send the head of a request alone; return the status, 0 if there is none. The body would be sent in vain."""
    url = endpoint.http.base_url
    secure = url.scheme == "https"
    key = endpoint.http.headers.get("Authorization")
    head = [
        f"POST {url.path.rstrip('/')}{CHAT} HTTP/1.1",
        f"Host: {url.netloc.decode()}",
        "Content-Type: application/json",
        f"Content-Length: {size}",
        *([f"Authorization: {key}"] if key else []),
    ]
    try:
        async with asyncio.timeout(BODY_S):
            reader, writer = await asyncio.open_connection(
                url.host, url.port or (443 if secure else 80), ssl=secure or None
            )
            try:
                writer.write("".join(f"{line}\r\n" for line in [*head, ""]).encode())
                line = await reader.readline()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return 0
    parts = line.split()
    return int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0


async def check_kinds(endpoint: Endpoint, model: str | None, prompts: Sequence[Prompt], max_tokens: int) -> list[Check]:
    """Ask the first prompt of each modality; the first request of all is the cold one."""
    checks = []
    for modality in ("text", "image", "images"):
        prompt = next((prompt for prompt in prompts if prompt.modality == modality), None)
        name = f"answers.{modality}"
        if prompt is None:
            checks.append(Check(name, "skipped", "no prompt of this kind"))
            continue
        cold = await endpoint.ask(model, openai_messages(prompt), max_tokens=max_tokens)
        warm = await endpoint.ask(model, openai_messages(prompt), max_tokens=max_tokens)
        good = cold.ok and warm.ok and cold.completion_tokens > 0
        detail = f"{cold.text[:60]!r} in {cold.total_s:.3f} s, again in {warm.total_s:.3f} s"
        if good and cold.text != warm.text:
            detail += f"; the second time greedy decoding wrote {warm.text[:60]!r}"
        if not good:
            detail = f"status {cold.status}, then {warm.status}: {cold.problem or warm.problem or 'an empty answer'}"
        figures = {"first_s": cold.total_s, "second_s": warm.total_s}
        checks.append(Check(name, "ok" if good else "failed", detail, cold.total_s + warm.total_s, figures))
    return checks


async def check_abandoned(endpoint: Endpoint, model: str | None) -> Check:
    """Leave a stream in the middle: its place must become free."""
    name, start = "timeouts.abandoned", time.perf_counter()
    try:
        async with endpoint.asking(HELLO, max_tokens=512, model=model) as response:
            await anext(response.aiter_lines(), None)
    except httpx.HTTPError as error:
        return Check(name, "failed", f"the stream did not begin: {type(error).__name__}: {error}")
    metrics: dict[str, float] = {}
    while (took := time.perf_counter() - start) < SETTLE_S:
        metrics = await read_metrics(endpoint)
        if "guerdon_in_flight" not in metrics:
            return Check(name, "skipped", "the server's /metrics does not count requests under way")
        if metrics["guerdon_in_flight"] == 0:
            return Check(name, "ok", "a stream that its client left frees its place", took)
        await asyncio.sleep(0.05)
    return Check(name, "failed", f"a request that its client left is still under way after {SETTLE_S:g} s", took)


async def read_metrics(endpoint: Endpoint) -> dict[str, float]:
    """Read Prometheus's text form: series to value; empty if there is none."""
    status, text = await endpoint.get("/metrics")
    if status != 200 or not isinstance(text, str):
        return {}
    series: dict[str, float] = {}
    for line in text.splitlines():
        name, _, value = line.rpartition(" ")
        if name and not name.startswith("#"):
            series[name] = _number(value)
    return series


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


async def describe(endpoint: Endpoint, model: str | None) -> tuple[str, str, Any]:
    """Return the candidate's full name and digest (empty if the server names none), and the models."""
    _, listed = await endpoint.get("/v1/models")
    models = listed.get("data", []) if isinstance(listed, dict) else []
    status, ping = await endpoint.get("/ping")
    wanted = model or (ping.get("model") if status == 200 and isinstance(ping, dict) else None)
    wanted = wanted or next((entry["id"] for entry in models), "")
    named = (m for m in models if m["id"] == wanted or (m.get("alias") == wanted and m.get("current", True)))
    found = next(named, None)
    return (found["id"], str(found.get("digest") or ""), models) if found else (str(wanted), "", models)
