"""Every random choice of a run follows from its seed, the step and a name."""

import hashlib
from collections.abc import Sequence

import numpy as np


def derive(seed: int, *names: str | int) -> int:
    """Return a 31-bit seed that depends on all arguments and on nothing else."""
    text = "\x1f".join(str(part) for part in (seed, *names))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") & 0x7FFF_FFFF


def step_batch[T](items: Sequence[T], *, size: int, step: int, seed: int) -> list[T]:
    """Return the distinct items of a training step.

    Every epoch is another permutation; what is left over at its end is dropped.

    Args:
        items: the data set, at least `size` of them.
        size: items of one step.
        step: counted from 1.
        seed: the run's.
    """
    epoch, batch = divmod(step - 1, len(items) // size)
    order = np.random.default_rng(derive(seed, "epoch", epoch)).permutation(len(items))
    return [items[int(index)] for index in order[batch * size : (batch + 1) * size]]
