"""Runs made up as the audit sees them: completions drawn from curves, added up by group."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from guerdon.audit.history import Evaluation, Groups, History, Moments
from guerdon.ledger.rule import ComponentRule

type Floats = npt.NDArray[np.float64]

HELD_OUT = 128
"""Prompts of an evaluation: one greedy completion, two sampled, one with another prompt's picture."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a run is."""

    steps: int = 200
    prompts: int = 32
    size: int = 8
    pool: int = 400
    """Prompts to train on; they come round again."""

    eval_every: int = 20


@dataclass(slots=True)
class Drawn:
    """All completions of a run. Each [S, P, n]."""

    right: Floats
    others: Mapping[str, Floats]
    """By trained component."""

    length: Floats
    kl: Floats
    """[S]"""

    entropy: Floats
    held_out: Floats
    """[S + 1], chance to be right on held-out prompts, before the first step and after each."""

    blind: Floats
    """[S + 1], the same without pictures."""

    weights: Mapping[str, float]
    """Of all components; one of 0 is a monitor."""

    difficulty: Floats = field(default_factory=lambda: np.zeros(1))
    """[M], of each prompt of the pool, in logits."""

    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def logit(p: npt.ArrayLike) -> Floats:
    """Return log-odds."""
    p = np.clip(np.asarray(p, dtype=np.float64), 1e-4, 1 - 1e-4)
    odds: Floats = np.log(p / (1 - p))
    return odds


def sigmoid(x: npt.ArrayLike) -> Floats:
    """Return chances."""
    chances: Floats = 1 / (1 + np.exp(-np.asarray(x, dtype=np.float64)))
    return chances


def order(shape: Shape) -> npt.NDArray[np.int64]:
    """Say which prompts each step has [S, P]: the pool in turn."""
    return np.arange(shape.steps * shape.prompts).reshape(shape.steps, shape.prompts) % shape.pool


def moments(x: Floats, y: Floats) -> Moments:
    """Add up pairs [S, P, n] by group."""

    def add(values: Floats) -> Floats:
        sums: Floats = values.sum(axis=2).ravel()
        return sums

    return Moments(add(np.ones_like(x)), add(x), add(y), add(x * x), add(y * y), add(x * y))


def history(name: str, shape: Shape, drawn: Drawn, rng: np.random.Generator, *, pictures: int = 1) -> History:
    """Add a drawn run up as the ledger's reader does.

    Args:
        name: the run's name.
        shape: how large it is.
        drawn: its completions.
        rng: draws the evaluations.
        pictures: prompts that share a picture.
    """
    values = {"answer": drawn.right, **drawn.others}
    total = sum((drawn.weights[key] * one for key, one in values.items()), np.zeros_like(drawn.right))
    prompt = order(shape)
    rows = prompt.size
    size = np.full(rows, float(shape.size))
    groups = Groups(
        step=np.repeat(np.arange(1, shape.steps + 1), shape.prompts),
        prompt=prompt.ravel(),
        cluster=prompt.ravel() // pictures,
        visual=prompt.ravel() % 4 > 0,
        size=size,
        sums=np.stack([one.sum(axis=2).ravel() for one in values.values()], axis=1),
        counts=np.repeat(size[:, None], len(values), axis=1),
        failed=rng.binomial(shape.size, 0.0005, (rows, len(values))).astype(np.float64),
        totals=total.sum(axis=2).ravel(),
        total_counts=size,
        length=moments(drawn.length, total),
        gold=moments(drawn.right, total),
    )
    rules = [
        ComponentRule(key, "train" if drawn.weights[key] else "monitor", drawn.weights[key], 0.0,
                      *drawn.ranges.get(key, (0.0, 1.0)))
        for key in values
    ]  # fmt: skip
    metrics = {"kl": drawn.kl, "entropy": drawn.entropy}
    steps = np.arange(1, shape.steps + 1)
    return History(name, "answer", tuple(rules), steps, metrics, groups, _evaluations(shape, drawn, rng, pictures))


def _evaluations(shape: Shape, drawn: Drawn, rng: np.random.Generator, pictures: int) -> tuple[Evaluation, ...]:
    prompt = np.arange(HELD_OUT) + shape.pool
    hard = rng.choice(drawn.difficulty, HELD_OUT) if len(drawn.difficulty) > 1 else np.zeros(HELD_OUT)
    found = []
    for step in [*range(0, shape.steps, shape.eval_every), shape.steps]:
        for phase, sampling, number in (("eval", "greedy", 1), ("eval", "sampled", 2), ("blind", "greedy", 1)):
            chance = sigmoid(logit((drawn.blind if phase == "blind" else drawn.held_out)[step]) + hard)
            sums = rng.binomial(number, chance).astype(np.float64)
            visual = np.ones(HELD_OUT, dtype=np.bool_)
            count = np.full(HELD_OUT, float(number))
            found.append(Evaluation(phase, sampling, step, prompt, prompt // pictures, visual, sums, count))
    return tuple(found)
