"""Requests as they are read."""

import pytest
from pydantic import ValidationError

from guerdon_serving.server.problems import TYPES, HttpError, body
from guerdon_serving.server.sagemaker import named_model
from guerdon_serving.server.wire import AdapterRequest, ChatRequest

PICTURE = {"type": "image_url", "image_url": {"url": "data:a", "detail": "high"}}


def request(*content, **fields):
    return ChatRequest(messages=[{"role": "user", "content": list(content)}], **fields)


def test_pictures_are_taken_out_in_order_and_leave_their_place():
    asked = ChatRequest(
        messages=[
            {"role": "system", "content": "s"},
            {"role": "user", "content": [PICTURE, {"type": "text", "text": "t"}]},
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:b"}}]},
        ]
    )
    assert asked.images() == ["data:a", "data:b"]
    assert asked.chat() == [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "t"}]},
        {"role": "user", "content": [{"type": "image"}]},
    ]


def test_limits_and_stops_have_one_meaning():
    assert request(max_tokens=3).limit == request(max_completion_tokens=3).limit == 3
    assert request().limit is None
    assert request(stop="x").stops == request(stop=["x"]).stops == ["x"]
    assert request().stops == []
    assert request(temperature=0).temperature == 0


@pytest.mark.parametrize(
    "fields",
    [
        {"stop": [""]},
        {"stop": ["a"] * 5},
        {"top_p": 0},
        {"temperature": float("nan")},
        {"seed": 2**63},
        {"max_tokens": 0},
        {"logprobs": True, "top_logprobs": 21},
        {"frequency_penalty": 1},
        {"response_format": {}},
        {"stream_options": {"x": 1}},
    ],
)
def test_what_is_not_understood_is_refused(fields):
    with pytest.raises(ValidationError):
        request({"type": "text", "text": "t"}, **fields)


@pytest.mark.parametrize(
    "part", [{"type": "image_url", "image_url": "data:x"}, {"type": "image"}, {"text": "t"}, "t", None]
)
def test_a_part_has_one_spelling(part):
    with pytest.raises(ValidationError):
        request(part)


@pytest.mark.parametrize("name", ["", "a b", "a@b", "../a", "-a", "x" * 101])
def test_an_alias_is_a_plain_name(name):
    with pytest.raises(ValidationError):
        AdapterRequest(name=name, src="x")


def test_a_model_is_named_once():
    header = "X-Amzn-SageMaker-Adapter-Identifier"
    assert named_model({}, None) is None
    assert named_model({}, "a") == named_model({header: "a"}, None) == named_model({header: "a"}, "a") == "a"
    assert named_model({header: ""}, "a") == "a"
    with pytest.raises(HttpError) as caught:
        named_model({header: "b"}, "a")
    assert caught.value.status == 400


def test_errors_read_as_openais():
    for status, kind in TYPES.items():
        assert body(status, "m")["error"] == {"message": "m", "type": kind, "param": None, "code": None}
    assert body(500, "m", "c")["error"]["type"] == "server_error"
    error = HttpError(429, "busy", {"Retry-After": "1"})
    assert (error.status, error.headers, HttpError(404, "x").headers) == (429, {"Retry-After": "1"}, {})
