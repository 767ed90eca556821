"""Whatever is sent, the server answers with something below 500, and goes on."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
URL = st.sampled_from(["data:image/png;base64,", "data:image/png;base64,AAAA", "http://127.0.0.1/x", "x"]) | st.text(
    max_size=9
)
PART = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": st.text(max_size=20)}),
    st.fixed_dictionaries({"type": st.just("image_url"), "image_url": st.fixed_dictionaries({"url": URL})}),
    JUNK,
)
MESSAGE = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "system", "assistant"]) | JUNK,
        "content": st.text(max_size=30) | st.lists(PART, max_size=3),
    }
)
OPTIONAL = {
    "model": st.sampled_from(["tiny", "base", "x"]) | JUNK,
    "max_tokens": st.integers(-1, 4) | JUNK,
    "temperature": st.floats(0, 5) | JUNK,
    "top_p": st.floats(0, 1) | JUNK,
    "seed": st.integers() | JUNK,
    "stop": st.text(max_size=3) | JUNK,
    "stream": st.booleans(),
    "logprobs": st.booleans(),
    "top_logprobs": st.integers(-1, 25),
    "n": st.integers(0, 2),
}
BODY = st.fixed_dictionaries({"messages": st.lists(MESSAGE, min_size=1, max_size=2)}, optional=OPTIONAL)
FUZZ = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


def send(server, path, body):
    import json

    content = json.dumps(body).encode("utf-8", "surrogatepass")
    return server.http.post(path, content=content, headers={"content-type": "application/json"})


@FUZZ
@given(body=BODY | JUNK)
def test_chat_never_fails(server, body):
    if isinstance(body, dict):
        body.setdefault("max_tokens", 2)
    response = send(server, "/v1/chat/completions", body)
    assert response.status_code in {200, 400, 404}, response.text
    assert server.service.in_flight == 0


@FUZZ
@given(body=st.fixed_dictionaries({"name": st.text(max_size=8), "src": st.text(max_size=30)}) | JUNK)
def test_loading_adapters_never_fails(server, body):
    assert send(server, "/adapters", body).status_code in {400, 403}


@FUZZ
@given(name=st.text(max_size=12))
def test_names_in_paths_never_fail(server, name):
    from urllib.parse import quote

    path = quote(name.encode("utf-8", "replace"), safe="")
    if name not in {"tiny", "base"} and path.strip("."):
        assert server.http.delete(f"/adapters/{path}").status_code in {404, 307}
        assert server.http.get(f"/v1/models/{path}").status_code in {404, 307}


@pytest.mark.parametrize("path", ["/ping", "/v1/models", "/adapters", "/provenance", "/metrics", "/openapi.json"])
def test_what_can_be_read_can_be_read(server, path):
    assert server.http.get(path).status_code == 200
