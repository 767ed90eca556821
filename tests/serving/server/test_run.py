"""The server as a whole: it listens before it has loaded, and SIGTERM loses nothing that was accepted."""

import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.server.run import serve
from guerdon_serving.server.settings import Settings

BODY = {"messages": [{"role": "user", "content": "hi"}], "temperature": 5, "max_tokens": 60, "seed": 1}


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


class Visitor(threading.Thread):
    """Waits until the server is ready, asks twelve times at once, and sends SIGTERM while all are under way."""

    def __init__(self, port):
        super().__init__()
        self.url = f"http://127.0.0.1:{port}"
        self.pings, self.statuses = [], []

    def ping(self):
        try:
            self.pings.append(httpx.get(f"{self.url}/ping").status_code)
        except httpx.TransportError:
            return False
        return self.pings[-1] == 200

    def ask(self, _):
        return httpx.post(f"{self.url}/v1/chat/completions", json=BODY, timeout=60).status_code

    def run(self):
        while not self.ping():
            time.sleep(0.01)
        with ThreadPoolExecutor(12) as pool:
            asked = [pool.submit(self.ask, number) for number in range(12)]
            while "guerdon_in_flight 12.0" not in httpx.get(f"{self.url}/metrics").text:
                time.sleep(0.005)
            os.kill(os.getpid(), signal.SIGTERM)
            self.statuses = [future.result() for future in asked]


def test_sigterm_completes_what_was_accepted_and_returns(bundle, port):
    handlers = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    visitor = Visitor(port)
    visitor.start()
    ready = []
    serve(Settings(bundle.folder, port=port, threads=1, max_rows=4), lambda *told: ready.append(told))
    visitor.join()
    assert ready == [(visitor.url, f"tiny@{bundle.digest12}")]
    assert visitor.statuses == [200] * 12
    assert visitor.pings[-1] == 200
    assert set(visitor.pings[:-1]) <= {503}
    assert not visitor.ping()
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == handlers


def test_a_bad_bundle_ends_it_with_its_refusal(tmp_path):
    with pytest.raises(RefusedError) as caught:
        serve(Settings(tmp_path, port=0))
    assert caught.value.code is Code.BUNDLE_MISSING
