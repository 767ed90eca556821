"""What the engine costs: 1,024 samples (128 prompts by 8), five rewards, two workers.

Peers run in a process of their own, the same functions on the same samples, in turns with ours.
"""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import wait

from benchmarks.peer import Peer
from benchmarks.runner import Rounds, Target, alternate, at_most
from benchmarks.scoring_ledger import parquet
from benchmarks.scoring_parallel import parallel
from benchmarks.scoring_pictures import pictures
from benchmarks.scoring_work import (
    PROMPTS,
    SIZE,
    WORDS,
    Hangs,
    Told,
    Trivial,
    Waits,
    Works,
    groups,
)
from guerdon import Group, Reward, Sample
from guerdon.scoring.engine import Engine

ROUNDS = 15
CALLS = PROMPTS * SIZE * len(WORDS)

_peers: dict[str, str] = {}


def run() -> list[Target]:
    """Run all measurements."""
    with Peer() as peer:
        _peers.update(peer.versions())
        targets = [inline_values(peer), inline_records(peer), isolation(peer), asynchronous(peer)]
    return [*targets, *parallel(), pictures(), *exposed(), hung(), parquet()]


def peers() -> dict[str, str]:
    """Return the versions of the peers."""
    return dict(_peers)


def five(kind: type[Reward], **fields: object) -> dict[str, Reward]:
    """Return five rewards of a kind, one for each word."""
    return {word: kind.model_validate({"word": word, **fields}) for word in WORDS}


def bare(rewards: Mapping[str, Reward], batch: Sequence[Group]) -> Callable[[], None]:
    """Return the loop that does nothing but call the rewards."""
    samples = [sample for group in batch for sample in group.samples]

    def loop() -> None:
        for reward in rewards.values():
            score = reward.score
            [score(sample) for sample in samples]

    return loop


def overhead(rounds: Rounds, name: str, floor: str, per: int) -> list[float]:
    """Return microseconds over a floor, for each of `per` things, by round."""
    return [max(0.001, us) for us in rounds.each(lambda t: (t[name] - t[floor]) * 1e6 / per)]


def values(engine: Engine, batch: Sequence[Group]) -> None:
    """Score and read all values."""
    for scored in engine.score(batch):
        scored.values()


def records(engine: Engine, batch: Sequence[Group]) -> None:
    """Score and make all records."""
    for scored in engine.score(batch):
        list(scored.records)


def of_cpu(function: Callable[[], object]) -> Callable[[], float]:
    """Time a single-threaded function by the CPU: what else runs on the machine is not counted."""

    def timed() -> float:
        before = time.process_time()
        function()
        return time.process_time() - before

    return timed


def inline_values(peer: Peer) -> Target:
    """Measure values only, in this process, over a bare loop."""
    rewards = five(Trivial, isolation="inline")
    with Engine(rewards) as engine:
        rounds = alternate(
            {
                "ours": of_cpu(lambda: values(engine, groups())),
                "bare": of_cpu(bare(rewards, groups())),
                "trl": lambda: peer("trl"),
                "their bare": lambda: peer("bare, CPU"),
            },
            ROUNDS,
        )
    ours = overhead(rounds, "ours", "bare", CALLS)
    return at_most(
        "inline, values only, over a bare loop, µs of CPU a call (TRL)",
        3.0,
        ours,
        overhead(rounds, "trl", "their bare", CALLS),
    )


def inline_records(peer: Peer) -> Target:
    """Measure status, reason, evidence and records, in this process."""
    with Engine(five(Told, isolation="inline")) as engine:
        rounds = alternate(
            {"ours": of_cpu(lambda: records(engine, groups())), "rubric": lambda: peer("rubric")},
            ROUNDS,
        )
    ours, theirs = (rounds.scaled(name, 1e6 / CALLS) for name in ("ours", "rubric"))
    return at_most("inline with evidence and records, µs of CPU a row (verifiers' Rubric)", 0.25, ours, theirs)


def isolation(peer: Peer) -> Target:
    """Measure killable processes on trivial rewards, over a bare loop."""
    rewards = five(Trivial)
    with Engine(rewards) as engine:
        rounds = alternate(
            {
                "ours": lambda: values(engine, groups()),
                "bare": bare(rewards, groups()),
                "pebble": lambda: peer("pebble"),
                "their bare": lambda: peer("bare"),
            },
            4 * ROUNDS,
            warm=3,
        )
    ours = overhead(rounds, "ours", "bare", PROMPTS * SIZE)
    theirs = overhead(rounds, "pebble", "their bare", PROMPTS * SIZE)
    return at_most("killable isolation, trivial rewards, µs a sample over a bare loop (pebble)", 1 / 3, ours, theirs)


def asynchronous(peer: Peer) -> Target:
    """Measure 1,024 async calls of 20 ms."""
    with Engine({"waits": Waits()}) as engine:
        rounds = alternate(
            {"ours": lambda: values(engine, groups()), "trl": lambda: peer("trl async")},
            ROUNDS,
            warm=2,
        )
    return at_most(
        "1,024 async rewards of 20 ms, ms (TRL async)", 1.5, rounds.scaled("ours", 1e3), rounds.scaled("trl", 1e3)
    )


def exposed() -> list[Target]:
    """Measure what is left to score when generation ends, against scoring the batch then."""
    return [_exposed(64, 0.12), _exposed(8, 0.03)]


def _exposed(size: int, limit: float) -> Target:
    """Replay groups that arrive evenly over twice the time that scoring them takes."""
    batch = groups(PROMPTS * SIZE // size, size)
    rewards = {f"r{i}": Works(loops=8_000) for i in range(5)}
    left: list[float] = []
    whole: list[float] = []
    with Engine(rewards) as engine:
        values(engine, batch)
        for _ in range(5):
            before = time.perf_counter()
            values(engine, batch)
            whole.append(time.perf_counter() - before)
            pause = 2 * statistics.median(whole) / len(batch)
            futures = []
            for group in batch:
                time.sleep(pause)
                futures.append(engine.submit(group))
            before = time.perf_counter()
            wait(futures)
            left.append(time.perf_counter() - before)
    name = f"scoring left after generation, groups of {size}, ms (scoring the batch afterwards)"
    return at_most(name, limit, [s * 1e3 for s in left], [s * 1e3 for s in whole])


def hung() -> Target:
    """Measure how long a worker's place is lost to a call that hangs, beyond its deadline."""
    deadline = 0.5
    batch = [Group("g", [Sample(f"g/{i}", "hang" if i == 3 else "fine") for i in range(8)])]
    lost: list[float] = []
    with Engine({"hangs": Hangs(timeout_s=deadline)}, workers=1) as engine:
        for _ in range(5):
            before = time.perf_counter()
            [scored] = engine.score(batch)
            took = time.perf_counter() - before
            statuses = [row[0].status for row in scored.records]
            assert statuses == ["ok"] * 3 + ["timeout"] + ["ok"] * 4, statuses
            lost.append(took / 2)  # it hangs twice: once more in a fresh worker
    return at_most(
        "a hung call, s until its place serves again (deadline + 0.5)", 1.0, lost, [deadline + 0.5] * len(lost)
    )
