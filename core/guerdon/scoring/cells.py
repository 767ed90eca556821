"""What one call of a reward came to: a checked value, an abstention or a fault.

Cells are plain, small and picklable whatever the reward returned; they travel between processes.
"""

import math
import sys
from collections.abc import Iterable, Mapping
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple

from guerdon.errors import UnavailableError
from guerdon.reward import Reward
from guerdon.score import Abstain, Score, Status
from guerdon.scoring.text import MAX_REASON, clean_metrics, clean_text, dump_evidence

_ROUNDING = 1e-9
"""A value outside the range by no more than this, relative to the range's width, is rounding."""


class Scored(NamedTuple):
    """A score that carries more than its value."""

    value: float
    reason: str
    evidence: str
    """JSON, or empty."""
    metrics: dict[str, float]


class Abstained(NamedTuple):
    """The reward says that it does not apply."""

    reason: str


class Fault(NamedTuple):
    """The call failed."""

    status: Status
    kind: str
    """What faults are compared by: an exception's name, ``exit``, a signal's name, ``timeout`` ..."""
    reason: str
    infrastructure: bool = False
    """The completion is known not to be the cause."""


type Cell = float | Scored | Abstained | Fault
"""A bare float is a valid score without reason or evidence: the common, fast case."""


NO_METRICS: dict[str, float] = {}
"""Shared by all scores without metrics. Never written to."""

_PLAIN = {float, Scored}
_MAPPINGS = (dict, MappingProxyType)


def is_plain(cells: Iterable[Cell]) -> bool:
    """Tell whether all cells are scores: no fault, no abstention."""
    return _PLAIN.issuperset(map(type, cells))


class Bounds(NamedTuple):
    """The values that a reward may return, both ends included and finite."""

    low: float
    high: float


def bounds_of(reward: Reward) -> Bounds:
    """Return the reward's range; an infinite end becomes the largest finite float."""
    low, high = reward.range()
    return Bounds(max(low, -sys.float_info.max), min(high, sys.float_info.max))


def error(kind: str, reason: str) -> Fault:
    """Return a fault of status ``error``."""
    return Fault(Status.ERROR, kind, clean_text(reason))


def timeout_of(seconds: float) -> Fault:
    """Return the fault of a call that gave no verdict in time."""
    return Fault(Status.TIMEOUT, "timeout", f"no verdict within {seconds:g} s")


def error_of(exception: BaseException) -> Fault:
    """Describe what a reward raised, in one line."""
    name = type(exception).__name__
    if isinstance(exception, SystemExit):
        return error("exit", f"the reward called sys.exit({exception.code!r:.80})")
    try:
        text = " ".join(str(exception)[: 2 * MAX_REASON].split())
    except Exception:  # noqa: BLE001  # any __str__ may run here
        text = "(its message cannot be rendered)"
    fault = error(name, f"{name}: {text}" if text else name)
    return fault._replace(infrastructure=isinstance(exception, UnavailableError))


def cell_of(verdict: object, bounds: Bounds) -> Cell:
    """Check one verdict: its type, finiteness, range; and make all of it safe to store."""
    if isinstance(verdict, Score):
        return _scored(verdict, bounds)
    if isinstance(verdict, Abstain):
        return Abstained(clean_text(str(verdict.reason)))
    return _number(verdict, bounds)


def _number(value: object, bounds: Bounds) -> float | Fault:
    if type(value) is float and bounds.low <= value <= bounds.high:
        return value
    if value is None:
        return error("none", "returned None; return Abstain(reason) where the reward does not apply")
    if isinstance(value, bool) or not isinstance(value, Real):
        kind = type(value).__name__
        return error("type", f"returned {kind} {_short(value)}; return a float, Score or Abstain")
    return _in_range(_float(value), bounds)


def _float(value: Real) -> float:
    try:
        return float(value)
    except (OverflowError, ValueError, TypeError):
        return math.inf


def _in_range(number: float, bounds: Bounds) -> float | Fault:
    if bounds.low <= number <= bounds.high:
        return number
    if not math.isfinite(number):
        return error("finite", f"returned {number}; a value must be finite")
    slack = _ROUNDING * (bounds.high - bounds.low)
    if bounds.low - slack <= number <= bounds.high + slack:
        return min(max(number, bounds.low), bounds.high)
    return error("range", f"returned {number!r}, outside its declared range [{bounds.low:g}, {bounds.high:g}]")


def _scored(score: Score, bounds: Bounds) -> Scored | Fault:
    value: Any = score.value
    if type(value) is not float or not bounds.low <= value <= bounds.high:
        value = _number(value, bounds)
        if isinstance(value, Fault):
            return value
    evidence, metrics, reason = score.evidence, score.metrics, score.reason
    if not (_is_mapping(evidence) and _is_mapping(metrics)):
        kinds = f"evidence is {type(evidence).__name__} and whose metrics are {type(metrics).__name__}"
        return error("type", f"returned a Score whose {kinds}; both must be mappings")
    return Scored(
        value,
        clean_text(reason if isinstance(reason, str) else _short(reason)) if reason else "",
        dump_evidence(evidence) if evidence else "",
        clean_metrics(metrics) if metrics else NO_METRICS,
    )


def _is_mapping(value: object) -> bool:
    return type(value) in _MAPPINGS or isinstance(value, Mapping)


def _short(value: Any) -> str:
    """Return a short repr, without rendering anything large."""
    if isinstance(value, str):
        return repr(value[:60])
    if isinstance(value, bool | int | float):
        return f"{value!r:.60}"
    return ""
