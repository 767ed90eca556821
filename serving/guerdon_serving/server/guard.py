"""What every request passes before any route: key, size, time to arrive; and the count of answers."""

import asyncio
import hmac
import json
import time
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from guerdon_serving.server.metrics import Metrics
from guerdon_serving.server.problems import body
from guerdon_serving.server.settings import MAX_BODY_BYTES

ARRIVAL_S: Final = 30.0
"""Seconds in which a request's body must have arrived."""
OPEN: Final = "/ping"
"""The one route without a key."""
ROUTES: Final = ("/v1/chat/completions", "/v1/models", "/invocations", "/adapters", "/ping", "/metrics", "/provenance")


class Guard:
    """Reads the whole body before the application sees the request."""

    def __init__(
        self, app: ASGIApp, *, metrics: Metrics, api_key: str | None = None, limit: int = MAX_BODY_BYTES
    ) -> None:
        self.app, self.metrics, self.limit = app, metrics, limit
        self.key = None if api_key is None else f"Bearer {api_key}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or answer 401, 408 or 413."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status = time.perf_counter(), 500

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._admit(scope, receive, counted)
        finally:
            route = next((route for route in ROUTES if scope["path"].startswith(route)), "other")
            self.metrics.answered(route, status, time.perf_counter() - start)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        if self.key and scope["path"] != OPEN and not hmac.compare_digest(headers.get(b"authorization", b""), self.key):
            await _refuse(send, 401, "the Authorization header must read: Bearer <the server's key>")
            return
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self.limit:
            await _refuse(send, 413, f"the body has {int(length)} bytes, at most {self.limit} are taken")
            return
        try:
            async with asyncio.timeout(ARRIVAL_S):
                messages = await self._read(receive)
        except TimeoutError:
            await _refuse(send, 408, f"the body did not arrive within {ARRIVAL_S:g} s")
            return
        if messages is None:
            await _refuse(send, 413, f"the body has more than {self.limit} bytes")
            return
        await self.app(scope, _replay(messages, receive), send)

    async def _read(self, receive: Receive) -> list[Message] | None:
        """Return the body's messages; None if they are too long."""
        messages: list[Message] = []
        size, more = 0, True
        while more:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            more = message["type"] == "http.request" and message.get("more_body", False)
            if size > self.limit:
                return None
        return messages


def _replay(messages: list[Message], receive: Receive) -> Receive:
    waiting = iter(messages)

    async def replayed() -> Message:
        return next(waiting, None) or await receive()

    return replayed


async def _refuse(send: Send, status: int, message: str) -> None:
    content = json.dumps(body(status, message)).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})
