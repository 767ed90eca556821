"""Histories made up for tests, from curves."""

import numpy as np
from benchmarks.audit_draw import Drawn, Shape, history

SHAPE = Shape(steps=48, prompts=24, pool=200, eval_every=12)


def line(start, end, steps=SHAPE.steps):
    return np.linspace(start, end, steps)


def built(
    *, answer=(0.5, 0.5), form=(0.5, 0.5), length=(100, 100), kl=(0.01, 0.1), held_out=None, blind=(0.2, 0.2), seed=0,
    weights=None, ranges=None, long=None, shape=SHAPE,
):  # fmt: skip
    """A run whose components go from one level to another."""
    rng = np.random.default_rng(seed)
    cells = (shape.steps, shape.prompts, shape.size)

    def drawn(ends):
        return (rng.random(cells) < line(*ends, shape.steps)[:, None, None]).astype(float)

    lengths = line(*length, shape.steps)[:, None, None] * np.exp(rng.normal(0, 0.2, cells))
    others = {"shape": drawn(form)}
    if long:
        others["long"] = np.minimum(1.0, lengths / long)
    made = Drawn(
        drawn(answer), others, lengths, line(*kl, shape.steps), line(1, 0.8, shape.steps),
        line(*(held_out or answer), shape.steps + 1), line(*blind, shape.steps + 1),
        weights or {"answer": 1.0, "shape": 0.5, "long": 0.5}, ranges=ranges or {},
    )  # fmt: skip
    return history("built", shape, made, rng)
