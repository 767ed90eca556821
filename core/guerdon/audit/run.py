"""The audit of a run: all alarms at all looks, and what stands at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from guerdon.audit.alarms import ALARMS, EVENTS
from guerdon.audit.history import History
from guerdon.audit.look import Look, look_points
from guerdon.audit.reading import AlarmName, Reading, State, not_judged
from guerdon.audit.thresholds import DEFAULT, Thresholds

type Verdict = Literal["alarm", "clean", "cannot judge"]

ESSENTIAL: frozenset[AlarmName] = frozenset({"proxy_without_outcome"})
"""Without these there is no verdict."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one alarm says of a run."""

    alarm: AlarmName
    reading: Reading
    """As it stands at the last look that could judge; for an event, as it was when it happened."""

    raised: int | None
    """The step at which it was raised, having been in force ever since."""

    first_raised: int | None
    """The step at which it was first raised, though it may have been withdrawn later."""

    examples: tuple[str, ...] = ()
    """Ids of samples that show it, as ``step <step>: <sample id>``."""

    @property
    def state(self) -> State:
        """Return the state."""
        return self.reading.state


@dataclass(frozen=True, slots=True)
class Audit:
    """All alarms of a run."""

    run: str
    steps: int
    """Training steps looked at."""

    looks: tuple[int, ...]
    """The steps of all looks."""

    findings: tuple[Finding, ...]

    @property
    def alarms(self) -> tuple[Finding, ...]:
        """Return the alarms in force."""
        return tuple(one for one in self.findings if one.state == "alarm")

    @property
    def verdict(self) -> Verdict:
        """Return ``alarm`` if any is in force, ``cannot judge`` if an essential one could not be judged."""
        if self.alarms:
            return "alarm"
        blocked = any(one.state == "not judged" and one.alarm in ESSENTIAL for one in self.findings)
        return "cannot judge" if blocked else "clean"


def audit(history: History, thresholds: Thresholds = DEFAULT) -> Audit:
    """Look at a run as it grew: the same looks that an observer takes while it trains."""
    points = list(look_points(len(history.steps), thresholds))
    if not points:
        reason = f"{len(history.steps)} training steps; the audit looks from {thresholds.first_look} on"
        blocked = tuple(Finding(name, not_judged(reason), None, None) for name in ALARMS)
        return Audit(history.run, len(history.steps), (), blocked)
    looks = [Look(history.until(point), number, thresholds) for number, point in enumerate(points, 1)]
    steps = tuple(look.step(-1) for look in looks)
    readings = {name: [alarm(look) for look in looks] for name, alarm in ALARMS.items()}
    findings = tuple(_finding(name, steps, found) for name, found in readings.items())
    return Audit(history.run, len(history.steps), steps, findings)


def _finding(name: AlarmName, steps: tuple[int, ...], readings: list[Reading]) -> Finding:
    fired = [reading.state == "alarm" for reading in readings]
    if name in EVENTS:
        at = fired.index(True) if any(fired) else None
        step = None if at is None else steps[at]
        return Finding(name, readings[-1 if at is None else at], step, step)
    force = in_force(readings)
    first = steps[force.index(True)] if any(force) else None
    if not force[-1]:
        return Finding(name, _withdrawn(readings[-1]), None, first)
    begin = len(force) - 1
    while begin and force[begin - 1]:
        begin -= 1
    last = max(place for place, hit in enumerate(fired) if hit)
    return Finding(name, readings[last], steps[begin], first)


def in_force(readings: Sequence[Reading]) -> list[bool]:
    """Raise at the second of two looks running that see something, withdraw at the second that sees it gone.

    A look that cannot judge changes nothing, nor does one at which what was seen is merely still there.
    """
    force, before, raised = [], "quiet", False
    for one in readings:
        if one.state == "alarm":
            raised = raised or one.held_out or before == "alarm"
            before = "alarm"
        elif one.state == "quiet" and not (one.keeps and raised):
            raised = raised and before == "alarm"
            before = "quiet"
        force.append(raised)
    return force


def _withdrawn(reading: Reading) -> Reading:
    """Raise no alarm at the first look that sees something: the next one must agree."""
    if reading.state != "alarm":
        return reading
    return replace(reading, state="quiet", text=f"seen at the last look alone, so not yet an alarm: {reading.text}")


def facts(found: Audit) -> Mapping[str, object]:
    """Return an audit as JSON holds it."""
    return {
        "run": found.run,
        "steps": found.steps,
        "looks": list(found.looks),
        "verdict": found.verdict,
        "alarms": [
            {
                "alarm": one.alarm,
                "state": one.state,
                "text": one.reading.text,
                "component": one.reading.component,
                "onset": one.reading.onset,
                "raised": one.raised,
                "first_raised": one.first_raised,
                "evidence": {name: _finite(value) for name, value in one.reading.evidence.items()},
                "examples": list(one.examples),
            }
            for one in found.findings
        ],
    }


def _finite(value: float) -> float | None:
    return float(value) if abs(value) < float("inf") else None
