"""The level *serve* against servers that lie."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from guerdon_serving.client import post, probe_request, verify_serve
from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.model.probes import TOP, make_probes


@pytest.fixture
def liar():
    """A server that gives one answer to everything."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.server.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.server.keys.append(self.headers.get("authorization"))
            status, headers, body = self.server.answer
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.requests, server.keys = [], []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def url(server):
    return f"http://127.0.0.1:{server.server_address[1]}"


def answer(bundle, *, digest=None, shift=0.0, probe="text"):
    digest = digest or bundle.id
    top = [{"id": token.id, "logprob": token.logprob + shift} for token in bundle.facts.probes[probe].adapter]
    body = {"model": f"tiny@{digest[:12]}", "choices": [{"logprobs": {"content": [{"top_logprobs": top}]}}]}
    return 200, {"X-Guerdon-Bundle": digest}, json.dumps(body).encode()


def refusal(liar, bundle, told):
    liar.answer = told
    with pytest.raises(RefusedError) as caught:
        verify_serve(bundle.folder, url(liar))
    return caught.value.code


def test_another_digest_in_the_answer_is_refused(liar, bundle):
    assert refusal(liar, bundle, answer(bundle, digest="0" * 64)) is Code.SERVED_WRONG
    status, _, body = answer(bundle)
    assert refusal(liar, bundle, (status, {}, body)) is Code.SERVED_WRONG


def test_other_answers_under_the_right_name_are_refused(liar, bundle):
    assert refusal(liar, bundle, answer(bundle, shift=0.1)) is Code.PROBE_MISMATCH
    assert refusal(liar, bundle, answer(bundle, probe="image")) is Code.PROBE_MISMATCH


@pytest.mark.parametrize("told", [(500, {}, b"broken"), (404, {}, b"{}"), (200, {}, b"<html>")])
def test_what_is_no_answer_is_refused(liar, bundle, told):
    assert refusal(liar, bundle, told) is Code.SERVED_WRONG


def test_the_key_travels_in_its_header(liar):
    liar.answer = (200, {"X-Some": "y"}, b"{}")
    assert post(f"{url(liar)}/x", {"a": 1}, "k")[1]["x-some"] == "y"
    post(f"{url(liar)}/x", {"a": 1})
    assert liar.keys == ["Bearer k", None]
    assert liar.requests == [{"a": 1}] * 2


def test_a_probe_asks_for_one_greedy_token_and_its_rivals():
    request = probe_request(make_probes()["images"], "m")
    parts = request["messages"][0]["content"]
    assert [part["type"] for part in parts] == ["image_url", "image_url", "text"]
    assert all(part["image_url"]["url"].startswith("data:image/png;base64,") for part in parts[:2])
    assert (request["max_tokens"], request["temperature"], request["top_logprobs"]) == (1, 0, TOP)
