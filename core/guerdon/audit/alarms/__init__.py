"""The seven alarms. Each is a pure function of one look at a run."""

from collections.abc import Callable, Mapping

from guerdon.audit.alarms.blind import blind
from guerdon.audit.alarms.correlation import correlation
from guerdon.audit.alarms.failures import failures
from guerdon.audit.alarms.kl import kl
from guerdon.audit.alarms.length import length
from guerdon.audit.alarms.over import over_optimisation
from guerdon.audit.alarms.proxy import proxy_without_outcome
from guerdon.audit.look import Look
from guerdon.audit.reading import AlarmName, Reading

ALARMS: Mapping[AlarmName, Callable[[Look], Reading]] = {
    "proxy_without_outcome": proxy_without_outcome,
    "over_optimisation": over_optimisation,
    "kl": kl,
    "length": length,
    "correlation": correlation,
    "failures": failures,
    "blind": blind,
}

EVENTS: frozenset[AlarmName] = frozenset({"kl", "failures"})
"""Alarms about what happened: once is enough. The others are about how the run stands, and are
raised when two looks running agree, and withdrawn when a later one does not."""

__all__ = ["ALARMS", "EVENTS"]
