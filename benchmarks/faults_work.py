"""Rewards that fail where a sample's metadata says so, in the way that it says."""

import asyncio
import ctypes
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from guerdon import Abstain, Reward, Sample, Score

VALUE = 0.5
"""What all of them return for a sample that has no fault."""

BIG = "x" * 50_000_000


def _raise() -> Any:
    raise ValueError("a fault of the campaign")


def _hang_in_c() -> Any:
    """Sleep with the GIL held: no Python code of this process runs meanwhile."""
    ctypes.PyDLL(None).usleep(60_000_000)


def _cycle() -> Score:
    evidence: dict[str, Any] = {}
    evidence["self"] = evidence
    return Score(VALUE, "", evidence)


FAULTS: dict[str, Callable[[], Any]] = {
    "raise": _raise,
    "sys.exit": lambda: sys.exit(3),
    "os._exit": lambda: os._exit(3),
    "hang": lambda: time.sleep(60),
    "hang in C": _hang_in_c,
    "segfault": lambda: ctypes.string_at(0),
    "out of memory": lambda: len(bytearray(64 << 30)),
    "NaN": lambda: math.nan,
    "inf": lambda: math.inf,
    "None": lambda: None,
    "bool": lambda: True,
    "string": lambda: "0.5",
    "out of range": lambda: 7.0,
    "unpicklable": threading.Lock,
    "wrong length": lambda: [VALUE, VALUE],
}
"""What becomes an error or, if it hangs, a timeout."""

HARMLESS: dict[str, Callable[[], Any]] = {
    "50 MB evidence": lambda: Score(VALUE, "", {"x": BIG}),
    "cycle in evidence": _cycle,
    "lone surrogate": lambda: Score(VALUE, "\ud800", {"\ud800": "\udfff"}),
    "printing": lambda: sys.stdout.write("\r") * 0.0 + VALUE,
}
"""What must leave the value as it is."""

HANGS = ("hang", "hang in C", "wait")


def verdict(sample: Sample, component: str) -> Any:
    """Return what the component has for a sample."""
    kind = sample.metadata["faults"].get(component)
    return VALUE if kind is None else (FAULTS | HARMLESS)[kind]()


class Alone(Reward):
    """Scores sample by sample."""

    name: ClassVar[str] = "alone"

    def score(self, sample: Sample) -> Any:
        """Return the value, or fail."""
        return verdict(sample, self.name)


class Batch(Reward):
    """Scores all samples at once."""

    name: ClassVar[str] = "batch"

    def score_batch(self, samples: Sequence[Sample]) -> Any:
        """Return the values; one fault fails the whole call."""
        verdicts = [verdict(sample, self.name) for sample in samples]
        return [v for given in verdicts for v in (given if isinstance(given, list) else [given])]


class Asks(Reward):
    """Waits for something, as a judge does."""

    name: ClassVar[str] = "asks"

    async def score(self, sample: Sample) -> Any:
        """Return the value after 20 ms, or fail."""
        await asyncio.sleep(0.02)
        if sample.metadata["faults"].get(self.name) == "wait":
            await asyncio.sleep(60)
        return verdict(sample, self.name)


class Honest(Reward):
    """Never fails."""

    name: ClassVar[str] = "honest"

    def score(self, sample: Sample) -> float | Abstain:
        """Return a value that tells samples apart."""
        return (sample.index + 1) / 16
