"""One chat completion, from request to answer."""

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from fastapi import Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from guerdon import DataError
from guerdon_serving.model.generate import Chosen, Row
from guerdon_serving.model.prompting import Encoded
from guerdon_serving.server.metrics import Metrics
from guerdon_serving.server.pictures import decode_pictures
from guerdon_serving.server.problems import HttpError, body
from guerdon_serving.server.service import Served, Service
from guerdon_serving.server.text import TextStream
from guerdon_serving.server.wire import ChatRequest

BUNDLE_HEADER: Final = "X-Guerdon-Bundle"
FALLBACK_TOKENS: Final = 1024
"""Limit of a completion where the run's configuration has none."""


@dataclass(slots=True)
class Feed:
    """Carries tokens from the engine's thread into the event loop."""

    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    queue: "asyncio.Queue[Chosen | Exception | None]" = field(default_factory=asyncio.Queue)

    def put(self, item: Chosen | Exception | None) -> None:
        """Take a token, the failure, or None at the end."""
        self.loop.call_soon_threadsafe(self.queue.put_nowait, item)

    async def tokens(self) -> AsyncIterator[Chosen]:
        """Yield tokens until the row ends.

        Raises:
            Exception: what the engine failed with.
        """
        while (item := await self.queue.get()) is not None:
            if isinstance(item, Exception):
                raise item
            yield item


@dataclass(slots=True)
class Completion:
    """An answer under way."""

    request: ChatRequest
    served: Served
    row: Row
    feed: Feed
    text: TextStream
    id: str = field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(12)}")
    created: int = field(default_factory=lambda: int(time.time()))

    async def pieces(self) -> AsyncIterator[tuple[Chosen | None, str]]:
        """Yield each token with the text that it completes; at last None with the rest."""
        async for chosen in self.feed.tokens():
            yield chosen, self.text.push(chosen.id)
            if self.text.stopped:
                self.row.cancelled = True
                break
        yield None, self.text.finish()

    @property
    def finish_reason(self) -> str:
        """``stop`` if it ended by itself or at a stop text, ``length`` if the limit cut it."""
        ended = bool(self.row.tokens) and self.row.tokens[-1].id in self.served.bundle.facts.tokenizer.end_ids
        return "stop" if self.text.stopped or ended else "length"

    def usage(self) -> dict[str, int]:
        """Return the token counts."""
        prompt, completion = self.row.prompt_tokens, len(self.text.ids)
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}

    def envelope(self, kind: str, choices: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        """Wrap choices as OpenAI does; the model's name says which bundle answered."""
        base = str(self.served.bundle.facts.base.revision).removeprefix("sha256:")
        return {
            "id": self.id,
            "object": kind,
            "created": self.created,
            "model": self.served.name,
            "system_fingerprint": f"{base[:12]}-{self.served.digest.removeprefix('sha256:')[:12]}",
            "choices": choices,
            **more,
        }

    def logprobs(self, chosen: Chosen) -> dict[str, Any]:
        """Return a token's entry; `id` is ours, beside OpenAI's fields."""
        own = self._token(chosen.id, chosen.logprob)
        return {**own, "top_logprobs": [self._token(token, value) for token, value in chosen.top]}

    def _token(self, token: int, logprob: float) -> dict[str, Any]:
        text = self.served.prompter.tokenizer.decode([token])
        return {"token": text, "logprob": logprob, "bytes": list(text.encode()), "id": token}


class EventStream(StreamingResponse):
    """Server-sent events that give their slot back however they end."""

    def __init__(self, events: AsyncIterator[str], slot: ExitStack, headers: Mapping[str, str]) -> None:
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self.slot = slot

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send, then close."""
        with self.slot:
            await super().__call__(scope, receive, send)


async def answer(service: Service, request: ChatRequest, http: Request, metrics: Metrics) -> Response:
    """Answer a chat request, whole or as a stream.

    Raises:
        HttpError: 404 unknown model, 429 too many requests, 503 not ready, 504 too slow.
        DataError: a picture or text that cannot be used.
    """
    served = service.resolve(request.model)
    headers = {BUNDLE_HEADER: served.digest}
    limit = Limit(service.settings.deadline_s)
    with ExitStack() as slot:
        slot.enter_context(service.serving(served))
        async with limit.applied():
            completion = await _begin(service, request, served)
        slot.callback(_finish, completion, metrics)
        if request.stream:
            return EventStream(_events(completion, limit), slot.pop_all(), headers)
        async with limit.applied():
            return JSONResponse(await _whole(completion, http), headers=headers)


class Limit:
    """The time that a request may take, counted from now."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.at = asyncio.get_running_loop().time() + seconds

    @asynccontextmanager
    async def applied(self) -> AsyncIterator[None]:
        """Raise a 504 once the time is over."""
        try:
            async with asyncio.timeout_at(self.at):
                yield
        except TimeoutError:
            raise HttpError(504, f"no answer within {self.seconds:g} s; ask for fewer tokens, or later") from None


async def _begin(service: Service, request: ChatRequest, served: Served) -> Completion:
    """Encode, and hand the row to the engine."""
    assert service.engine is not None
    encoded = await asyncio.to_thread(_encode, request, served, check_only=service.engine.encodes)
    feed = Feed()
    row = Row(
        encoded,
        served.adapter,
        max_tokens=_limit(request, served, len(encoded.token_ids)),
        temperature=service.settings.temperature if request.temperature is None else request.temperature,
        top_p=request.top_p,
        seed=secrets.randbits(63) if request.seed is None else request.seed,
        top_logprobs=request.top_logprobs,
        on_token=feed.put,
        on_end=feed.put,
        messages=request.model_dump(mode="json")["messages"] if service.engine.encodes else (),
        logprobs=request.logprobs,
        read_along=request.stream or bool(request.stops),
        prompt_tokens=len(encoded.token_ids),
    )
    service.engine.submit(row)
    return Completion(request, served, row, feed, TextStream(served.prompter.tokenizer, request.stops))


def _encode(request: ChatRequest, served: Served, *, check_only: bool) -> Encoded:
    """Encode; or only refuse what must be refused, where the engine encodes by itself."""
    messages, pictures = request.chat(), decode_pictures(request.images())
    if check_only:
        served.prompter.check(messages, pictures)
        return Encoded([])
    return served.prompter.encode(messages, pictures)


def _limit(request: ChatRequest, served: Served, prompt: int) -> int:
    """Return the completion's limit in tokens: what is asked for, or as in training, within the context.

    Raises:
        DataError: prompt and completion do not fit.
    """
    room = served.prompter.context - prompt
    if (request.limit or 1) > room:
        raise DataError(
            f"the prompt has {prompt} tokens, and {request.limit or 1} are asked for; "
            f"the context holds {served.prompter.context}"
        )
    trained = served.bundle.facts.run.config.get("algorithm", {}).get("max_completion_tokens", FALLBACK_TOKENS)
    return request.limit or min(int(trained), room)


async def _whole(completion: Completion, http: Request) -> dict[str, Any]:
    watch = asyncio.create_task(_cancel_when_gone(http, completion.row))
    try:
        steps = [step async for step in completion.pieces()]
    finally:
        watch.cancel()
    choice: dict[str, Any] = {
        "index": 0,
        "message": {"role": "assistant", "content": completion.text.text, "refusal": None},
        "finish_reason": completion.finish_reason,
        "logprobs": None,
    }
    if completion.request.logprobs:
        choice["logprobs"] = {
            "content": [completion.logprobs(chosen) for chosen, _ in steps if chosen],
            "refusal": None,
        }
    return completion.envelope("chat.completion", [choice], usage=completion.usage())


async def _cancel_when_gone(http: Request, row: Row) -> None:
    """Stop generating when nobody listens any more."""
    while (await http.receive())["type"] != "http.disconnect":
        pass
    row.cancelled = True


async def _events(completion: Completion, limit: Limit) -> AsyncIterator[str]:
    """Yield server-sent events; what goes wrong after the first is an event too, as the status is out already."""
    try:
        async with limit.applied():
            yield _event(_chunk(completion, {"role": "assistant", "content": ""}))
            async for chosen, piece in completion.pieces():
                if piece or (chosen and completion.request.logprobs):
                    yield _event(_chunk(completion, {"content": piece}, chosen=chosen))
    except HttpError as error:
        yield _event(body(error.status, error.args[1]))
        return
    except Exception:  # noqa: BLE001 - logged where it happened; the client must learn that the answer is not whole
        yield _event(body(500, "generation failed; the answer is not complete"))
        return
    yield _event(_chunk(completion, {}, reason=completion.finish_reason))
    options = completion.request.stream_options
    if options and options.include_usage:
        yield _event(completion.envelope("chat.completion.chunk", [], usage=completion.usage()))
    yield "data: [DONE]\n\n"


def _chunk(
    completion: Completion, delta: dict[str, str], *, chosen: Chosen | None = None, reason: str | None = None
) -> dict[str, Any]:
    logprobs = {"content": [completion.logprobs(chosen)]} if chosen and completion.request.logprobs else None
    choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": logprobs}
    return completion.envelope("chat.completion.chunk", [choice])


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"


def _finish(completion: Completion, metrics: Metrics) -> None:
    completion.row.cancelled = True
    metrics.completed(completion.served.name, completion.row.prompt_tokens, len(completion.row.tokens))
