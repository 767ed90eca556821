"""Rewards that do what the completion says: the plugin file of these tests."""

import asyncio
import ctypes
import decimal
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from guerdon import Abstain, Reward, Sample, Score, UnavailableError, hookimpl


class Unpicklable:
    def __init__(self) -> None:
        self.lock = threading.Lock()

    def __repr__(self) -> str:
        raise RuntimeError("no repr either")


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no message")


def _raise(exception: BaseException) -> Any:
    raise exception


_sleep = time.sleep


def _hang_in_c() -> Any:
    """Sleep with the GIL held: no Python code of this process runs meanwhile."""
    ctypes.PyDLL(None).usleep(30_000_000)


def _fork() -> Any:
    """Leave a child behind that goes on as if it were the worker."""
    if os.fork() == 0:
        return 0.25
    time.sleep(0.05)
    return 0.5


def _cycle() -> Score:
    evidence: dict[str, Any] = {"a": 1}
    evidence["self"] = evidence
    return Score(0.5, "", evidence)


def _deep() -> Score:
    evidence: dict[str, Any] = {}
    for _ in range(100_000):
        evidence = {"x": evidence}
    return Score(0.5, "", evidence)


def _print() -> float:
    sys.stdout.write("printed by a reward " * 10_000)
    os.write(1, b"written to descriptor 1\n")
    return 0.5


def _leave_a_child() -> Score:
    """Start a process in a session of its own, which lives on."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    return Score(0.5, str(child.pid))


def _change_everything() -> float:
    """Leave all that rewards share other than it was."""
    os.chdir("/")
    os.environ |= {"LEFT_BEHIND": "1", "PATH": "/nowhere"}
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    sys.setrecursionlimit(50_000)
    sys.stdout.close()
    sys.stderr = None  # type: ignore[assignment]
    return 0.5


ACTIONS: dict[str, Callable[[], Any]] = {
    "raise": lambda: _raise(ValueError("first line\nsecond line")),
    "bad message": lambda: _raise(UnprintableError()),
    "interrupt": lambda: _raise(KeyboardInterrupt()),
    "cancel": lambda: _raise(asyncio.CancelledError()),
    "sys.exit": lambda: sys.exit(3),
    "os._exit": lambda: os._exit(3),
    "exit 0": lambda: os._exit(0),
    "hang": lambda: time.sleep(30),
    "hang in c": _hang_in_c,
    "segfault": lambda: ctypes.string_at(0),
    "memory": lambda: len(bytearray(8 << 30)),
    "recursion": lambda: (f := lambda: f() + 1)(),
    "unavailable": lambda: _raise(UnavailableError("the judge answered 503")),
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "numpy nan": lambda: np.float32("nan"),
    "none": lambda: None,
    "bool": lambda: True,
    "numpy bool": lambda: np.bool_(True),
    "string": lambda: "1.0",
    "array": lambda: np.ones(1),
    "decimal": lambda: decimal.Decimal("0.5"),
    "huge integer": lambda: 10**400,
    "low": lambda: -0.5,
    "high": lambda: 1.5,
    "score of none": lambda: Score(None),  # type: ignore[arg-type]
    "score of nan": lambda: Score(math.nan, "nan"),
    "evidence is a list": lambda: Score(0.5, "", [1]),  # type: ignore[arg-type]
    "unpicklable": Unpicklable,
    "float": lambda: 0.5,
    "integer": lambda: 1,
    "numpy float": lambda: np.float32(0.5),
    "rounding": lambda: 1.0 + 1e-12,
    "score": lambda: Score(0.5, "half", {"box": (1, 2)}, {"iou": 0.5}),
    "big evidence": lambda: Score(0.5, "big", {"x": "x" * 50_000_000}),
    "unpicklable evidence": lambda: Score(0.5, "lock", {"lock": Unpicklable()}),
    "nan evidence": lambda: Score(0.5, "", {"iou": math.nan, "n": np.float64("inf"), "a": np.arange(3)}),
    "surrogate": lambda: Score(0.5, "a\ud800b", {"k\ud800": "v\udfff"}, {"m\ud800": 1.0}),
    "cycle": _cycle,
    "deep": _deep,
    "long reason": lambda: Score(0.5, "r" * 1_000_000),
    "bad metrics": lambda: Score(0.5, "", {}, {"nan": math.nan, "text": "x", "fine": 1, "inf": math.inf}),  # type: ignore[dict-item]
    "print": _print,
    "fork": _fork,
    "thread": lambda: threading.Thread(target=time.sleep, args=(30,), daemon=True).start() or 0.5,
    "change everything": _change_everything,
    "leave a child": _leave_a_child,
    "kill itself": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "close descriptors": lambda: os.closerange(0, 1000),
    "abstain": lambda: Abstain("no reference"),
}


class Obedient(Reward):
    """Does what the completion says."""

    name: ClassVar[str] = "obedient"
    bounded: ClassVar[bool] = True

    def score(self, sample: Sample) -> Any:
        return ACTIONS[sample.completion]()


class ObedientBatch(Reward):
    """The same for all samples at once; the first fault ends the call."""

    name: ClassVar[str] = "obedient_batch"

    def score_batch(self, samples: Sequence[Sample]) -> Any:
        if samples[0].completion == "short":
            return [0.5] * (len(samples) - 1)
        if samples[0].completion == "set":
            return {0.5}
        if samples[0].completion == "generator":
            return (0.5 for _ in samples)
        if samples[0].completion == "array of all":
            return np.full(len(samples), 0.5, dtype=np.float32)
        return [ACTIONS[sample.completion]() for sample in samples]


class ObedientGroup(Reward):
    """Judges a group."""

    name: ClassVar[str] = "obedient_group"

    def score_group(self, samples: Sequence[Sample]) -> Any:
        best = max(len(sample.completion) for sample in samples)
        verdicts = [ACTIONS[s.completion]() for s in samples if s.completion in ACTIONS]
        return verdicts or [len(sample.completion) / best for sample in samples]


class ObedientAsync(Reward):
    """Waits a little, then does what the completion says."""

    name: ClassVar[str] = "obedient_async"

    async def score(self, sample: Sample) -> Any:
        await asyncio.sleep(0.01)
        match sample.completion:
            case "wait":
                await asyncio.sleep(30)
            case "deaf":
                await _deaf()
            case "stall":
                _sleep(0.3)
                return 0.5
            case "soon":
                await asyncio.sleep(0.3)
                return 0.5
            case "block in a task":
                await asyncio.create_task(_block())
        return ACTIONS[sample.completion]()


async def _deaf() -> None:
    for _ in range(100):
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            continue


async def _block() -> None:
    _sleep(30)


class AsyncGroup(Reward):
    """Judges a group, later."""

    name: ClassVar[str] = "async_group"

    async def score_group(self, samples: Sequence[Sample]) -> Any:
        await asyncio.sleep(0.01)
        return [index / len(samples) for index, _ in enumerate(samples)]


class Length(Reward):
    """Length of the completion: honest work, with evidence."""

    name: ClassVar[str] = "length_of_text"
    bounded: ClassVar[bool] = True
    value_range: ClassVar[tuple[float, float]] = (0.0, 1e9)

    scale: float = 1.0

    def score(self, sample: Sample) -> Score:
        return Score(len(sample.completion) * self.scale, sample.id, {"tokens": sample.tokens})


class Flaky(Reward):
    """Fails once for each completion, as the file says; then it works."""

    name: ClassVar[str] = "flaky"

    folder: Path
    fault: str = "raise"

    def score(self, sample: Sample) -> Any:
        marker = self.folder / sample.completion
        if not marker.exists():
            marker.touch()
            return ACTIONS[self.fault]()
        return 0.75


class Sees(Reward):
    """Returns in evidence what it sees of a sample."""

    name: ClassVar[str] = "sees"

    def score(self, sample: Sample) -> Score:
        return Score(
            1.0,
            "",
            {
                "id": sample.id,
                "completion": sample.completion,
                "prompt": list(sample.prompt),
                "reference": dict(sample.reference),
                "tokens": list(sample.completion_tokens),
                "count": sample.tokens,
                "truncated": sample.truncated,
                "images": [image.source for image in sample.images],
                "metadata": dict(sample.metadata),
                "group": sample.group_id,
                "index": sample.index,
                "step": sample.step,
            },
        )


class Process(Reward):
    """Tells which process scores, and how often it has."""

    name: ClassVar[str] = "process"
    value_range: ClassVar[tuple[float, float]] = (0, math.inf)
    calls: ClassVar[int] = 0

    def score(self, sample: Sample) -> Score:
        Process.calls += 1
        return Score(
            os.getpid(), "", {"calls": Process.calls, "cwd": str(Path.cwd()), "threads": os.environ["OMP_NUM_THREADS"]}
        )


class Surrounded(Reward):
    """Tells what a reward sees of its process."""

    name: ClassVar[str] = "surrounded"

    def score(self, sample: Sample) -> Score:
        print("still printing")  # noqa: T201  # the point
        sys.stderr.write("to both\n")
        seen = {"cwd": str(Path.cwd()), "left": os.environ.get("LEFT_BEHIND"), "path": os.environ.get("PATH")}
        timer, depth = signal.getitimer(signal.ITIMER_REAL)[0], sys.getrecursionlimit()
        return Score(1.0, str(signal.getsignal(signal.SIGTERM)), {**seen, "timer": timer, "depth": depth})


class Unloadable(Reward):
    """Does not unpickle in a worker."""

    name: ClassVar[str] = "unloadable"

    how: str = "raise"

    def prepare(self) -> None:
        ACTIONS[self.how]()

    def score(self, sample: Sample) -> float:
        return 1.0


class Prepared(Reward):
    """Needs `prepare`."""

    name: ClassVar[str] = "prepared"
    bounded: ClassVar[bool] = True
    ready: ClassVar[bool] = False

    threads: bool = False

    def prepare(self) -> None:
        Prepared.ready = True
        if self.threads:
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()

    def score(self, sample: Sample) -> float:
        return float(Prepared.ready)


class Busy(Reward):
    """Computes for about `ms` milliseconds."""

    name: ClassVar[str] = "busy"

    ms: float = Field(1.0, ge=0)

    def score(self, sample: Sample) -> float:
        end = time.perf_counter() + self.ms / 1000
        while time.perf_counter() < end:
            pass
        return 1.0


class Service(Reward):
    """Counts how many calls run at once, and fails as often as it is told."""

    name: ClassVar[str] = "service"
    value_range: ClassVar[tuple[float, float]] = (0, math.inf)
    now: ClassVar[int] = 0
    attempts: ClassVar[dict[str, int]] = {}

    failures: int = 0

    async def score(self, sample: Sample) -> Score:
        Service.now += 1
        Service.attempts[sample.id] = Service.attempts.get(sample.id, 0) + 1
        at_once = Service.now
        try:
            await asyncio.sleep(0.01)
            if Service.attempts[sample.id] <= self.failures:
                raise UnavailableError("429")
        finally:
            Service.now -= 1
        evidence = {"attempts": Service.attempts[sample.id], "at": time.monotonic()}
        return Score(at_once, "", evidence, {"tokens": 100})


@hookimpl
def register_rewards(register: Callable[[type[Reward]], None]) -> None:
    for reward in (
        Obedient,
        ObedientBatch,
        ObedientGroup,
        ObedientAsync,
        AsyncGroup,
        Length,
        Flaky,
        Sees,
        Process,
        Surrounded,
        Unloadable,
        Prepared,
        Busy,
        Service,
    ):
        register(reward)
