"""The test plugins of framework cases. They live in a module, so that they pickle to workers."""

import builtins
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from guerdon import Reward, Sample, hookimpl

NUMBER = "case_number"
"""Metadata key: the sample's number in the batch."""


class Probe(Reward):
    """What all test plugins share."""

    abstract: ClassVar[bool] = True
    low: float = 0.0
    high: float = 1.0

    def range(self) -> tuple[float, float]:
        return self.low, self.high


class Returns(Probe):
    """Returns a value for each number."""

    name: ClassVar[str] = "probe_returns"
    values: tuple[Any, ...]

    def score(self, sample: Sample) -> Any:
        return decode(self.values[sample.metadata[NUMBER]])


class AsyncReturns(Probe):
    """The same, asynchronously."""

    name: ClassVar[str] = "probe_async_returns"
    values: tuple[Any, ...]

    async def score(self, sample: Sample) -> Any:
        return decode(self.values[sample.metadata[NUMBER]])


class GroupReturns(Probe):
    """Returns its values as they stand, or its own list for each group."""

    name: ClassVar[str] = "probe_group_returns"
    values: tuple[Any, ...]
    group_size: int

    def score_group(self, samples: Sequence[Sample]) -> Any:
        if self.values and all(isinstance(value, list | tuple) for value in self.values):
            own = self.values[samples[0].metadata[NUMBER] // self.group_size]
            return [decode(value) for value in own]
        return [decode(value) for value in self.values]


class Raises(Probe):
    """Raises on some numbers."""

    name: ClassVar[str] = "probe_raises"
    on_index: tuple[int, ...]
    error: str = "ValueError"
    otherwise: Any = 0.0

    def score(self, sample: Sample) -> Any:
        if sample.metadata[NUMBER] in self.on_index:
            raise exception(self.error)
        return decode(self.otherwise)


class GroupRaises(Probe):
    """Raises for a whole group that has one of the numbers."""

    name: ClassVar[str] = "probe_group_raises"
    on_index: tuple[int, ...]
    error: str = "ValueError"
    otherwise: Any = 0.0

    def score_group(self, samples: Sequence[Sample]) -> Any:
        if {sample.metadata[NUMBER] for sample in samples} & set(self.on_index):
            raise exception(self.error)
        return [decode(self.otherwise) for _ in samples]


class Sleeps(Probe):
    """Takes its time."""

    name: ClassVar[str] = "probe_sleeps"
    seconds: float

    def score(self, sample: Sample) -> float:
        time.sleep(self.seconds)
        return 0.0


PROBES: tuple[type[Probe], ...] = (Returns, AsyncReturns, GroupReturns, Raises, GroupRaises, Sleeps)


def exception(name: str) -> BaseException:
    """Make an exception by its name; an unknown name becomes a class of its own."""
    kind = getattr(builtins, name, None)
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        kind = type(name, (Exception,), {})
    return kind("raised by the test plugin")


_CASTS: dict[str, Callable[[str], Any]] = {
    "bool": lambda text: text == "True",
    "int": int,
    "float": float,
    "str": str,
    "complex": complex,
    "numpy": float,
}


def decode(value: Any) -> Any:
    """Turn a value of a case into what the plugin returns."""
    if isinstance(value, list | tuple):
        return [decode(item) for item in value]
    if not isinstance(value, str):
        return value
    if value.lstrip("-") in ("nan", "inf"):
        return float(value)
    kind, colon, text = value.partition(":")
    if kind == "raise":
        raise exception(text)
    if colon and kind.startswith("numpy."):
        return getattr(np, kind.removeprefix("numpy."))(float(text))
    return _CASTS[kind](text) if colon and kind in _CASTS else value


@hookimpl
def register_rewards(register: Callable[[type[Reward]], None]) -> None:
    """Register the test plugins as any third party would."""
    for probe in PROBES:
        register(probe)
