"""Scoring again: whole, resumable, exact, and a ledger as any other."""

import base64
import io
import json

import pytest
from PIL import Image
from tests.core.rescoring.conftest import line

from guerdon import DataError, RunError
from guerdon.cache import ScoreCache
from guerdon.ledger import Ledger, equal, verify
from guerdon.rescoring import score as module
from guerdon.rescoring import sources
from guerdon.rescoring.diff import compare
from guerdon.rescoring.sources import open_source
from guerdon.review import open_run, summarise


def test_a_file_becomes_a_sound_ledger(again, completions, monkeypatch):
    monkeypatch.setattr(sources, "GROUPS", 2)
    seen = []
    done = again(completions(), progress=seen.append)
    assert (done.samples, done.kept, done.scored) == (20, 0, 40)
    assert seen == [8, 8, 4]
    assert verify(done.ledger, steps=[1, 2, 3], group_size=4) == []
    values = done.ledger.records(components=["answer"])["value"].to_pylist()
    assert values[:4] == [0.0, 0.1, 0.2, 0.0]


def test_a_report_reads_it(again, completions, tmp_path):
    again(completions())
    run = open_run(tmp_path / "out")
    assert run.name == "again"
    assert summarise(run).outcome == "answer"


def test_a_ledger_is_reproduced_to_the_last_bit(again, completions, monkeypatch):
    monkeypatch.setattr(sources, "GROUPS", 2)
    first = again(completions())
    second = again(first.ledger.folder.parent, "second")
    assert equal(first.ledger, second.ledger) is None
    assert compare(first.ledger, second.ledger).reproduced() == (40, 40)


def test_pictures_and_context_survive_the_ledger(again, completions):
    buffer = io.BytesIO()
    Image.new("RGB", (3, 2)).save(buffer, "PNG")
    url = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
    content = [{"type": "image", "image": url}, {"type": "text", "text": "what"}]
    row = line(1, ["a"], messages=[{"role": "user", "content": content}], metadata={"k": {"x": 0.1}})
    first = again(completions([row]))
    (batch,) = open_source(first.ledger.folder).batches()
    (sample,) = batch.groups[0].samples
    assert sample.images[0].read() == buffer.getvalue()
    assert (sample.reference, sample.metadata) == ({"answer": 1}, {"k": {"x": 0.1}})
    assert equal(first.ledger, again(first.ledger.folder, "second").ledger) is None


class KilledError(Exception):
    pass


def test_what_was_scored_before_a_kill_is_not_scored_again(again, completions, monkeypatch):
    monkeypatch.setattr(sources, "GROUPS", 1)
    monkeypatch.setattr(module, "AHEAD", 0)
    path = completions()
    whole = again(path, "whole")

    def kill(_, seen=[]):  # noqa: B006
        seen.append(1)
        if len(seen) == 3:
            raise KilledError

    with pytest.raises(KilledError):
        again(path, progress=kill)
    resumed = again(path)
    assert (resumed.samples, resumed.kept) == (8, 12)
    assert equal(whole.ledger, resumed.ledger) is None
    third = again(path)
    assert (third.samples, third.kept) == (0, 20)


def test_a_bad_line_loses_nothing_that_was_scored(again, completions, monkeypatch):
    monkeypatch.setattr(sources, "GROUPS", 1)
    monkeypatch.setattr(module, "AHEAD", 0)
    path = completions([line(1, ["a"]), line(2, ["b"]), {"id": "q3"}])
    with pytest.raises(DataError, match=r"jsonl:3"):
        again(path)
    assert Ledger(path.parent / "out" / "ledger").samples()["completion"].to_pylist() == ["a"]


def test_a_folder_of_something_else_is_refused(again, completions, write_plugin, tmp_path):
    path = completions()
    again(path)
    with pytest.raises(RunError, match="with another configuration; choose another --output"):
        again(path, change=lambda data: data | {"outcome": "brief"})
    write_plugin("/ 10", "/ 20")
    with pytest.raises(RunError, match="with other code of a reward"):
        again(path)
    write_plugin()
    with pytest.raises(RunError, match="with other data"):
        again(completions([line(1, ["a"])]))
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text(json.dumps({"config": {}}))
    with pytest.raises(RunError, match="holds a run;"):
        again(path, "run")


def test_the_second_time_comes_from_the_cache(again, completions, tmp_path):
    path = completions([line(n, ["a" * n, "crash", "b"]) for n in range(4)])
    with ScoreCache(tmp_path / "scores.sqlite") as cache:
        first = again(path, "first", cache=cache)
        cache.flush()
        second = again(path, "second", cache=cache)
        assert (first.found, second.found, second.scored) == (0, 24, 0)
        assert equal(first.ledger, second.ledger) is None
        third = again(path, "third", cache=cache, change=lambda d: d | {"algorithm": {"advantage": "gdpo"}})
        assert (third.found, third.scored) == (24, 0)


def test_nothing_there(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        open_source(tmp_path / "gone")
