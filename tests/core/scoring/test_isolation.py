"""Worker processes: killed, replaced, fresh for a retry, gone with the trainer."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from guerdon import Group, Reward, Sample, Status
from guerdon.scoring.engine import Engine

PLUGIN = Path(__file__).with_name("plugin.py")


def alive(pid: int) -> bool:
    """The process runs: it exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def test_a_retry_that_succeeds_stands(plugins, make, group_of, tmp_path):
    faults = ["raise", "none", "os._exit", "segfault", "hang"]
    rewards = {}
    for fault in faults:
        (tmp_path / fault).mkdir()
        rewards[fault] = make("flaky", folder=tmp_path / fault, fault=fault, timeout_s=1.0)
    with Engine(rewards, plugins=plugins) as engine:
        [scored] = engine.score([group_of(["a", "b"])])
        assert engine.counters.retries == 10
        assert engine.counters.replacements == 6
    for row in scored.records:
        for record in row:
            assert (record.status, record.value, record.cause, record.masks) == (Status.OK, 0.75, "", False)
            assert record.reason.startswith("a fresh worker scored it; at first: ")


def test_a_retry_runs_in_a_process_that_has_run_nothing(plugins, make, group_of):
    rewards = {"p": make("process"), "r": make("obedient")}
    with Engine(rewards, plugins=plugins, workers=1) as engine:
        first = engine.score([group_of(["float", "float"])])[0].records
        engine.score([group_of(["raise"])])
        after = engine.score([group_of(["float"])])[0].records
    assert first[0][0].value == first[1][0].value != after[0][0].value
    assert after[0][0].evidence["calls"] == 1


def test_only_what_hangs_is_lost(plugins, make, group_of, column):
    completions = ["float"] * 6 + ["hang"] + ["float"] * 5
    rewards = {"a": make("length_of_text"), "r": make("obedient", timeout_s=0.5), "z": make("length_of_text")}
    with Engine(rewards, plugins=plugins, workers=1) as engine:
        before = time.monotonic()
        scored, other = engine.score([group_of(completions), group_of(["float"] * 8, "h")])
        took = time.monotonic() - before
        assert engine.counters.replacements == 2
        assert engine.counters.retries == 1
    statuses = [record.status for record in column(scored, "r")]
    assert statuses == [Status.TIMEOUT if text == "hang" else Status.OK for text in completions]
    for name in ("a", "z"):
        assert [r.value for r in column(scored, name)] == [float(len(text)) for text in completions]
    assert all(record.status == Status.OK for row in other.records for record in row)
    assert took < 20


def test_a_batch_finds_the_one_that_breaks_it(plugins, make, group_of):
    faults = ["raise", "os._exit", "hang", "nan"]
    with Engine({"r": make("obedient_batch", timeout_s=0.4)}, plugins=plugins) as engine:
        groups = engine.score([group_of(["float", bad, "integer"], bad) for bad in faults])
    for bad, scored in zip(faults, groups, strict=True):
        records = [row[0] for row in scored.records]
        assert [record.value for record in records] == [0.5, 0.0, 1.0]
        assert records[0].status == records[2].status == Status.OK
        assert records[1].status == (Status.TIMEOUT if bad == "hang" else Status.ERROR)
        assert records[1].cause == "completion"


def test_what_is_unavailable_for_one_does_not_mask_its_siblings(plugins, make, group_of):
    with Engine({"r": make("obedient_batch")}, plugins=plugins) as engine:
        (scored,) = engine.score([group_of(["float", "unavailable", "integer"])])
    records = [row[0] for row in scored.records]
    assert [record.value for record in records] == [0.5, None, 1.0]
    assert records[1].cause == "infrastructure"


def test_a_wrong_number_of_results_shifts_nothing(plugins, make, group_of, column):
    with Engine({"r": make("obedient_batch"), "g": make("obedient_group")}, plugins=plugins) as engine:
        short, kinds, arrays, relative, wrong = engine.score(
            [
                group_of(["short", "float", "integer"]),
                group_of(["set", "float"]),
                group_of(["array of all", "float"]),
                group_of(["xx", "x"], "h"),
                group_of(["xx", "float"], "i"),
            ]
        )
    assert [r.status for r in column(short, "r")] == ["error", "ok", "ok"]  # alone, each has its own result
    assert "returned 0 verdicts for 1 samples" in column(short, "r")[0].reason
    assert "returned set" in column(kinds, "r")[0].reason
    assert [r.value for r in column(arrays, "r")][1] == 0.5
    assert [r.value for r in column(relative, "g")] == [1.0, 0.5]
    assert [r.status for r in column(wrong, "g")] == ["error", "error"]
    assert all("returned 1 verdicts for 2 samples" in r.reason for r in column(wrong, "g"))
    assert all(r.value == 0.0 for r in column(wrong, "g"))


def test_a_group_fails_as_one(plugins, make, group_of, column):
    faults = ["raise", "os._exit", "hang"]
    with Engine({"g": make("obedient_group", timeout_s=0.2), "a": make("length_of_text")}, plugins=plugins) as engine:
        *groups, fine = engine.score([*(group_of([bad, "y", "z"], bad) for bad in faults), group_of(["aa", "b"])])
        assert engine.counters.retries == 3
    for bad, failed in zip(faults, groups, strict=True):
        assert {r.status for r in column(failed, "g")} == {Status.TIMEOUT if bad == "hang" else Status.ERROR}
        assert {r.value for r in column(failed, "g")} == {0.0}
        assert [r.value for r in column(failed, "a")] == [float(len(bad)), 1.0, 1.0]
    assert [r.value for r in column(fine, "g")] == [1.0, 0.5]


def test_large_groups_are_spread_and_come_back_in_order(plugins, make, group_of, column):
    completions = ["x" * i for i in range(100)]
    rewards = {
        "a": make("length_of_text"),
        "g": make("obedient_group"),
        "p": make("process", missing="mask_sample"),
        "r": make("obedient", missing="mask_sample"),
    }
    with Engine(rewards, plugins=plugins, workers=2) as engine:
        [scored] = engine.score([group_of(completions[1:])])
    assert [r.value for r in column(scored, "a")] == [float(i) for i in range(1, 100)]
    assert [r.value for r in column(scored, "g")] == [i / 99 for i in range(1, 100)]
    assert all("KeyError" in r.reason and r.masks for r in column(scored, "r"))


def test_a_reward_that_cannot_be_loaded_masks_its_samples(plugins, make, group_of, column, caplog):
    hows = ["raise", "sys.exit", "os._exit", "segfault"]
    rewards = {how: make("unloadable", how=how) for how in hows} | {"good": make("length_of_text")}
    with Engine(rewards, plugins=plugins) as engine:
        [scored] = engine.score([group_of(["x", "yy"])])
        assert sorted(engine.problems) == sorted(hows)
        assert engine.counters.retries == 0
    assert [r.value for r in column(scored, "good")] == [1.0, 2.0]
    for how in hows:
        assert f"component {how!r} cannot be loaded in a worker" in caplog.text
        for record in column(scored, how):
            assert (record.status, record.cause, record.value, record.masks) == ("error", "infrastructure", None, True)
            assert "cannot be loaded in a worker" in record.reason


def test_a_reward_that_does_not_pickle_masks_its_samples(plugins, make, group_of, column):
    class Local(Reward):
        name = "local"

        def score(self, sample):
            return 1.0

    class Main(Local):
        name = "main"
        __module__ = "__main__"

    with Engine({"local": Local(), "main": Main(), "good": make("length_of_text")}, plugins=plugins) as engine:
        [scored] = engine.score([group_of(["x"])])
    assert "does not pickle" in column(scored, "local")[0].reason
    assert "Move the class to a file" in column(scored, "main")[0].reason
    assert column(scored, "local")[0].masks
    assert column(scored, "main")[0].masks
    assert column(scored, "good")[0].value == 1.0


class Refuses:
    def __reduce__(self):
        raise TypeError("this object does not pickle")


class Explodes:
    def __reduce__(self):
        return int, ("no number",)


def test_a_sample_that_does_not_travel_is_masked(plugins, make, group_of):
    good = group_of(["float"])
    refuses, explodes = (Group("bad", [Sample("bad/0", "float", metadata={"x": x})]) for x in (Refuses(), Explodes()))
    with Engine({"r": make("length_of_text"), "a": make("obedient_async")}, plugins=plugins) as engine:
        before, unsent, unread, after = engine.score([good, refuses, explodes, good])
    assert {record.status for s in (before, after) for row in s.records for record in row} == {Status.OK}
    for scored, reason in (
        (unsent, "cannot be sent to a worker: TypeError: this object"),
        (unread, "cannot be read in a worker: ValueError"),
    ):
        for record in scored.records[0]:
            assert record.cause == "infrastructure"
            assert record.masks
            assert reason in record.reason


def test_workers_hold_one_thread_and_the_callers_folder(plugins, make, group_of):
    with Engine({"p": make("process")}, plugins=plugins) as engine:
        [[record]] = engine.score([group_of(["x"])])[0].records
    assert record.evidence["cwd"] == str(Path.cwd())
    assert record.evidence["threads"] == "1"
    assert record.value != os.getpid()


def test_a_worker_that_dies_idle_is_replaced(plugins, make, group_of):
    with Engine({"p": make("process")}, plugins=plugins, workers=1) as engine:
        [[record]] = engine.score([group_of(["x"])])[0].records
        os.kill(int(record.value), signal.SIGKILL)
        assert wait_until(lambda: not alive(int(record.value)))
        [[again]] = engine.score([group_of(["x"])])[0].records
    assert again.status == Status.OK
    assert again.value != record.value


def test_a_worker_killed_from_outside_costs_nothing(plugins, make, group_of):
    with Engine({"p": make("process"), "b": make("busy", ms=300, timeout_s=60)}, plugins=plugins, workers=1) as engine:
        [[record, _]] = engine.score([group_of(["x"])])[0].records
        future = engine.submit(group_of(["x", "y"]))
        time.sleep(0.1)
        os.kill(int(record.value), signal.SIGKILL)
        scored = future.result(timeout=60)
    assert [r.status for row in scored.records for r in row] == [Status.OK] * 4


def test_a_killed_worker_server_is_replaced(plugins, make, group_of, caplog):
    with Engine({"p": make("process"), "r": make("obedient")}, plugins=plugins, workers=1) as engine:
        [[record, _]] = engine.score([group_of(["float"])])[0].records
        os.kill(engine._launcher._zygote.pid, signal.SIGKILL)
        [scored] = engine.score([group_of(["float", "os._exit", "float"])])
        assert [row[1].status for row in scored.records] == ["ok", "error", "ok"]
        assert "exit" in scored.records[1][1].reason or "died" in scored.records[1][1].reason
        assert wait_until(lambda: not alive(int(record.value)))


def test_without_a_working_interpreter_everything_is_masked(plugins, make, group_of, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with Engine({"r": make("obedient")}, plugins=plugins) as engine:
        [scored] = engine.score([group_of(["float"])])
        [[record]] = scored.records
        assert record.masks
        assert record.cause == "infrastructure"
        assert "no worker could be started" in record.reason
        monkeypatch.undo()
        assert engine.score([group_of(["float"])])[0].values() == [(0.5,)]


def test_a_plugin_that_starts_threads_is_loaded_in_each_worker(plugins, make, group_of, caplog):
    with Engine({"r": make("prepared", threads=True), "p": make("process")}, plugins=plugins, workers=1) as engine:
        [[ready, _]] = engine.score([group_of(["x"])])[0].records
    assert ready.value == 1.0
    assert "a plugin starts threads" in caplog.text


def test_memory_is_limited(plugins, make, group_of):
    with Engine({"r": make("obedient", timeout_s=20)}, plugins=plugins, memory_mb=100) as engine:
        scored = engine.score([group_of(["memory", "float"])])[0]
    assert [row[0].value for row in scored.records] == [0.0, 0.5]
    assert "MemoryError" in scored.records[0][0].reason


def test_everything_ends_with_the_trainer(tmp_path):
    script = tmp_path / "trainer.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import os, sys, threading
            from guerdon import Group, Sample, load_plugins
            from guerdon.scoring.engine import Engine

            plugins = load_plugins([{str(PLUGIN)!r}])
            rewards = {{"p": plugins.entry("process").reward(), "r": plugins.entry("obedient").reward(timeout_s=600)}}
            engine = Engine(rewards, plugins=plugins, workers=2)
            [[record, _]] = engine.score([Group("g", [Sample("g/0", "float")])])[0].records
            engine.submit(Group("g", [Sample("g/0", "hang in c")]))
            print(int(record.value), engine._launcher._zygote.pid, flush=True)
            threading.Event().wait(600)
            """
        )
    )
    trainer = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    with contextlib.ExitStack() as stack:
        stack.callback(trainer.wait)
        stack.callback(trainer.kill)
        assert trainer.stdout is not None
        worker, zygote = map(int, trainer.stdout.readline().split())
        assert alive(worker)
        assert alive(zygote)
        trainer.kill()
        trainer.wait()
        trainer.stdout.close()
        assert wait_until(lambda: not alive(zygote) and not alive(worker))
