"""What a reward changes of its process, and what it starts there, stays with that reward."""

import sys
import time
from pathlib import Path

import pytest

from guerdon import Status
from guerdon.scoring.engine import Engine


@pytest.mark.parametrize("name", ["obedient", "obedient_async"])
def test_no_other_reward_sees_what_one_changes(plugins, make, group_of, column, capfd, name):
    rewards = {"before": make("surrounded"), "changes": make(name), "after": make("surrounded")}
    texts = ["change everything", "float"] * 2
    with Engine(rewards, plugins=plugins, workers=1) as engine:
        scored = [engine.score([group_of(texts, f"g{i}")])[0] for i in range(2)]
        time.sleep(0.3)  # the timer that was left running is not
        scored += engine.score([group_of(texts, "later")])
        assert engine.counters.replacements == 0
    seen = [
        {**record.evidence, "sigterm": record.reason}
        for each in scored
        for which in ("before", "after")
        for record in column(each, which)
    ]
    assert len(seen) == 24
    assert all(evidence == seen[0] for evidence in seen)
    assert seen[0]["cwd"] == str(Path.cwd())
    assert seen[0]["left"] is None
    assert seen[0]["path"]
    assert seen[0]["timer"] == 0
    assert seen[0]["depth"] == sys.getrecursionlimit()
    assert all(record.status == Status.OK for each in scored for record in column(each, "changes"))
    out, error = capfd.readouterr()
    assert out == ""
    assert error.count("still printing") == error.count("to both") == 24


def test_what_a_reward_starts_ends_with_its_worker(plugins, make, group_of):
    with Engine({"r": make("obedient")}, plugins=plugins, workers=1) as engine:
        first, second = (engine.score([group_of(["leave a child"])])[0].records[0][0] for _ in range(2))
        assert running(first.reason)
        engine.score([group_of(["os._exit"])])
    for record in (first, second):
        assert gone(record.reason)


def running(pid: str) -> bool:
    """The process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pid: str, seconds: float = 20.0) -> bool:
    """Wait until the process is gone."""
    end = time.monotonic() + seconds
    while running(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not running(pid)
