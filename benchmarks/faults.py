"""The fault campaign in scoring alone: 5% of scorings fail, each in its own way, while groups arrive.

A step is replayed: its groups arrive evenly, as from a generator, and it ends when all are scored.
"""

import itertools
import random
import statistics
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import wait

from benchmarks.faults_work import FAULTS, HANGS, HARMLESS, VALUE, Alone, Asks, Batch, Honest
from benchmarks.runner import Target, spread
from guerdon import Group, Record, Reward, Sample, ScoredGroup, Status
from guerdon.scoring.engine import Engine

PROMPTS = 64
SIZE = 8
SHARE = 0.05
"""Of the scorings of the components that can fail."""

GENERATE_S = 20.0
DEADLINE_S = {"alone": 0.5, "batch": 0.25, "asks": 0.5}
STEPS = 4
COMPONENTS = ("alone", "batch", "asks")
KINDS = {
    "alone": [*FAULTS, *HARMLESS],
    "batch": [*FAULTS, *HARMLESS],
    "asks": [*FAULTS, *HARMLESS, "wait"],
}


def rewards() -> dict[str, Reward]:
    """Return three components that can fail and two that do not."""
    return {
        "alone": Alone(timeout_s=DEADLINE_S["alone"]),
        "batch": Batch(timeout_s=DEADLINE_S["batch"]),
        "asks": Asks(timeout_s=DEADLINE_S["asks"]),
        "honest": Honest(),
        "also honest": Honest(),
    }


def batch(step: int, share: float, kinds: Mapping[str, Iterator[str]]) -> list[Group]:
    """Return the groups of a step; a `share` of the scorings will fail, in all ways in turn."""
    rng = random.Random(step)
    groups: list[Group] = []
    for number in range(PROMPTS):
        samples = []
        for index in range(SIZE):
            faults = {name: next(kinds[name]) for name in COMPONENTS if rng.random() < share}
            sample_id = f"{step}/{number}/{index}"
            samples.append(Sample(sample_id, "text", metadata={"faults": faults}, group_id=str(number), index=index))
        groups.append(Group(str(number), samples))
    return groups


def replay(engine: Engine, groups: list[Group]) -> tuple[list[ScoredGroup], float]:
    """Submit the groups as they arrive. Returns the results and the length of the step in seconds."""
    begin = time.perf_counter()
    futures = []
    for number, group in enumerate(groups):
        due = begin + GENERATE_S * (number + 1) / len(groups)
        time.sleep(max(0.0, due - time.perf_counter()))
        futures.append(engine.submit(group))
    wait(futures)
    return [future.result() for future in futures], time.perf_counter() - begin


def deadlines(groups: list[Group]) -> float:
    """Return by how much the deadlines alone lengthen a step: the hangs of a group, each tried twice, side by side."""
    ends = []
    for number, group in enumerate(groups):
        hangs = [n for sample in group.samples for n, kind in sample.metadata["faults"].items() if kind in HANGS]
        lost = [DEADLINE_S[name] * (SIZE + 1 if name == "batch" else 2) for name in hangs]
        ends.append(GENERATE_S * (number + 1) / len(groups) + max(lost, default=0.0))
    return max(ends) - GENERATE_S


def right(record: Record, sample: Sample) -> bool:
    """Tell whether a record says what had to come of its scoring."""
    if record.component not in COMPONENTS:
        return (record.status, record.value) == (Status.OK, (sample.index + 1) / 16)
    kind = sample.metadata["faults"].get(record.component)
    if kind is None or kind in HARMLESS:
        return (record.status, record.value) == (Status.OK, VALUE)
    status = Status.TIMEOUT if kind in HANGS else Status.ERROR
    return (record.status, record.value, record.cause) == (status, 0.0, "completion") and bool(record.reason)


def run() -> list[Target]:
    """Alternate steps with and without faults."""
    kinds = {name: itertools.cycle(names) for name, names in KINDS.items()}
    times: dict[float, list[float]] = {0.0: [], SHARE: []}
    records = wrong = faulty = 0
    with Engine(rewards(), workers=2, memory_mb=4096) as engine:
        replay(engine, batch(0, 0.0, kinds))
        for step, share in itertools.product(range(1, STEPS + 1), times):
            groups = batch(step, share, kinds)
            scored, took = replay(engine, groups)
            times[share].append(took - deadlines(groups))
            pairs = [(r, s) for g in scored for row, s in zip(g.records, g.group.samples, strict=True) for r in row]
            records += len(pairs)
            faulty += sum(len(sample.metadata["faults"]) for g in scored for sample in g.group.samples)
            mistaken = [(r, s.metadata["faults"]) for r, s in pairs if not right(r, s)]
            for record, faults in mistaken[:5]:
                print(f"wrong: {record.component} of {record.sample_id} with {faults}: {record}")
            wrong += len(mistaken)
    expected = 2 * STEPS * PROMPTS * SIZE * len(rewards())
    ratios = [bad / good for bad, good in zip(times[SHARE], times[0.0], strict=True)]
    ratio = statistics.median(ratios)
    return [
        Target("records lost", expected - records, 0.0, expected - records, 0.0, "== 0", records == expected),
        Target(f"wrong records, {faulty} faults among {records}", wrong, 0.0, wrong, 0.0, "== 0", wrong == 0),
        Target(
            f"step with {SHARE:.0%} faults less the deadlines at its end, s (step without)",
            statistics.median(times[SHARE]),
            statistics.median(times[0.0]),
            ratio,
            spread(ratios),
            "<= 1.1",
            ratio <= 1.1,
        ),
    ]
