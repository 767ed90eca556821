"""What an alarm says at one look."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

type AlarmName = Literal[
    "proxy_without_outcome", "over_optimisation", "kl", "length", "correlation", "failures", "blind"
]

type State = Literal["alarm", "quiet", "not judged"]


@dataclass(frozen=True, slots=True)
class Reading:
    """An alarm's state at one look, with its reason in plain words."""

    state: State
    text: str
    """What was found; for ``not judged``, why not and what to do."""

    component: str | None = None
    """The component that it is about."""

    onset: int | None = None
    """The step from which on, as far as can be said."""

    evidence: Mapping[str, float] = field(default_factory=dict)

    keeps: bool = False
    """Whether a quiet look leaves an alarm in force: what was seen no longer moves, but is still there."""

    held_out: bool = False
    """Whether it rests on held-out evaluations. These are few, so one look is enough for an alarm."""


def quiet(text: str, evidence: Mapping[str, float] | None = None, *, keeps: bool = False) -> Reading:
    """Say that there is no alarm."""
    return Reading("quiet", text, evidence=evidence or {}, keeps=keeps)


def not_judged(reason: str) -> Reading:
    """Say why nothing can be said."""
    return Reading("not judged", reason)


NO_OUTCOME = not_judged("no outcome with bounds is declared; name one with `outcome:` in the configuration")
