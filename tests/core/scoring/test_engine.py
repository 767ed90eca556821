"""The engine as its callers see it."""

import logging
import pickle
import threading
from concurrent.futures import Future
from types import SimpleNamespace

import pluggy
import pytest

from guerdon import ConfigError, Group, Plugins, Reward, ScoringError, Status, hookimpl
from guerdon.hookspecs import PROJECT, Hooks
from guerdon.reward import Constant
from guerdon.scoring.engine import Engine


def plugins_with(observer: object, plugins: Plugins) -> Plugins:
    """The plugin file's rewards, and one observer."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Hooks)
    manager.register(observer)
    return Plugins(plugins.rewards, manager, plugins.files)


def test_groups_come_back_in_order_with_all_records(plugins, make, group_of):
    groups = [group_of(["x" * (n + i) for i in range(n % 5)], f"g{n}") for n in range(40)]
    rewards = {"a": make("length_of_text"), "b": make("length_of_text", isolation="inline", scale=2.0)}
    with Engine(rewards, plugins=plugins) as engine:
        scored = engine.score(groups)
    assert [s.group for s in scored] == groups
    for group, result in zip(groups, scored, strict=True):
        assert result.components == ("a", "b")
        assert [[(r.sample_id, r.component, r.value) for r in row] for row in result.records] == [
            [(s.id, "a", len(s.completion)), (s.id, "b", 2.0 * len(s.completion))] for s in group.samples
        ]
        assert result.values() == [tuple(r.value for r in row) for row in result.records]
    samples = sum(len(group.samples) for group in groups)
    assert engine.counters.groups == 40
    assert engine.counters.samples == samples
    assert engine.counters.records == 2 * samples
    assert engine.counters.replacements == engine.counters.retries == 0
    assert engine.counters.wait_s > 0


def test_an_iterator_is_scored_while_it_is_made(plugins, make, group_of):
    with Engine({"a": make("length_of_text")}, plugins=plugins) as engine:
        first: list[bool] = []

        def groups():
            yield group_of(["x"], "g0")
            for _ in range(500):
                if engine.counters.groups:
                    break
                threading.Event().wait(0.01)
            first.append(engine.counters.groups == 1)
            yield group_of(["y"], "g1")

        assert [s.group.id for s in engine.score(groups())] == ["g0", "g1"]
    assert first == [True]


def test_submit_returns_a_future_that_cannot_be_cancelled(plugins, make, group_of):
    with Engine({"a": make("busy", ms=20)}, plugins=plugins) as engine:
        future = engine.submit(group_of(["x"]))
        assert isinstance(future, Future)
        assert not future.cancel()
        assert future.result(timeout=30).records[0][0].value == 1.0
        assert future.result().values() == [(1.0,)]


def test_no_samples_and_no_rewards(plugins, make, group_of):
    with Engine({"a": make("length_of_text")}, plugins=plugins) as engine:
        assert list(engine.score([group_of([])])[0].records) == []
        assert engine.score([]) == []
    with Engine({}) as engine:
        assert list(engine.score([group_of(["x", "y"])])[0].records) == [(), ()]
        assert engine.score([group_of(["x"])])[0].values() == [()]


def test_works_without_start(plugins, make, group_of):
    engine = Engine({"a": make("prepared"), "b": make("prepared", isolation="inline")}, plugins=plugins)
    assert engine.score([group_of(["x"])])[0].values() == [(1.0, 1.0)]
    engine.close()


def test_several_threads_submit(plugins, make, group_of):
    results: list[bool] = []
    with Engine({"a": make("length_of_text")}, plugins=plugins, workers=2) as engine:

        def work(name: str) -> None:
            groups = [group_of(["x" * (i + j) for j in range(4)], f"{name}{i}") for i in range(20)]
            scored = engine.score(groups)
            results.append(all(s.values() == [(float(i + j),) for j in range(4)] for i, s in enumerate(scored)))

        threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert results == [True] * 3


def test_a_closed_engine_says_so(plugins, make, group_of):
    engine = Engine({"a": make("length_of_text")}, plugins=plugins)
    engine.start()
    engine.close()
    engine.close()
    with pytest.raises(ScoringError, match="the engine is closed; make a new one"):
        engine.submit(group_of(["x"]))
    with pytest.raises(ScoringError, match="closed"):
        engine.score([group_of(["x"])])


def test_close_settles_what_is_open_as_infrastructure(plugins, make, group_of):
    engine = Engine({"a": make("obedient", timeout_s=60), "b": make("length_of_text")}, plugins=plugins, workers=1)
    engine.start()
    future = engine.submit(group_of(["float", "hang", "float"]))
    never = engine.submit(group_of(["float"], "h"))
    while not future.running() and not future.done():
        threading.Event().wait(0.01)
        break
    engine.close()
    for scored in (future.result(timeout=10), never.result(timeout=10)):
        for row in scored.records:
            for record in row:
                if record.status != Status.OK:
                    assert record.status == Status.ERROR
                    assert record.cause == "infrastructure"
                    assert record.masks
                    assert "closed before the sample was scored" in record.reason
                    assert record.value is None
    assert future.result().records[1][0].masks


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"isolation": "inline"}, "rewards.r.isolation: inline needs a class that declares `bounded = True`"),
        ({"limits": {"concurrency": 2}}, "rewards.r.limits: only an async reward has them"),
    ],
)
def test_what_cannot_run_is_refused_with_the_remedy(make, fields, message):
    with pytest.raises(ConfigError, match=message):
        Engine({"r": make("busy", **fields)})


def test_more_refusals(make):
    with pytest.raises(ConfigError, match="workers must be at least 1; found 0"):
        Engine({}, workers=0)

    class AsyncInline(Reward):
        name = "async_inline"
        bounded = True

        async def score(self, sample):
            return 1.0

    with pytest.raises(ConfigError, match="an async reward runs in a worker"):
        Engine({"r": AsyncInline(isolation="inline")})

    class Bottomless(Reward):
        name = "bottomless"
        value_range = (float("-inf"), 0.0)

        def score(self, sample):
            return 0.0

    with pytest.raises(ConfigError, match=r"rewards.r: its range is \[-inf, 0.0\]"):
        Engine({"r": Bottomless()})
    Engine({"r": Bottomless(missing="mask_sample")}).close()


@pytest.mark.parametrize("isolation", ["inline", "process"])
def test_the_policies(plugins, make, group_of, column, isolation):
    group = group_of(["float", "raise", "none"])
    rewards = {
        "minimum": make("obedient", isolation=isolation),
        "masked": make("obedient", isolation=isolation, missing="mask_sample"),
        "constant": make("obedient", isolation=isolation, missing=Constant(constant=-3.0)),
    }
    with Engine(rewards, plugins=plugins) as engine:
        [scored] = engine.score([group])
    for name, value, masks in (("minimum", 0.0, False), ("masked", None, True), ("constant", -3.0, False)):
        records = column(scored, name)
        assert [(r.value, r.masks) for r in records] == [(0.5, False), (value, masks), (value, masks)]
        assert [r.status for r in records] == ["ok", "error", "error"]
        assert [r.cause for r in records] == ["", "completion", "completion"]


@pytest.mark.parametrize("isolation", ["inline", "process"])
def test_fail_stops_with_component_sample_and_reason(plugins, make, group_of, isolation):
    rewards = {"strict": make("obedient", isolation=isolation, missing="fail")}
    with Engine(rewards, plugins=plugins) as engine:
        future = engine.submit(group_of(["float", "raise"]))
        with pytest.raises(ScoringError, match="component 'strict' failed on sample 'g/1': ValueError: first line"):
            future.result()
        with pytest.raises(ScoringError, match="missing: fail"):
            engine.score([group_of(["float"]), group_of(["nan"])])
        assert engine.score([group_of(["float"])])[0].values() == [(0.5,)]


def test_an_inline_fault_is_tried_once_more(make, group_of, tmp_path):
    with Engine({"r": make("obedient", isolation="inline")}) as engine:
        [scored] = engine.score([group_of(["raise", "nan", "unavailable", "sys.exit"])])
        assert engine.counters.retries == 3
    assert [row[0].cause for row in scored.records] == ["completion", "completion", "infrastructure", "completion"]
    assert "(again on a second call)" in scored.records[0][0].reason
    assert scored.records[2][0].masks
    assert scored.records[2][0].value is None


def test_ctrl_c_in_an_inline_reward_stops_the_run(make, group_of):
    with Engine({"r": make("obedient", isolation="inline")}) as engine, pytest.raises(KeyboardInterrupt):
        engine.score([group_of(["interrupt"])])


def test_observers_see_each_group_and_break_nothing(plugins, make, group_of, caplog):
    seen: list[str] = []

    class Observer:
        @hookimpl
        def group_scored(self, scored):
            seen.append(scored.group.id)
            if scored.group.id == "g1":
                raise RuntimeError("observer down")

    groups = [group_of(["x"], f"g{i}") for i in range(3)]
    for rewards in ({"a": make("length_of_text")}, {"a": make("length_of_text", isolation="inline")}):
        seen.clear()
        with caplog.at_level(logging.ERROR), Engine(rewards, plugins=plugins_with(Observer(), plugins)) as engine:
            assert len(engine.score(groups)) == 3
            assert sorted(seen) == ["g0", "g1", "g2"]
        assert "an observer of group 'g1' failed; scoring goes on" in caplog.text
    seen.clear()
    with Engine({"a": make("length_of_text")}, plugins=plugins_with(Observer(), plugins), observers=False) as engine:
        engine.score(groups)
    assert seen == []


def test_a_scored_group_pickles_and_compares(plugins, make, group_of):
    with Engine({"a": make("obedient"), "b": make("length_of_text")}, plugins=plugins) as engine:
        [scored] = engine.score([group_of(["score", "abstain", "raise"])])
    again = pickle.loads(pickle.dumps(scored))
    assert again.records == scored.records
    assert list(again.records) == list(scored.records)
    assert again.records == tuple(scored.records)
    assert again.components == scored.components
    assert again.values() == scored.values()


def test_the_sample_arrives_whole(plugins, make, column):
    from guerdon import LazyImage, Sample

    samples = [
        Sample(
            f"g/{i}",
            f"text {i} \ud800 é 漢",
            [{"role": "user", "content": [{"type": "text", "text": "?"}]}],
            {"type": "choice", "answer": "B"},
            [1, 150_000, 2**31 - 1] if i else [],
            3 if not i else None,
            bool(i),
            (LazyImage("a.png"), LazyImage("b.png")),
            {"image_width": 448},
            "g",
            i,
            7,
        )
        for i in range(2)
    ]
    with Engine({"sees": make("sees")}, plugins=plugins) as engine:
        [scored] = engine.score([Group("g", samples)])
    for sample, record in zip(samples, column(scored, "sees"), strict=True):
        assert record.status == Status.OK, record.reason
        assert record.evidence == {
            "id": sample.id,
            "completion": sample.completion.replace("\ud800", "\ufffd"),
            "prompt": list(sample.prompt),
            "reference": dict(sample.reference),
            "tokens": list(sample.completion_tokens),
            "count": 3,
            "truncated": sample.truncated,
            "images": ["a.png", "b.png"],
            "metadata": {"image_width": 448},
            "group": "g",
            "index": sample.index,
            "step": 7,
        }


def test_what_rewards_print_stays_out_of_the_output(plugins, make, group_of, capfd):
    with Engine({"r": make("obedient")}, plugins=plugins) as engine:
        engine.score([group_of(["print"])])
    out, err = capfd.readouterr()
    assert out == ""
    assert "printed by a reward" in err
    assert "written to descriptor 1" in err


def test_an_abandoned_engine_ends_its_workers(plugins, make, group_of):
    import gc
    import os
    import time

    engine = Engine({"p": make("process")}, plugins=plugins)
    pid = int(engine.score([group_of(["x"])])[0].records[0][0].value)
    thread = engine._dispatcher._thread
    del engine
    gc.collect()
    thread.join(10)
    assert not thread.is_alive()
    for _ in range(500):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.01)
    else:
        pytest.fail("the worker still runs")


def test_a_broken_dispatcher_settles_everything(plugins, make, group_of, monkeypatch, caplog):
    with Engine({"a": make("length_of_text")}, plugins=plugins) as engine:
        monkeypatch.setattr(engine._dispatcher, "_assign", lambda: SimpleNamespace().missing)
        [scored] = engine.score([group_of(["x"])])
        assert scored.records[0][0].cause == "infrastructure"
        assert "the scoring thread failed: AttributeError" in scored.records[0][0].reason
        with pytest.raises(ScoringError, match="its thread failed"):
            engine.score([group_of(["x"])])
    assert "please report this" in caplog.text


def test_a_forked_process_is_told_to_make_its_own(plugins, make, group_of):
    import os
    import warnings

    with Engine({"a": make("length_of_text")}, plugins=plugins) as engine:
        engine.score([group_of(["x"])])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the fork is the point
            pid = os.fork()
        if pid == 0:
            try:
                engine.score([group_of(["x"])])
            except ScoringError as error:
                engine.close()
                os._exit(7 if "made in another process" in str(error) else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
        assert engine.score([group_of(["xx"])])[0].values() == [(2.0,)]
