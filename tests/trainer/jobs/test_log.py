"""A log is written once and to its end, however often the connection drops."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trainer.jobs.server import Server

from guerdon import RunError
from guerdon_trainer.jobs import follow


class Stream(Server):
    """A log of `text`, sent from its beginning at each connection, which drops after `cuts` characters."""

    def __init__(self, text, cuts, end="SUCCEEDED", code=0):
        super().__init__()
        self.text, self.cuts, self.result = text, list(cuts), (end, code)
        self.add("a-1")

    async def tail_job_logs(self, name):
        cut = self.cuts.pop(0) if self.cuts else None
        sent = self.text[:cut]
        for start in range(0, len(sent), 3):
            yield sent[start : start + 3]
        if cut is not None:
            raise ConnectionError("dropped")
        self.end(name, *self.result)

    def get_job_logs(self, name):
        return self.text


@pytest.fixture(autouse=True, scope="module")
def no_pause():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("guerdon_trainer.jobs.log.PAUSE_S", 0.0)
        yield


@settings(deadline=None)
@given(st.text(max_size=30), st.lists(st.integers(0, 30), max_size=5))
def test_every_character_is_written_once(text, cuts):
    written = []
    server = Stream(text, cuts)
    assert follow(lambda: server, "a-1", written.append).status == "SUCCEEDED"
    assert "".join(written) == text


def test_the_end_of_a_log_that_was_not_sent_is_fetched():
    server = Stream("whole log", [])
    full, server.text = server.text, "whole"
    server.get_job_logs = lambda _: full
    written = []
    follow(lambda: server, "a-1", written.append)
    assert "".join(written) == "whole log"


def test_the_code_is_the_jobs():
    assert follow(lambda: Stream("x", [], "FAILED", 3), "a-1", lambda _: None).code == 3


def test_the_server_stays_away(monkeypatch):
    server, calls = Stream("x", [1]), []

    def connect():
        calls.append(1)
        if len(calls) > 1:
            raise RunError("no Ray job server at x")
        return server

    with pytest.raises(RunError, match=r"out of reach for 0 s .*guerdon jobs logs a-1 --follow. goes on"):
        follow(connect, "a-1", lambda _: None, patience_s=0)


def test_a_server_that_comes_back_is_used():
    server, calls, written = Stream("abcdef", [4]), [], []

    def connect():
        calls.append(1)
        if len(calls) in (2, 3):
            raise RunError("not yet")
        return server

    assert follow(connect, "a-1", written.append, patience_s=30).code == 0
    assert "".join(written) == "abcdef"
    assert len(calls) == 4


def test_an_unknown_job_is_not_waited_for():
    with pytest.raises(RunError, match="no job 'b-1'"):
        follow(lambda: Stream("", []), "b-1", lambda _: None)
