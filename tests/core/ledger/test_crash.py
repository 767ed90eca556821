"""A writer that is killed at any moment leaves whole steps, and the run can go on."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from guerdon.ledger import Ledger, equal, last_attempt, verify

STEPS = 12
SCRIPT = """
import importlib.util, sys
from pathlib import Path
from guerdon.ledger import Ledger, LedgerWriter, last_attempt

spec = importlib.util.spec_from_file_location("ledger_conftest", sys.argv[1])
helpers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(helpers)
folder, steps = Path(sys.argv[2]), int(sys.argv[3])
attempt = last_attempt(folder) + 1
out = LedgerWriter(folder, run="demo", attempt=attempt, sources=helpers.SOURCES)
done = {part.step for part in Ledger(folder).parts()}
begin = max(1, max(done, default=0) - 1)
print("ready", flush=True)
for step in range(begin, steps + 1):
    out.write_batch(helpers.make_batch(step))
    out.write_step(step, {"loss": 1 / step})
out.close()
print("done", flush=True)
"""


def start(folder):
    helpers = Path(__file__).with_name("conftest.py")
    command = [sys.executable, "-c", SCRIPT, str(helpers), str(folder), str(STEPS)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def run_to_end(folder):
    with start(folder) as process:
        assert process.stdout.read().split() == ["ready", "done"]
    assert process.returncode == 0


def files(folder):
    return len(list(folder.glob("*/*")))


def wait_for_files(folder, count, process):
    """Wait until the writer has made so many files, half-written ones included, or is done."""
    deadline = time.monotonic() + 60
    while files(folder) < count and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.001)


@pytest.mark.slow
def test_kill_at_random_moments_then_resume(tmp_path):
    """Each attempt goes back one step, as a resume from a checkpoint does."""
    rng = random.Random(4)
    killed = tmp_path / "killed"
    for _ in range(3):
        with start(killed) as process:
            wait_for_files(killed, files(killed) + rng.randint(1, 7), process)
            time.sleep(rng.random() * 0.02)
            process.send_signal(signal.SIGKILL)
        ledger = Ledger(killed)
        assert verify(ledger, groups=3, group_size=4) == []
        present = [part.step for part in ledger.parts()]
        assert present == list(range(1, len(present) + 1))
    run_to_end(killed)
    run_to_end(tmp_path / "whole")
    assert last_attempt(killed) > 1
    assert not list(killed.glob("*/*.tmp"))
    assert verify(Ledger(killed), steps=range(1, STEPS + 1), groups=3, group_size=4) == []
    assert equal(Ledger(killed), Ledger(tmp_path / "whole")) is None
