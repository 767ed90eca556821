"""SageMaker's contract: its routes, its headers, its time limits."""

import time

import pytest

ATTRIBUTES = "X-Amzn-SageMaker-Custom-Attributes"
BODY = {"messages": [{"role": "user", "content": "what is 2 plus 3?"}], "max_tokens": 2}


def test_ping_is_200_within_two_seconds(server):
    took = []
    for _ in range(5):
        start = time.perf_counter()
        assert server.http.get("/ping").status_code == 200
        took.append(time.perf_counter() - start)
    assert min(took) < 2


def test_invocations_answer_as_chat_does(server, bundle):
    invoked = server.http.post("/invocations", json=BODY)
    chatted = server.http.post("/v1/chat/completions", json=BODY)
    assert invoked.json()["choices"] == chatted.json()["choices"]
    assert invoked.headers["x-guerdon-bundle"] == bundle.id


def test_custom_attributes_come_back(server):
    value = "trace-id=" + "x" * 1000
    assert server.http.post("/invocations", json=BODY, headers={ATTRIBUTES: value}).headers[ATTRIBUTES] == value
    streamed = server.http.post("/invocations", json=BODY | {"stream": True}, headers={ATTRIBUTES: "a"})
    assert streamed.headers[ATTRIBUTES] == "a"
    assert ATTRIBUTES not in server.http.post("/invocations", json=BODY).headers


@pytest.mark.parametrize("value", [b"x" * 1025, "ü".encode(), b"a\tb"])
def test_bad_custom_attributes_are_400(server, value):
    assert server.http.post("/invocations", json=BODY, headers={ATTRIBUTES: value}).status_code == 400


@pytest.mark.parametrize("header", ["X-Amzn-SageMaker-Adapter-Identifier", "X-Amzn-SageMaker-Adapter-Alias"])
def test_a_header_names_the_adapter(server, bundle, header):
    def invoke(named, **body):
        return server.http.post("/invocations", json=BODY | body, headers={header: named})

    assert invoke("base").headers["x-guerdon-bundle"] == bundle.facts.base.revision
    assert invoke("tiny", model="tiny").headers["x-guerdon-bundle"] == bundle.id
    assert invoke("nobody").status_code == 404
    assert invoke("base", model="tiny").status_code == 400
