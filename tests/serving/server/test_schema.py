"""Schemathesis against the server's own OpenAPI document: whatever it says is allowed is never answered 5xx."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

OPERATIONS = {
    ("POST", "/v1/chat/completions"), ("POST", "/invocations"), ("GET", "/v1/models"), ("GET", "/v1/models/{name}"),
    ("GET", "/adapters"), ("POST", "/adapters"), ("DELETE", "/adapters/{name}"), ("GET", "/provenance"),
    ("GET", "/ping"), ("GET", "/metrics"),
}  # fmt: skip
BOUNDED = settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def schema(server):
    return schemathesis.openapi.from_dict(server.http.get("/openapi.json").json())


def test_the_document_has_every_route(schema):
    found = {(op.ok().method.upper(), op.ok().path) for op in schema.get_all_operations()}
    assert found == OPERATIONS


@pytest.mark.parametrize(("method", "path"), sorted(OPERATIONS))
def test_no_request_is_answered_5xx(schema, server, method, path):
    @BOUNDED
    @given(case=schema[path][method].as_strategy())
    def ask(case):
        if isinstance(case.body, dict) and "messages" in case.body:
            case.body = {**case.body, "max_tokens": 2, "max_completion_tokens": None}  # so that no answer takes long
        response = case.call(base_url=server.url)
        assert response.status_code < 500, response.text
        assert server.service.in_flight == 0

    ask()
