"""What the server refuses before it works: size, number, time, keys; and it goes on after each."""

import dataclasses
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from guerdon_serving.server.settings import MAX_BODY_BYTES, Settings


@pytest.fixture(scope="module")
def small(run_server, bundle):
    """One row at a time, two may wait, half a second each."""
    return run_server(Settings(bundle.folder, max_rows=1, max_waiting=2, deadline_s=0.6))


def block(server, gate):
    """Keep the engine busy until the gate opens."""
    started = threading.Event()
    server.service.engine.call(lambda: (started.set(), gate.wait(30)))
    assert started.wait(30)


def wait_until_idle(server):
    for _ in range(1000):
        if server.service.in_flight == 0:
            return
        time.sleep(0.02)
    raise AssertionError("somebody is still being served")


def test_a_large_body_is_413_by_its_header_and_by_its_bytes(server):
    def chunks():
        for _ in range(MAX_BODY_BYTES // 65536 + 1):
            yield b"x" * 65536

    announced = server.http.post("/v1/chat/completions", content=b"x" * (MAX_BODY_BYTES + 1))
    streamed = server.http.post("/invocations", content=chunks())
    assert (announced.status_code, streamed.status_code) == (413, 413)
    assert announced.json()["error"]["type"] == "request_too_large"
    assert server.ask().status_code == 200


def test_the_largest_body_is_taken(server):
    text = "x" * (MAX_BODY_BYTES - 100)
    response = server.http.post(
        "/v1/chat/completions", json={"messages": [{"role": "user", "content": "y"}], "user": text}
    )
    assert response.status_code == 200


def test_too_many_requests_are_429_and_the_others_are_answered(run_server, bundle):
    gate = threading.Event()
    with run_server(Settings(bundle.folder, max_rows=1, max_waiting=2)) as server, ThreadPoolExecutor(8) as pool:
        block(server, gate)
        futures = [pool.submit(server.ask, max_tokens=2) for _ in range(8)]
        while sum(future.done() for future in futures) < 5:
            time.sleep(0.01)
        gate.set()
        responses = [future.result() for future in futures]
        assert server.ask(max_tokens=1).status_code == 200
    statuses = sorted(response.status_code for response in responses)
    assert statuses == [200] * 3 + [429] * 5
    assert all(response.headers["retry-after"] for response in responses if response.status_code == 429)


def test_a_late_answer_is_504_and_its_row_is_dropped(small):
    gate = threading.Event()
    block(small, gate)
    response = small.ask()
    gate.set()
    assert response.status_code == 504
    assert "0.6 s" in response.json()["error"]["message"]
    wait_until_idle(small)
    assert any(small.ask(max_tokens=1).status_code == 200 for _ in range(50))


def test_a_late_stream_says_that_it_is_not_whole(small):
    gate = threading.Event()
    block(small, gate)
    text = small.ask(stream=True).text
    gate.set()
    assert '"type": "deadline_exceeded"' in text
    assert "[DONE]" not in text


def test_ping_answers_while_the_engine_works(server):
    gate = threading.Event()
    block(server, gate)
    took = []
    for _ in range(5):
        start = time.perf_counter()
        assert server.http.get("/ping").status_code == 200
        took.append(time.perf_counter() - start)
    gate.set()
    assert min(took) < 2


def test_a_client_that_leaves_ends_its_row(server):
    gate = threading.Event()
    block(server, gate)
    body = {"messages": [{"role": "user", "content": "hi"}]}
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{server.url}/v1/chat/completions", json=body, timeout=httpx.Timeout(30, read=0.5))
    gate.set()
    wait_until_idle(server)


def test_a_stream_that_is_left_gives_its_slot_back(server):
    body = {"messages": [{"role": "user", "content": "hi"}], "temperature": 5, "max_tokens": 1500, "stream": True}
    with httpx.stream("POST", f"{server.url}/v1/chat/completions", json=body, timeout=30) as response:
        next(response.iter_lines())
    wait_until_idle(server)


def test_a_key_is_asked_for_everywhere_but_ping(run_server, bundle):
    with run_server(Settings(bundle.folder, api_key="s3cret")) as server:
        assert server.http.get("/ping").status_code == 200
        assert {
            server.http.get(path).status_code for path in ("/v1/models", "/metrics", "/provenance", "/adapters")
        } == {401}
        assert server.ask().status_code == 401
        server.http.headers["Authorization"] = "Bearer wrong"
        assert server.ask().status_code == 401
        server.http.headers["Authorization"] = "Bearer s3cret"
        assert server.ask(max_tokens=1).status_code == 200


def test_before_it_is_loaded_it_listens_and_says_so(run_server, bundle):
    with run_server(Settings(bundle.folder), load=False) as server:
        assert server.http.get("/ping").status_code == 503
        assert server.ask().status_code == 503
        assert server.http.get("/v1/models").status_code == 503
        server.service.start()
        assert server.http.get("/ping").status_code == 200


def test_a_moved_base_does_not_start(bundle, base_folder, tmp_path, run_server):
    import shutil

    from guerdon_serving.codes import Code, RefusedError
    from guerdon_serving.server.service import Service

    moved = shutil.copytree(base_folder, tmp_path / "moved")
    (moved / "generation_config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RefusedError) as caught:
        Service(dataclasses.replace(Settings(bundle.folder), base=moved)).start()
    assert caught.value.code is Code.BASE_MISMATCH


def test_half_a_request_does_not_hold_the_server(server):
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as half:
        half.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        assert server.ask(max_tokens=1).status_code == 200
