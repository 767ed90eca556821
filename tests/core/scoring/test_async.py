"""Async rewards: together in one process, each call with its own deadline."""

import time

import pytest

from guerdon import Status
from guerdon.reward import Limits
from guerdon.scoring.engine import Engine


def test_calls_run_together(plugins, make, group_of):
    groups = [group_of(["float"] * 8, f"g{i}") for i in range(50)]
    with Engine({"r": make("obedient_async")}, plugins=plugins) as engine:
        before = time.monotonic()
        scored = engine.score(groups)
        took = time.monotonic() - before
    assert all(s.values() == [(0.5,)] * 8 for s in scored)
    assert took < 400 * 0.01  # one after the other


FAULTS = {
    "wait": (Status.TIMEOUT, "no verdict within 1 s"),
    "deaf": (Status.TIMEOUT, "no verdict within 1 s"),
    "hang": (Status.TIMEOUT, "no verdict within 1 s"),
    "block in a task": (Status.TIMEOUT, "no verdict within 1 s"),
    "raise": (Status.ERROR, "ValueError"),
    "cancel": (Status.ERROR, "CancelledError"),
    "sys.exit": (Status.ERROR, "sys.exit(3)"),
    "interrupt": (Status.ERROR, "KeyboardInterrupt"),
    "os._exit": (Status.ERROR, "exit code 3"),
    "segfault": (Status.ERROR, "SIGSEGV"),
    "none": (Status.ERROR, "returned None"),
    "bool": (Status.ERROR, "returned bool"),
    "nan": (Status.ERROR, "finite"),
}


def test_every_fault_gives_its_status_and_harms_no_other(plugins, make, group_of, column):
    completions = [name for pair in zip(FAULTS, ["float"] * len(FAULTS), strict=True) for name in pair]
    rewards = {
        "r": make("obedient_async", timeout_s=1.0),
        "a": make("length_of_text"),
        "g": make("async_group", timeout_s=1.0),
    }
    with Engine(rewards, plugins=plugins) as engine:
        scored, other = engine.score([group_of(completions), group_of(["score"] * 30, "h")])
    for text, record in zip(completions, column(scored, "r"), strict=True):
        status, reason = FAULTS.get(text, (Status.OK, ""))
        assert record.status == status, (text, record)
        assert reason in record.reason
        if status != Status.OK:
            assert record.cause == "completion"
            assert record.value == 0.0
            assert "again" in record.reason
    assert [r.value for r in column(scored, "a")] == [float(len(text)) for text in completions]
    assert [r.value for r in column(scored, "g")] == [i / 26 for i in range(26)]
    assert all(record.status == Status.OK for record in column(other, "r"))


def test_an_unavailable_service_masks_and_is_not_asked_again(plugins, make, group_of):
    with Engine({"r": make("obedient_async")}, plugins=plugins) as engine:
        [[record]] = engine.score([group_of(["unavailable"])])[0].records
        assert engine.counters.retries == 0
    assert (record.status, record.cause, record.value, record.masks) == ("error", "infrastructure", None, True)
    assert record.reason == "UnavailableError: the judge answered 503"


def test_limits_on_concurrency_and_retries(plugins, make, group_of, column):
    limits = Limits(concurrency=3, retries=2, backoff_s=0.01)
    with Engine({"r": make("service", limits=limits, failures=2)}, plugins=plugins) as engine:
        [scored] = engine.score([group_of(["x"] * 12)])
    records = column(scored, "r")
    assert all(record.status == Status.OK for record in records)
    assert max(record.value for record in records) <= 3
    assert [record.evidence["attempts"] for record in records] == [3] * 12


def test_retries_run_out(plugins, make, group_of, column):
    limits = Limits(retries=1, backoff_s=0.01)
    with Engine({"r": make("service", limits=limits, failures=2)}, plugins=plugins) as engine:
        [scored] = engine.score([group_of(["x"])])
    assert column(scored, "r")[0].cause == "infrastructure"
    assert column(scored, "r")[0].masks


@pytest.mark.parametrize("limits", [Limits(requests_per_minute=1200), Limits(tokens_per_minute=120_000, concurrency=1)])
def test_limits_on_the_rate(plugins, make, group_of, column, limits):
    """20 requests a second, or 20 of 100 tokens: 30 calls less a burst of 20 take half a second."""
    with Engine({"r": make("service", limits=limits)}, plugins=plugins) as engine:
        [scored] = engine.score([group_of(["x"] * 30)])
    times = sorted(record.evidence["at"] for record in column(scored, "r"))
    assert times[-1] - times[0] > 0.3


def test_the_deadline_begins_when_a_call_may_start(plugins, make, group_of, column):
    limits = Limits(concurrency=1)
    with Engine({"r": make("service", limits=limits, timeout_s=0.5)}, plugins=plugins) as engine:
        [scored] = engine.score([group_of(["x"] * 80)])
    assert all(record.status == Status.OK for record in column(scored, "r"))


def test_no_call_pays_for_the_loop_that_another_blocks(plugins, make, group_of, column):
    """Four calls block the loop for 0.3 s each, one after the other; the others wait 0.3 s of their 1 s."""
    with Engine({"r": make("obedient_async", timeout_s=1.0)}, plugins=plugins) as engine:
        [scored] = engine.score([group_of(["soon", "stall"] * 4)])
        assert engine.counters.retries == 0
    assert all(record.status == Status.OK for record in column(scored, "r"))
