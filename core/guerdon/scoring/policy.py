"""From the cells of a group to its records: what a failure or an abstention counts as."""

from collections.abc import Sequence
from typing import NamedTuple

from guerdon.errors import ScoringError
from guerdon.reward import Constant, Reward
from guerdon.sample import Sample
from guerdon.score import Cause, Record, Status
from guerdon.scoring.cells import Abstained, Cell, Fault, Scored, is_plain
from guerdon.scoring.making import maker
from guerdon.scoring.text import parse_evidence

MIXED = (
    "abstained while others of its group were scored; an abstention may depend on the prompt, reference "
    "and metadata alone, so this counts as a failure"
)


class Failed(NamedTuple):
    """A fault after the component's policy was applied."""

    status: Status
    value: float | None
    reason: str
    cause: Cause
    masks: bool


type Settled = float | Scored | Abstained | Failed


def settle(component: str, reward: Reward, samples: Sequence[Sample], cells: Sequence[Cell]) -> list[Settled]:
    """Apply the policy `reward.missing`, and make a group abstain as one.

    If every sample that came to a verdict abstained, those that failed abstain with them. If
    only some abstained, the plugin broke its contract, and these count as failures.

    Raises:
        ScoringError: a sample failed and the policy is ``fail``.
    """
    if is_plain(cells):
        return cells  # type: ignore[return-value]  # narrowed by the line above
    if any(isinstance(cell, Abstained) for cell in cells):
        cells = _one_voice(cells)
    return [
        _failed(component, reward, sample, cell) if isinstance(cell, Fault) else cell
        for sample, cell in zip(samples, cells, strict=True)
    ]


def _one_voice(cells: Sequence[Cell]) -> list[Cell]:
    if all(isinstance(cell, Abstained | Fault) for cell in cells):
        return [
            Abstained(f"its group abstains; its own scoring failed: {cell.reason}") if isinstance(cell, Fault) else cell
            for cell in cells
        ]
    return [
        Fault(Status.ERROR, "abstain", f"{MIXED} ({cell.reason})") if isinstance(cell, Abstained) else cell
        for cell in cells
    ]


def _failed(component: str, reward: Reward, sample: Sample, fault: Fault) -> Failed:
    if fault.infrastructure:
        return Failed(fault.status, None, fault.reason, "infrastructure", True)
    match reward.missing:
        case "fail":
            raise ScoringError(
                f"component {component!r} failed on sample {sample.id!r}: {fault.reason}. Its policy is "
                "`missing: fail`; mend the reward, or choose minimum, mask_sample or {constant: x}"
            )
        case "mask_sample":
            return Failed(fault.status, None, fault.reason, "completion", True)
        case Constant(constant=value):
            return Failed(fault.status, value, fault.reason, "completion", False)
        case _:
            return Failed(fault.status, reward.range()[0], fault.reason, "completion", False)


_ok = maker(Record)


def record_of(sample_id: str, component: str, cell: Settled, latency_s: float) -> Record:
    """Write the record of one (sample, component)."""
    latency_ms = latency_s * 1000
    if isinstance(cell, float):
        return Record(sample_id, component, Status.OK, cell, latency_ms=latency_ms)
    if isinstance(cell, Scored):
        value, reason, evidence, metrics = cell
        return _ok(
            sample_id, component, Status.OK, value, reason, parse_evidence(evidence), metrics, "", latency_ms, False
        )
    if isinstance(cell, Abstained):
        return Record(sample_id, component, Status.ABSTAIN, None, cell.reason, latency_ms=latency_ms)
    return Record(
        sample_id,
        component,
        cell.status,
        cell.value,
        cell.reason,
        cause=cell.cause,
        latency_ms=latency_ms,
        masks=cell.masks,
    )


def value_of(cell: Settled) -> float | None:
    """Return what `Record.value` will be."""
    if isinstance(cell, float):
        return cell
    return None if isinstance(cell, Abstained) else cell.value
