"""What was found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from guerdon.review import Estimate

type Status = Literal["ok", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    """``group.check``, such as ``contract.unknown_model``."""
    status: Status
    detail: str
    """What was found, and of a failure what to do."""
    seconds: float = 0.0
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rung:
    """Requests at a given concurrency. Seconds; nearest-rank percentiles over whole answers."""

    concurrency: int
    requests: int
    failed: int
    refused: int
    """Answered 429: the server takes no more at a time."""
    p50_s: float
    p90_s: float
    p99_s: float
    first_p50_s: float
    """To the first text."""
    first_p99_s: float
    tokens_per_s: float
    """Completion tokens of all requests over the rung's wall time."""
    requests_per_s: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The candidate against another model on the same prompts, greedy."""

    model: str
    component: str
    modality: str | None
    """None: all prompts."""
    judged: bool
    """It is the outcome, so that a loss blocks."""
    candidate: Estimate
    other: Estimate
    difference: Estimate
    """Candidate less other."""
    verdict: str


@dataclass(frozen=True, slots=True)
class SmokeReport:
    """All that was found."""

    url: str
    model: str
    bundle: str
    """The candidate's digest; empty if the server names none."""
    checks: Sequence[Check]
    rungs: Sequence[Rung]
    comparisons: Sequence[Comparison]
    answers: Sequence[Mapping[str, Any]]
    """Prompt by prompt: id, modality, the reference's answer, and each model's text and score."""

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return all(check.status != "failed" for check in self.checks)
