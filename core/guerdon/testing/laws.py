"""Properties that every reward must have, whatever it judges."""

import copy
import pickle
import random
import tracemalloc
from collections.abc import Iterator, Mapping, Sequence

from guerdon.errors import GuerdonError
from guerdon.reward import Reward
from guerdon.sample import Sample
from guerdon.scoring.calls import method_of
from guerdon.scoring.cells import Abstained, Cell, Fault
from guerdon.testing.calling import Scorer
from guerdon.testing.report import Finding

MEMORY_PER_CHARACTER = 500
"""Bytes that scoring a very long completion may need at most for each of its characters."""


def repeats(scorer: Scorer, samples: Sequence[Sample]) -> Iterator[Finding]:
    """Check determinism, order, batches and copies on the same samples."""
    random.seed(1)
    first = scorer.cells(samples)
    random.seed(2)
    yield _same("determinism", samples, first, scorer.cells(samples), "scored twice; use no clock, no random numbers")
    backwards = scorer.cells(samples[::-1])[::-1]
    yield _same("order", samples, first, backwards, "in reverse order; a reward must keep no state between samples")
    if method_of(scorer.reward) == "score_batch":
        alone = [cell for sample in samples for cell in scorer.cells([sample])]
        yield _same(
            "batches", samples, first, alone, "one by one; a verdict must not depend on the batch's other samples"
        )
    yield _copies(scorer, samples, first)


def _same(check: str, samples: Sequence[Sample], a: Sequence[Cell], b: Sequence[Cell], how: str) -> Finding:
    for sample, one, two in zip(samples, a, b, strict=True):
        if not _equal(one, two):
            return Finding(check, ok=False, detail=f"sample {sample.id}: {_short(one)}, then {_short(two)} {how}")
    return Finding(check, ok=True, detail=f"{len(samples)} completions")


def _equal(a: Cell, b: Cell) -> bool:
    """Compare verdicts; a timeout depends on the machine and proves nothing."""
    return a == b or any(isinstance(cell, Fault) and cell.kind == "timeout" for cell in (a, b))


def _short(cell: Cell) -> str:
    return str(cell)[:120]


def _copies(scorer: Scorer, samples: Sequence[Sample], first: Sequence[Cell]) -> Finding:
    """Check that a worker's copy of the reward, and one read from its configuration, judge alike."""
    reward = scorer.reward
    try:
        copied: Reward = pickle.loads(pickle.dumps(reward))  # noqa: S301 - what was just written
        read = type(reward).model_validate(reward.model_dump(mode="json"))
        sent: list[Sample] = pickle.loads(pickle.dumps(list(samples)))  # noqa: S301
    except Exception as error:  # noqa: BLE001 - whatever a foreign field raises
        return Finding("pickling", ok=False, detail=f"{type(error).__name__}: {error}; workers get rewards by pickle")
    for name, other in (("a pickled copy", copied), ("a copy from the written configuration", read)):
        finding = _same("pickling", samples, first, Scorer(other).cells(sent), f"by {name}")
        if not finding.ok:
            return finding
    return Finding("pickling", ok=True, detail="a copy for a worker judges alike")


def faults(scorer: Scorer, cells: Sequence[tuple[str, Sample, Cell]]) -> Iterator[Finding]:
    """Check that every completion got a verdict, and one within the declared range."""
    found = [(name, sample, cell) for name, sample, cell in cells if isinstance(cell, Fault)]
    outside = [item for item in found if item[2].kind in ("range", "finite")]
    late = [item for item in found if item[2].kind == "timeout"]
    broken = [item for item in found if item not in outside and item not in late]
    low, high = scorer.low, scorer.high
    yield _none("declared range", outside, f"{len(cells)} values within [{low:g}, {high:g}]")
    yield _none("a verdict for every completion", broken, f"{len(cells)} completions")
    yield _none("time", late, f"slowest call {1000 * scorer.slowest:.1f} ms, timeout_s {scorer.reward.timeout_s:g}")


def _none(check: str, found: Sequence[tuple[str, Sample, Fault]], fine: str) -> Finding:
    if not found:
        return Finding(check, ok=True, detail=fine)
    name, sample, fault = found[0]
    return Finding(check, ok=False, detail=f"{name} (sample {sample.id}): {fault.reason}; {len(found)} completions so")


def abstentions(gold: Sequence[tuple[Sample, Cell]], cells: Sequence[tuple[str, Sample, Cell]]) -> Finding:
    """Check that an abstention depends on the prompt's side alone."""
    says = {sample.id: isinstance(cell, Abstained) for sample, cell in gold}
    for name, sample, cell in cells:
        if not isinstance(cell, Fault) and isinstance(cell, Abstained) != says[sample.id]:
            other = "scores" if says[sample.id] else "abstains on"
            detail = f"sample {sample.id}: it {other} {name}, unlike the right completion; abstain by the prompt alone"
            return Finding("abstentions", ok=False, detail=detail)
    return Finding("abstentions", ok=True, detail=f"{sum(says.values())} of {len(says)} samples, whatever is written")


class Untouched:
    """Remembers samples, to tell whether scoring changed them."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.samples = samples
        self.before = [_state(sample) for sample in samples]

    def finding(self) -> Finding:
        """Compare."""
        for sample, before in zip(self.samples, self.before, strict=True):
            if repr(_state(sample)) != repr(before):  # NaN is unlike itself, but reads the same
                return Finding("purity", ok=False, detail=f"sample {sample.id} was changed; copy what is to be altered")
        return Finding("purity", ok=True, detail="samples are left as they are")


def _state(sample: Sample) -> tuple[object, ...]:
    plain = (dict(part) if isinstance(part, Mapping) else part for part in (sample.reference, sample.metadata))
    return (*map(copy.deepcopy, plain), copy.deepcopy(list(sample.prompt)), sample.completion)


def memory(scorer: Scorer, sample: Sample) -> Finding:
    """Check what scoring a very long completion needs at its peak."""
    tracemalloc.start()
    try:
        scorer.cells([sample])
        peak = tracemalloc.get_traced_memory()[1]
    except GuerdonError:
        peak = 0
    finally:
        tracemalloc.stop()
    limit = MEMORY_PER_CHARACTER * max(1000, len(sample.completion))
    detail = f"{peak / 1e6:.1f} MB at most for {len(sample.completion)} characters; {limit / 1e6:.0f} MB are allowed"
    return Finding("memory", ok=peak <= limit, detail=detail)
