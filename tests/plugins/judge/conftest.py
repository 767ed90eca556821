"""A judge on this machine that behaves as its model's name says."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from guerdon import Sample
from guerdon_plugins.judge import Judge

NONCE = re.compile(r'"nonce": "([0-9a-f]{32})"')
RUBRIC = "10 for a correct and complete answer, 0 for a wrong one."


def verdict(nonce, **changes):
    return json.dumps({"nonce": nonce, "rationale": "it says blue", "score": 7} | changes)


def chat(text, **changes):
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"} | changes
    return json.dumps({"model": "judge-1", "choices": [choice], "usage": {"total_tokens": 30}})


def lying(text):
    return lambda _nonce, _seen: (200, chat(text), {})


def answering(**changes):
    return lambda nonce, _seen: (200, chat(verdict(nonce, **changes)), {})


def failing(status, times, **headers):
    """Fail so often, then answer."""
    return lambda nonce, seen: (status, "busy", headers) if seen <= times else (200, chat(verdict(nonce)), {})


BEHAVIOUR = {
    "good": answering(),
    "fenced": lambda nonce, _: (200, chat(f"```json\n{verdict(nonce)}\n```"), {}),
    "refuses": lambda *_: (200, chat(None, message={"content": None, "refusal": "I cannot help with that"}), {}),
    "filtered": lambda *_: (200, chat("", finish_reason="content_filter"), {}),
    "cut": lambda nonce, _: (200, chat(verdict(nonce)[:20], finish_reason="length"), {}),
    "prose": lying("I would give this a 10."),
    "no json": lying('{"nonce": "x", "score": '),
    "no chat": lambda *_: (200, "<html>hello</html>", {}),
    "null": lambda *_: (200, "null", {}),
    "huge": lambda *_: (200, "x" * 1_000_100, {}),
    "other nonce": lying(verdict("0" * 32)),
    "high": answering(score=11),
    "fraction": answering(score=9.5),
    "boolean": answering(score=True),
    "nan": lambda nonce, _: (200, chat(verdict(nonce).replace("7", "NaN")), {}),
    "extra": answering(verdict="full marks"),
    "twice": lambda nonce, _: (200, chat(verdict(nonce)[:-1] + ', "score": 10}'), {}),
    "two": lambda nonce, _: (200, chat(verdict(nonce) * 2), {}),
    "busy once": failing(429, 1, **{"Retry-After": "0.05"}),
    "broken once": failing(500, 1),
    "busy": failing(429, 99),
    "broken": failing(503, 99),
    "busy for long": failing(429, 99, **{"Retry-After": "3600"}),
    "busy until": failing(429, 99, **{"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}),
    "forbidden": lambda *_: (401, '{"error": "bad key sk-secret"}', {}),
    "moved": lambda *_: (307, "", {"Location": "http://127.0.0.1:9/v1"}),
}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model = body["model"]
        with self.server.lock:
            self.server.seen.append((model, body, dict(self.headers), self.path))
            seen = sum(one[0] == model for one in self.server.seen)
        if model == "stalls":
            self.server.released.wait(20)
        if model == "drops" or (model == "drops once" and seen == 1):
            self.close_connection = True
            return
        nonce = NONCE.search(body["messages"][0]["content"])[1]
        status, text, headers = BEHAVIOUR.get(model, BEHAVIOUR["good"])(nonce, seen)
        encoded = text.encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(encoded)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(encoded)

    def log_message(self, *_):
        pass


class Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A client that went away is no news."""


@pytest.fixture
def server():
    httpd = Quiet(("127.0.0.1", 0), Handler)
    httpd.seen, httpd.lock, httpd.released = [], threading.Lock(), threading.Event()
    httpd.url = f"http://127.0.0.1:{httpd.server_address[1]}/v1"
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield httpd
    httpd.released.set()
    httpd.shutdown()
    thread.join()
    httpd.server_close()


@pytest.fixture
def judge(server):
    def build(model="good", **fields):
        settings = {"rubric": RUBRIC, "backoff_s": 0.01} | fields
        return Judge(base_url=server.url, model=model, **settings)

    return build


@pytest.fixture
def sample():
    def build(completion="It is blue.", **fields):
        prompt = [{"role": "user", "content": "What colour is the sky?"}]
        return Sample("q/0", completion, **({"prompt": prompt} | fields))

    return build
