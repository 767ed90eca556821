"""What a reward gives back, and what becomes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Score:
    """A reward's verdict on one sample."""

    value: float
    """Finite, and within the reward's declared range."""

    reason: str = ""
    """One line for a human reader."""

    evidence: Mapping[str, Any] = field(default=_EMPTY)
    """JSON that shows why: a matched span, two boxes, an IoU."""

    metrics: Mapping[str, float] = field(default=_EMPTY)
    """Further numbers worth a curve, such as a lenient reading. They are never trained on."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle with plain dicts in place of read-only mappings."""
        return Score, (self.value, self.reason, dict(self.evidence), dict(self.metrics))


@dataclass(frozen=True, slots=True)
class Abstain:
    """The reward does not apply to this prompt.

    It may depend on prompt, reference, images and metadata alone, never on the completion: a
    group abstains as one, else one abstention would switch a penalty off for its siblings.
    """

    reason: str


class Status(StrEnum):
    """How the scoring of one (sample, component) ended."""

    OK = "ok"
    ABSTAIN = "abstain"
    ERROR = "error"
    TIMEOUT = "timeout"


type Cause = Literal["", "completion", "infrastructure"]
"""Who is to blame for an error or timeout: the completion (the same fault on a fresh worker), or
the machinery. Empty for ``ok`` and ``abstain``."""


@dataclass(frozen=True, slots=True)
class Record:
    """One (sample, component): the row that always exists, whatever happened."""

    sample_id: str
    component: str
    status: Status
    value: float | None = None
    """What counts towards the total: the score, the policy's value for a failure, or None where
    the component is left out (abstained) or the sample is masked."""

    reason: str = ""
    evidence: Mapping[str, Any] = field(default=_EMPTY)
    metrics: Mapping[str, float] = field(default=_EMPTY)
    cause: Cause = ""
    latency_ms: float = 0.0
    masks: bool = False
    """The failure takes the sample out of baseline and update."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle with plain dicts in place of read-only mappings."""
        values = {name: getattr(self, name) for name in self.__slots__}
        values["evidence"], values["metrics"] = dict(self.evidence), dict(self.metrics)
        return _record_from, (values,)


def _record_from(values: dict[str, Any]) -> Record:
    return Record(**values)
