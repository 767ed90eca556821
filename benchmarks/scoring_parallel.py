"""Two workers against a bare loop, and against that loop halved over two plain processes.

The second tells what the engine adds where the machine has no two cores to spare: both lose the same to others.
"""

import multiprocessing
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from benchmarks.runner import Target, alternate, at_most
from benchmarks.scoring_work import Maths, Works, groups, maths_groups
from guerdon import Group, Reward
from guerdon.scoring.engine import Engine

LIMIT = 0.65
"""Of a bare loop; two cores allow 0.5."""


def works() -> tuple[dict[str, Reward], Sequence[Group]]:
    """Return five rewards that compute for about 0.2 ms each, and half a batch."""
    return {f"r{i}": Works(loops=8_000 + 1_000 * i) for i in range(5)}, groups()[::2]


def maths() -> tuple[dict[str, Reward], Sequence[Group]]:
    """Return math-verify and samples for it."""
    return {"maths": Maths(timeout_s=30)}, maths_groups()


CASES: dict[str, Callable[[], tuple[dict[str, Reward], Sequence[Group]]]] = {
    "killable isolation, five rewards of 0.2 ms": works,
    "math-verify from a thread, 128 samples": maths,
}


def loop(rewards: Mapping[str, Reward], batch: Sequence[Group]) -> None:
    """Do nothing but call the rewards."""
    samples = [sample for group in batch for sample in group.samples]
    for reward in rewards.values():
        for sample in samples:
            reward.score(sample)


def half(case: str, which: int) -> None:
    """Run every second group's part of the loop."""
    rewards, batch = CASES[case]()
    loop(rewards, batch[which::2])


def parallel(rounds: int = 9) -> list[Target]:
    """Measure all cases."""
    context = multiprocessing.get_context("forkserver")
    with context.Pool(2) as pool:
        return [target for case in CASES for target in _measure(case, pool.map, rounds)]


def _measure(case: str, over_both: Callable[..., object], rounds: int) -> list[Target]:
    rewards, batch = CASES[case]()
    for reward in rewards.values():
        reward.prepare()
    with Engine(rewards) as engine:

        def from_a_thread() -> None:
            thread = threading.Thread(target=engine.score, args=(batch,))
            thread.start()
            thread.join()

        times = alternate(
            {
                "ours": from_a_thread,
                "bare": partial(loop, rewards, batch),
                "halved": lambda: over_both(partial(half, case), (0, 1), chunksize=1) and None,
            },
            rounds,
        )
    ours, bare, halved = (times.scaled(name, 1e3) for name in ("ours", "bare", "halved"))
    return [
        at_most(f"{case}, ms (bare loop)", LIMIT, ours, bare),
        at_most(f"{case}, ms (two plain processes)", 2 * LIMIT, ours, halved),
    ]
