"""Three rewards of the quickstart that fail in a share of their scorings, each time in another way.

A plugin file: named under ``plugins:`` by the fault campaign. What happens to a sample is decided by its step, its
id and the component alone, so that the campaign can tell afterwards what each record has to say.
"""

import asyncio
import ctypes
import hashlib
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from guerdon import Abstain, Reward, Sample, Score, UnavailableError, hookimpl
from guerdon_plugins.correctness import Correctness
from guerdon_plugins.format import Format
from guerdon_plugins.length import Length

HANG_S = 60


def _raise(error: Exception) -> Any:
    raise error


def _cycle() -> dict[str, Any]:
    evidence: dict[str, Any] = {}
    evidence["self"] = evidence
    return evidence


def _change() -> None:
    os.chdir("/")
    os.environ.pop("PATH", None)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


FAULTS: dict[str, Callable[[], Any]] = {
    "raise": lambda: _raise(ValueError("a fault of the campaign")),
    "sys.exit": lambda: sys.exit(3),
    "os._exit": lambda: os._exit(3),
    "hang": lambda: time.sleep(HANG_S),
    "hang in C": lambda: ctypes.PyDLL(None).usleep(HANG_S * 1_000_000),  # with the GIL held
    "segfault": lambda: ctypes.string_at(0),
    "killed from outside": lambda: os.kill(os.getpid(), signal.SIGKILL) or time.sleep(HANG_S),
    "out of memory": lambda: len(bytearray(64 << 40)),
    "deep recursion": lambda: (f := lambda: f() + 1)(),
    "NaN": lambda: math.nan,
    "inf": lambda: math.inf,
    "None": lambda: None,
    "wrong type": lambda: "0.5",
    "wrong length": lambda: [0.0, 0.0],
    "out of range": lambda: 7.0,
    "unpicklable": threading.Lock,
    "unavailable": lambda: _raise(UnavailableError("the judge answered 503")),
}
"""What becomes an error or, if it hangs, a timeout."""

HANGS = frozenset({"hang", "hang in C"})
MASKS = frozenset({"unavailable"})
"""Of the infrastructure: the sample takes no part in the step."""

DISTURBANCES: dict[str, Callable[[], Any]] = {
    "50 MB evidence": lambda: {"x": "x" * 50_000_000},
    "cycle in evidence": _cycle,
    "lone surrogate": lambda: {"\ud800": "\udfff"},
    "prints 2 MB": lambda: sys.stdout.write(" " * 2_000_000 + "\r") and None,
    "closes stdout": lambda: sys.stdout.close(),  # noqa: PLW0108  # the one of that moment
    "changes folder, environment and signals": _change,
    "leaves a thread": lambda: threading.Thread(target=time.sleep, args=(HANG_S,), daemon=True).start(),
    "leaves a child": lambda: subprocess.Popen(["sleep", str(HANG_S)], start_new_session=True) and None,
}
"""What must leave the value as it is; a mapping that comes back becomes the evidence."""

KINDS = (*FAULTS, *DISTURBANCES)


class Injector(BaseModel):
    """What of a reward's scorings fails."""

    share: float = Field(0.05, ge=0, le=1)
    """Of the scorings in every second step; in the others nothing fails."""

    def fault(self, component: str, sample: Sample) -> str | None:
        """Name what befalls a sample, or None."""
        step = sample.step or 0
        if step % 2:
            return None
        digest = hashlib.sha256(f"{component}/{step}/{sample.id}".encode()).digest()
        if int.from_bytes(digest[:4], "big") >= self.share * 2**32:
            return None
        return KINDS[int.from_bytes(digest[4:8], "big") % len(KINDS)]

    def befall(self, component: str, sample: Sample, score: Callable[[Sample], Any]) -> Any:
        """Fail, or score under a disturbance, or score."""
        kind = self.fault(component, sample)
        if kind in FAULTS:
            return FAULTS[kind]()
        evidence = DISTURBANCES[kind]() if kind else None
        verdict = score(sample)
        return replace(verdict, evidence=evidence) if evidence and isinstance(verdict, Score) else verdict


class FaultyCorrectness(Injector, Correctness):
    """Scores sample by sample."""

    name: ClassVar[str] = "faulty_correctness"

    def score(self, sample: Sample) -> Score | Abstain:
        """Score, or fail."""
        return self.befall(self.name, sample, super().score)


class FaultyFormat(Injector, Format):
    """Scores all samples of a group at once: one fault fails the whole call."""

    name: ClassVar[str] = "faulty_format"

    def score_batch(self, samples: Sequence[Sample]) -> list[Any]:
        """Score, or fail."""
        verdicts = [self.befall(self.name, sample, super(FaultyFormat, self).score) for sample in samples]
        return [one for verdict in verdicts for one in (verdict if isinstance(verdict, list) else [verdict])]


class FaultyLength(Injector, Length):
    """Waits a little, as a judge does."""

    name: ClassVar[str] = "faulty_length"

    async def score(self, sample: Sample) -> Any:  # type: ignore[override]  # a coroutine of the same
        """Score after 5 ms, or fail."""
        await asyncio.sleep(0.005)
        return self.befall(self.name, sample, super().score)


@hookimpl
def register_rewards(register: Callable[[type[Reward]], None]) -> None:
    """Register all three."""
    for reward in (FaultyCorrectness, FaultyFormat, FaultyLength):
        register(reward)
