"""One stream of metrics, several sinks: names, numbers, and sinks that fail."""

import math

import numpy as np
import pytest

from guerdon_trainer.metrics import NAMES, Metrics, TensorBoard, rename


class Kept:
    def __init__(self, fails_at=None, fails_to_close=False):
        self.steps, self.fails_at, self.fails_to_close, self.closed = {}, fails_at, fails_to_close, False

    def log(self, step, metrics):
        if step == self.fails_at:
            raise OSError("disk full")
        self.steps[step] = dict(metrics)

    def close(self):
        self.closed = True
        if self.fails_to_close:
            raise OSError("disk full")


def test_names():
    logs = dict.fromkeys(NAMES, 1.0) | {
        "timing/step": 2,
        "component/answer/mean": 0.5,
        "eval/greedy/outcome": 0.25,
        "rollout/tokens": 7.0,
        "policy/other": 3.0,
        "trainer/epoch": 1,
    }
    renamed = rename(logs)
    assert set(NAMES.values()) <= renamed.keys()
    assert renamed["time/step"] == 2.0
    assert renamed["component/answer/mean"] == 0.5
    assert renamed["eval/greedy/outcome"] == 0.25
    assert renamed["skyrl/policy/other"] == 3.0
    assert renamed["skyrl/trainer/epoch"] == 1.0
    assert len(renamed) == len(logs)
    assert all(type(value) is float for value in renamed.values())


def test_what_is_no_finite_number_is_left_out():
    logs = {"a": math.nan, "b": math.inf, "c": "text", "d": None, "e": True, "f": [1], "g": np.float32("nan"), "h": 1}
    assert rename(logs) == {"skyrl/h": 1.0}


@pytest.mark.parametrize("number", [np.float32(0.5), np.float64(0.5), np.int64(2), 3])
def test_numbers_of_numpy_are_numbers(number):
    assert rename({"loss": number}) == {"skyrl/loss": float(number)}


def test_a_failing_sink_is_dropped_with_one_report_and_stops_nobody(caplog):
    good, bad, last = Kept(), Kept(fails_at=2), Kept()
    metrics = Metrics([good, bad, last])
    for step in (1, 2, 3):
        metrics.log({"rollout/tokens": float(step)}, step=step, commit=True)
    assert list(good.steps) == list(last.steps) == [1, 2, 3]
    assert list(bad.steps) == [1]
    assert caplog.text.count("metrics sink Kept failed and is left out from now on") == 1
    assert good.steps[3] == {"rollout/tokens": 3.0}


def test_finish_closes_all_even_after_one_failed(caplog):
    sinks = [Kept(fails_to_close=True), Kept()]
    metrics = Metrics(sinks)
    metrics.finish()
    assert [sink.closed for sink in sinks] == [True, True]
    assert "metrics sink Kept failed to close" in caplog.text


def test_an_exception_is_left_to_the_caller():
    assert Metrics([]).log_exception(ValueError("x"), step=3) is None


def read_back(folder) -> dict[str, list[tuple[int, float]]]:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder)).Reload()
    return {name: [(e.step, e.value) for e in events.Scalars(name)] for name in events.Tags()["scalars"]}


def test_tensorboard_reads_back_equal(tmp_path):
    board = TensorBoard(tmp_path)
    for step in range(4):
        board.log(step, {"loss": 0.5 * step, "component/answer/mean": -1.25})
    board.close()
    found = read_back(tmp_path)
    assert found["loss"] == [(0, 0.0), (1, 0.5), (2, 1.0), (3, 1.5)]
    assert found["component/answer/mean"] == [(step, -1.25) for step in range(4)]


@pytest.mark.parametrize(("checkpoint", "kept"), [(2, [0, 1, 2]), (0, [0])])
def test_a_resumed_run_replaces_what_was_logged_after_its_checkpoint(checkpoint, kept, tmp_path):
    killed = TensorBoard(tmp_path / "b")
    for step in range(5):
        killed.log(step, {"loss": float(step)})
    killed.close()
    resumed = TensorBoard(tmp_path / "b", from_step=checkpoint)
    resumed.log(checkpoint + 1, {"loss": -1.0})
    resumed.close()
    assert read_back(tmp_path / "b")["loss"] == [*((step, float(step)) for step in kept), (checkpoint + 1, -1.0)]
