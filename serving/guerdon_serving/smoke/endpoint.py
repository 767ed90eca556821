"""Asking an endpoint, and what is noted of each answer."""

import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Self

import httpx

from guerdon_serving.server.chat import BUNDLE_HEADER

CHAT: Final = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one request."""

    status: int
    """HTTP status; 0 if there was no answer at all."""
    problem: str = ""
    """What was wrong; empty for a whole answer."""
    text: str = ""
    finish_reason: str = ""
    model: str = ""
    bundle: str = ""
    """The digest that the server named as the answering one; empty if it names none."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    first_s: float = 0.0
    """Seconds to the first text."""
    total_s: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the answer is whole."""
        return self.status == 200 and not self.problem


class Endpoint:
    """An OpenAI-compatible server. An async context manager."""

    def __init__(self, url: str, *, api_key: str | None = None, deadline_s: float = 60.0) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self.http = httpx.AsyncClient(
            base_url=url.rstrip("/"), headers=headers, timeout=deadline_s, limits=httpx.Limits(max_connections=None)
        )
        self.deadline_s = deadline_s

    async def __aenter__(self) -> Self:
        """Open."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connections."""
        await self.http.aclose()

    async def get(self, path: str) -> tuple[int, Any]:
        """Return status and JSON (or text) of a GET; status 0 without an answer."""
        return await self.send("GET", path)

    async def send(self, method: str, path: str, **options: Any) -> tuple[int, Any]:
        """Return status and JSON (or text); status 0 and what went wrong without an answer."""
        try:
            response = await self.http.request(method, path, **options)
        except httpx.HTTPError as error:
            return 0, f"{type(error).__name__}: {error}"
        try:
            return response.status_code, response.json()
        except ValueError:
            return response.status_code, response.text

    async def ask(self, model: str | None, messages: Any, *, max_tokens: int, **fields: Any) -> Answer:
        """Ask greedily, as a stream, and time it."""
        body = {"messages": messages, "max_tokens": max_tokens, "temperature": 0, "stream": True, **fields}
        body |= {"stream_options": {"include_usage": True}} | ({"model": model} if model else {})
        start = time.perf_counter()
        try:
            async with self.http.stream("POST", CHAT, json=body) as response:
                if response.status_code != 200:
                    said = (await response.aread()).decode(errors="replace")[:300]
                    return Answer(response.status_code, said or "no body", total_s=time.perf_counter() - start)
                return await _read(response, start)
        except httpx.HTTPError as error:
            return Answer(0, f"{type(error).__name__}: {error}", total_s=time.perf_counter() - start)

    @asynccontextmanager
    async def asking(self, messages: Any, *, max_tokens: int, model: str | None) -> AsyncIterator[httpx.Response]:
        """Open a stream that the caller may leave in the middle."""
        body = {"messages": messages, "max_tokens": max_tokens, "stream": True} | ({"model": model} if model else {})
        async with self.http.stream("POST", CHAT, json=body) as response:
            yield response


async def _read(response: httpx.Response, start: float) -> Answer:
    texts: list[str] = []
    first, finish, model, usage, problem = 0.0, "", "", {"prompt_tokens": 0, "completion_tokens": 0}, "no [DONE]"
    async for line in response.aiter_lines():
        if line == "data: [DONE]":
            problem = ""
            break
        event = _event(line)
        if "error" in event:
            problem = str(event["error"])[:300]
            break
        model, usage = event.get("model") or model, event.get("usage") or usage
        for choice in event.get("choices", ()):
            if piece := choice["delta"].get("content"):
                first = first or time.perf_counter() - start
                texts.append(piece)
            finish = choice.get("finish_reason") or finish
    total = time.perf_counter() - start
    return Answer(
        200,
        problem,
        "".join(texts),
        finish,
        model,
        response.headers.get(BUNDLE_HEADER, ""),
        int(usage["prompt_tokens"]),
        int(usage["completion_tokens"]),
        first or total,
        total,
    )


def _event(line: str) -> Mapping[str, Any]:
    if not line.startswith("data: "):
        return {}
    try:
        event = json.loads(line.removeprefix("data: "))
    except ValueError:
        return {"error": f"a line that is no JSON: {line[:100]}"}
    return event if isinstance(event, dict) else {"error": f"no object: {line[:100]}"}
