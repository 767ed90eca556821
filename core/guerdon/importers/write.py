"""Writing what was read as a run folder with a ledger."""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from guerdon.advantage import AdvantageConfig, compute_advantages, matrix_from
from guerdon.errors import ConfigError, DataError, ScoringError
from guerdon.importers.rows import Row, Step
from guerdon.ledger import LedgerBatch, LedgerWriter, Phase, Source
from guerdon.reward import Reward
from guerdon.sample import Group, Sample
from guerdon.score import Record, Status
from guerdon.scoring.batch import ScoredGroup

RULE = AdvantageConfig(advantage="sum")
"""TRL and verl normalise the weighted sum in the group (GRPO)."""


class Imported(Reward):
    """Scores that another trainer recorded; they cannot be made again here."""

    name: ClassVar[str] = "imported"

    low: float = 0.0
    high: float = 1.0

    def range(self) -> tuple[float, float]:
        """Return the lowest and highest score of the import, at least 0 to 1."""
        return (self.low, self.high)

    def score(self, sample: Sample) -> float:
        """Refuse."""
        raise ScoringError(f"the scores of {sample.id} were imported; name a reward to score it again")


@dataclass(frozen=True, slots=True)
class Plan:
    """How an import is laid out."""

    name: str
    phase: Phase = "train"
    outcome: str | None = None
    monitors: frozenset[str] = frozenset()
    """Components that are recorded, not trained on."""

    weights: Mapping[str, float] | None = None
    """Factors in the total; 1 without one."""


@dataclass(frozen=True, slots=True)
class Result:
    """What was imported."""

    components: tuple[str, ...]
    steps: int
    samples: int
    compared: int
    """Samples with an advantage by the trainer and one by us, neither of them 0."""

    agreed: int
    """Of these, those with the same sign."""


def write_run(read: Callable[[], Iterable[Step]], plan: Plan, folder: Path) -> Result:
    """Write a new run folder: ``run.json`` and ``ledger``.

    Args:
        read: gives the steps; called twice, first for the ranges of the scores.
        plan: how they are laid out.
        folder: the run's folder.

    Raises:
        ConfigError: the plan names a component that is not there, or the folder holds a ledger.
        DataError: there is nothing to import.
    """
    if (folder / "ledger").exists():
        raise ConfigError(f"{folder} holds a ledger already; name another folder, or move it away")
    rewards = _rewards(read(), plan)
    sources = {name: Source(f"{plan.name}:{name}", "imported", "", "") for name in rewards}
    steps = samples = compared = agreed = 0
    with LedgerWriter(folder / "ledger", run=plan.name, attempt=1, sources=sources) as writer:
        for step in _merged(read()):
            batch, recorded = _batch(step, plan, rewards)
            writer.write_batch(batch)
            pairs = zip(recorded, batch.advantages.advantages.tolist(), strict=True)
            products = [theirs * ours for theirs, ours in pairs if theirs is not None and theirs * ours]
            steps, samples = steps + 1, samples + len(step.rows)
            compared, agreed = compared + len(products), agreed + sum(product > 0 for product in products)
    (folder / "run.json").write_text(json.dumps({"config": {"run": {"name": plan.name}}}) + "\n", encoding="utf-8")
    return Result(tuple(rewards), steps, samples, compared, agreed)


def _rewards(steps: Iterable[Step], plan: Plan) -> dict[str, Reward]:
    ranges: dict[str, tuple[float, float]] = {}
    for step in steps:
        for row in step.rows:
            for name, value in row.values.items():
                low, high = ranges.get(name, (0.0, 1.0))
                known = value if value is not None and math.isfinite(value) else 0.0
                ranges[name] = (min(low, known), max(high, known))
    if not ranges:
        raise DataError("there is no score to import")
    weights = plan.weights or {}
    for name in (*plan.monitors, *weights, *([plan.outcome] if plan.outcome else [])):
        if name not in ranges:
            raise ConfigError(f"no component is named {name!r}; there are {', '.join(ranges)}")
    return {
        name: Imported(
            weight=weights.get(name, 1.0), role="monitor" if name in plan.monitors else "train", low=low, high=high
        )
        for name, (low, high) in ranges.items()
    }


def _merged(steps: Iterable[Step]) -> Iterator[Step]:
    """Put neighbours of the same step together: several files may hold parts of one."""
    last: Step | None = None
    for step in steps:
        if last is not None and last.step == step.step:
            last = Step(last.step, [*last.rows, *step.rows])
            continue
        if last is not None:
            yield last
        last = step
    if last is not None:
        yield last


def _batch(step: Step, plan: Plan, rewards: Mapping[str, Reward]) -> tuple[LedgerBatch, list[float | None]]:
    """Return a step's batch, and the trainer's advantages in its order."""
    by_prompt: dict[str, list[Row]] = {}
    for row in step.rows:
        key = json.dumps([row.prompt, row.reference], sort_keys=True, default=str)
        by_prompt.setdefault(hashlib.sha256(key.encode()).hexdigest()[:12], []).append(row)
    scored = [_group(name, rows, step.step, tuple(rewards)) for name, rows in by_prompt.items()]
    matrix = matrix_from(scored, rewards, step=max(step.step, 1), outcome=plan.outcome)
    batch = LedgerBatch(plan.phase, step.step, 0, scored, matrix, RULE, compute_advantages(matrix, RULE))
    return batch, [row.advantage for rows in by_prompt.values() for row in rows]


def _group(name: str, rows: Sequence[Row], step: int, components: Sequence[str]) -> ScoredGroup:
    samples = [
        Sample(
            f"{name}/{index}",
            row.completion,
            prompt=row.prompt,
            reference=row.reference,
            truncated=row.truncated,
            metadata=row.metadata,
            group_id=name,
            index=index,
            step=step,
        )
        for index, row in enumerate(rows)
    ]
    records = [
        [_record(sample.id, component, row.values.get(component)) for component in components]
        for sample, row in zip(samples, rows, strict=True)
    ]
    return ScoredGroup(Group(name, samples), components, records)


def _record(sample: str, component: str, value: float | None) -> Record:
    if value is None:
        return Record(sample, component, Status.ABSTAIN, reason="the trainer recorded no score")
    if not math.isfinite(value):
        return Record(sample, component, Status.ERROR, reason=f"the trainer recorded {value}", masks=True)
    return Record(sample, component, Status.OK, value)
