"""The guard by itself, as ASGI sees it."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon_serving.server import guard
from guerdon_serving.server.guard import Guard
from guerdon_serving.server.metrics import Metrics


async def echo(scope, receive, send):
    """Answer with the body that arrives, then with what comes after it."""
    body, more = b"", True
    while more:
        message = await receive()
        body += message["body"]
        more = message.get("more_body", False)
    after = await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body + after["type"].encode()})


def call(chunks, *, headers=(), path="/x", app=echo, limit=100, key=None, metrics=None, pause=None):
    """Send a request in chunks; return status and body."""
    messages = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    messages[-1]["more_body"] = False
    sent = []

    async def receive():
        if pause:
            await asyncio.sleep(pause)
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    guarded = Guard(app, metrics=metrics or Metrics(), api_key=key, limit=limit)
    scope = {"type": "http", "path": path, "headers": list(headers)}
    asyncio.run(guarded(scope, receive, send))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


@given(st.lists(st.binary(max_size=20), min_size=1, max_size=5))
def test_a_body_within_the_limit_passes_whole_and_what_follows_is_heard(chunks):
    assert call(chunks) == (200, b"".join(chunks) + b"http.disconnect")


@given(st.lists(st.binary(max_size=60), min_size=1, max_size=5))
def test_the_limit_is_exact(chunks):
    status, _ = call(chunks)
    assert status == (200 if sum(map(len, chunks)) <= 100 else 413)


def test_a_length_that_is_announced_is_enough():
    status, body = call([b""], headers=[(b"content-length", b"101")])
    assert (status, json.loads(body)["error"]["type"]) == (413, "request_too_large")
    assert call([b""], headers=[(b"content-length", b"many")])[0] == 200


def test_a_body_that_does_not_arrive_is_408(monkeypatch):
    monkeypatch.setattr(guard, "ARRIVAL_S", 0.05)
    assert call([b"a", b"b"], pause=0.2)[0] == 408


@pytest.mark.parametrize(
    ("value", "status"), [(b"Bearer k", 200), (b"Bearer K", 401), (b"k", 401), (b"", 401), (None, 401)]
)
def test_the_key_must_be_right(value, status):
    headers = [] if value is None else [(b"authorization", value)]
    assert call([b"x"], headers=headers, key="k")[0] == status


def test_ping_needs_no_key():
    assert call([b""], path="/ping", key="k")[0] == 200


def test_answers_are_counted_by_route_and_status():
    metrics = Metrics()
    call([b""], path="/adapters/some/name", metrics=metrics)
    call([b"x" * 200], path="/unknown", metrics=metrics)

    async def failing(scope, receive, send):
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError):
        call([b""], path="/ping", app=failing, metrics=metrics)
    page = metrics.render(3, {"load": 1.5}).decode()
    assert 'guerdon_start_seconds{phase="load"} 1.5' in page
    assert 'guerdon_requests_total{route="/adapters",status="200"} 1.0' in page
    assert 'guerdon_requests_total{route="other",status="413"} 1.0' in page
    assert 'guerdon_requests_total{route="/ping",status="500"} 1.0' in page
    assert "guerdon_in_flight 3.0" in page


def test_what_is_no_http_passes_untouched():
    seen = []

    async def app(scope, receive, send):
        seen.append(scope["type"])

    asyncio.run(Guard(app, metrics=Metrics())({"type": "lifespan"}, None, None))
    assert seen == ["lifespan"]
