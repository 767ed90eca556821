"""The server over a real socket."""

import time

import httpx
import pytest
from tests.core.report.test_page import unpacked
from tests.core.review.built_runs import build_run


def steps_of(client):
    return unpacked(client.get("/").text)["curves"]["components"]["answer"]["steps"]


@pytest.fixture
def client(address):
    with httpx.Client(base_url=address, timeout=60) as opened:
        yield opened


def test_the_page_is_served_with_a_strict_policy(client):
    answer = client.get("/")
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.text
    assert "connect-src 'self'" in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-frame-options"] == "DENY"


def test_samples_come_by_search(client):
    answer = client.get("/api/samples", params={"phase": "train", "step": 3, "component": "answer", "high": 0.5}).json()
    assert 0 < len(answer["live"]["matches"]) == answer["live"]["hits"]
    assert set(answer["rows"]["samples"]["step"]) == {3}
    assert all(one["url"].startswith("data:image/png;base64,") for one in answer["pictures"].values())


@pytest.mark.parametrize("query", ["page=-1", "low=inf", "phase=all", "sql=SELECT"])
def test_bad_questions_are_refused(client, query):
    assert client.get(f"/api/samples?{query}").status_code == 422


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/../run.json", "/%2e%2e/run.json", "/images/../../run.json", "/ledger", "/docs"]
)
def test_no_path_leads_to_a_file(client, path):
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("path", ["/", "/api/samples"])
def test_nothing_is_written(client, method, path):
    assert client.request(method, path).status_code == 405


def test_another_name_for_this_machine_is_refused(client):
    assert client.get("/", headers={"host": "attacker.example:80"}).status_code == 421
    assert client.get("/", headers={"host": "127.0.0.1.attacker.example"}).status_code == 421
    for name in ("localhost", "127.0.0.2:99", "[::1]:8081"):
        assert client.get("/api/samples", headers={"host": name}).status_code == 200


def test_a_token_is_asked_for(folder, serve):
    with serve(folder, "right") as address, httpx.Client(base_url=address, timeout=60) as client:
        assert client.get("/").status_code == 401
        assert client.get("/?token=wrong").status_code == 401
        assert client.get("/api/samples", headers={"authorization": "Bearer wrong"}).status_code == 401
        assert client.get("/api/samples", headers={"authorization": "Bearer right"}).status_code == 200
        assert client.get("/api/samples", headers={"cookie": b"guerdon_view=\xff; ="}).status_code == 401
        first = client.get("/?token=right")
        assert first.status_code == 303
        assert "httponly" in first.headers["set-cookie"].lower()
        assert client.get("/api/samples").status_code == 200  # by the cookie


def test_a_run_that_goes_on_is_seen_at_the_next_load(tmp_path, serve):
    folder = build_run(tmp_path / "run", steps=1, evaluations=())
    with serve(folder) as address, httpx.Client(base_url=address, timeout=60) as client:
        assert set(client.get("/api/samples").json()["rows"]["samples"]["step"]) == {1}
        assert steps_of(client) == [1]
        build_run(folder, steps=2, evaluations=())
        assert 2 in client.get("/api/samples").json()["rows"]["samples"]["step"]
        end = time.monotonic() + 60
        while steps_of(client) != [1, 2]:
            assert time.monotonic() < end, "the page never grew"
            time.sleep(0.05)


def test_a_ledger_that_is_empty_yet_is_named(tmp_path, serve):
    (tmp_path / "run" / "ledger" / "records").mkdir(parents=True)
    with serve(tmp_path / "run") as address:
        answer = httpx.get(address, timeout=60)
        assert answer.status_code == 503
        assert "is empty" in answer.text
