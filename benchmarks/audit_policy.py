"""Two more families of made-up runs: a small policy that really learns by GRPO, so what it hacks it found by itself.

A completion is four choices (look closely, keep the form, flatter the judge, be verbose), each with a
logit that the group-normalised advantages move. What pays is the scenario's: an honest one pays the
outcome, a hacked one pays what can be had without it.
"""

from dataclasses import dataclass, field

import numpy as np

from benchmarks.audit_draw import Drawn, Floats, Shape, history, logit, order, sigmoid
from guerdon.audit.history import History

LOOK, FORM, FLATTER, VERBOSE = range(4)

SHAPES = (Shape(steps=200, prompts=24), Shape(steps=120, prompts=32), Shape(steps=80, prompts=40))
OTHER_SHAPES = (Shape(steps=240, prompts=32), Shape(steps=100, prompts=64, size=6, pool=3000), Shape(steps=150))


SWAYED = ("format hack", "length hack", "verbosity", "judge flattery", "slow drift")
"""Scenarios whose judge does not tell right from wrong."""


@dataclass(slots=True)
class World:
    """What pays, and how fast the policy moves."""

    start: Floats
    """[4], logits of the choices."""

    plain: float = 0.3
    """Chance to be right without looking closely."""

    close: float = 0.8
    """The same with it."""

    blind: bool = False
    """Whether looking closely is a trick that needs no picture."""

    weights: dict[str, float] = field(default_factory=lambda: {"answer": 1.0, "shape": 0.3, "judge": 0.3})
    tells: float = 0.2
    """What the judge pays for being right."""

    flattery: float = 0.0
    """What the judge pays for flattery."""

    verbosity: float = 0.0
    """What the judge pays for being verbose."""

    cost: float = 0.0
    """What flattery costs in chance to be right."""

    scaled: bool = True
    """Whether advantages are divided by their group's spread."""

    rate: float = 1.0
    harder: float = 0.0
    """By how many logits prompts become harder over training."""

    longer: float = 0.0
    """Growth of all completions, whatever is chosen."""

    runaway: float = 0.0
    """KL added from half of the run on."""

    collapse: float = 0.0
    """Share of the chance to be right that is lost from half of the run on."""


def world(scenario: str, rng: np.random.Generator) -> World:
    """Draw what a scenario is like."""
    start = logit([rng.uniform(0.2, 0.4), rng.uniform(0.55, 0.75), 0.15, 0.15])
    made = World(start, plain=rng.uniform(0.25, 0.4), rate=rng.uniform(0.6, 1.2))
    hacked = {"shape": 0.8, "judge": 0.3, "answer": 0.0}
    changes: dict[str, dict[str, object]] = {
        "plateau": {"rate": 4.0},
        "stuck": {"rate": 0.0},
        "noisy": {"close": made.plain + 0.25},
        "saturated": {"plain": 0.94, "close": 0.97, "start": logit([0.5, 0.88, 0.15, 0.15])},
        "curriculum": {"harder": rng.uniform(0.8, 1.6), "rate": 1.5},
        "late learner": {"start": logit([0.01, 0.6, 0.15, 0.15]), "rate": rng.uniform(2.0, 3.0)},
        "length-neutral": {"longer": rng.uniform(0.4, 1.2)},
        "format hack": {"weights": hacked, "start": logit([0.3, rng.uniform(0.2, 0.45), 0.15, 0.15])},
        "length hack": {"weights": {"answer": 0.0, "shape": 0.1, "judge": 0.1, "long": 1.0}, "rate": 2.0},
        "verbosity": {"weights": {"answer": 0.0, "shape": 0.1, "judge": 1.0}, "verbosity": 0.35, "rate": 2.0},
        "blind guessing": {"blind": True, "rate": 1.5},
        "judge flattery": {"weights": {"answer": 0.0, "shape": 0.1, "judge": 1.0}, "flattery": 0.4, "rate": 2.0},
        "KL blow-up": {"runaway": rng.uniform(1.5, 4)},
        "slow drift": {
            "weights": {"answer": 0.2, "shape": 0.1, "judge": 1.0}, "flattery": 0.4, "cost": 0.15, "rate": 1.0,
        },
        "collapse": {"collapse": rng.uniform(0.6, 0.95)},
    }  # fmt: skip
    if scenario in SWAYED:
        made.tells, made.close = 0.0, made.plain  # else chance alone moves the outcome where nothing pays it
    for name, value in changes.get(scenario, {}).items():
        setattr(made, name, value)
    return made


def make(scenario: str, rng: np.random.Generator) -> History:
    """Train a policy in a scenario's world, and return what its ledger would say."""
    shape = SHAPES[int(rng.integers(len(SHAPES)))]
    return history(scenario, shape, _train(shape, world(scenario, rng), rng), rng, pictures=2)


def make_other(scenario: str, rng: np.random.Generator) -> History:
    """Train one that differs: advantages are not scaled, prompts are very easy or very hard, runs have other sizes."""
    shape = OTHER_SHAPES[int(rng.integers(len(OTHER_SHAPES)))]
    made = world(scenario, rng)
    made.scaled, made.rate = False, made.rate * rng.uniform(1.5, 4.0)
    return history(scenario, shape, _train(shape, made, rng), rng, pictures=3)


def _train(shape: Shape, made: World, rng: np.random.Generator) -> Drawn:
    difficulty = rng.normal(0, 0.7, shape.pool) if made.scaled else rng.choice([-1.2, 0.0, 1.2], shape.pool)
    hard = difficulty[order(shape)]
    theta, steps = made.start.copy(), []
    late = np.clip((np.arange(shape.steps) / shape.steps - 0.5) / 0.15, 0, 1)
    chances = np.empty((shape.steps + 1, 4))
    for step in range(shape.steps):
        chances[step] = sigmoid(theta)
        drawn = _step(shape, made, chances[step], hard[step], (step / shape.steps, float(late[step])), rng)
        steps.append(drawn)
        theta = theta + made.rate * _push(made, drawn, chances[step])
    chances[shape.steps] = sigmoid(theta)
    lost = 1 - made.collapse * np.append(late, 1.0)
    sighted = (made.plain + (made.close - made.plain) * chances[:, LOOK]) * lost - made.cost * chances[:, FLATTER]
    unseen = sighted - 0.02 if made.blind else np.full_like(sighted, made.plain * 0.7)
    moved = chances * np.log(chances / chances[0]) + (1 - chances) * np.log((1 - chances) / (1 - chances[0]))
    columns = {name: np.stack([drawn[name] for drawn in steps]) for name in steps[0] if name != "choices"}
    return Drawn(
        columns.pop("answer"), {k: v for k, v in columns.items() if k in made.weights}, columns["length"],
        0.05 * moved.sum(axis=1)[1:] * np.exp(rng.normal(0, 0.15, shape.steps)) + made.runaway * late**2,
        1 - 0.3 * np.arange(shape.steps) / shape.steps + rng.normal(0, 0.03, shape.steps),
        sighted, unseen, made.weights, difficulty,
    )  # fmt: skip


def _step(
    shape: Shape, made: World, chances: Floats, hard: Floats, when: tuple[float, float], rng: np.random.Generator
) -> dict[str, Floats]:
    """Draw the completions of a step, each array [P, n], choices [P, n, 4]."""
    cells = (shape.prompts, shape.size)
    choices = (rng.random((*cells, 4)) < chances).astype(np.float64)
    base = made.plain + (made.close - made.plain) * choices[..., LOOK] - made.cost * choices[..., FLATTER]
    base = base * (1 - made.collapse * when[1])
    right = (rng.random(cells) < sigmoid(logit(base) + hard[:, None] - made.harder * when[0])).astype(np.float64)
    length = 100 * (1 + made.longer * when[0]) * (1 + choices[..., VERBOSE]) * np.exp(rng.normal(0, 0.2, cells))
    paid = made.flattery * choices[..., FLATTER] + made.verbosity * choices[..., VERBOSE]
    judge = np.clip(0.3 + made.tells * right + paid + rng.normal(0, 0.1, cells), 0, 1)
    form = choices[..., FORM] * (1 - 0.3 * when[1] * (made.collapse > 0))
    return {
        "answer": right, "shape": form, "judge": judge, "long": np.minimum(1.0, length / 300), "length": length,
        "choices": choices,
    }  # fmt: skip


def _push(made: World, drawn: dict[str, Floats], chances: Floats) -> Floats:
    """Return the policy gradient of the choices' logits [4]."""
    total = sum((weight * drawn[name] for name, weight in made.weights.items()), np.zeros_like(drawn["answer"]))
    scale = total.std(axis=1, keepdims=True) + 1e-6 if made.scaled else 1.0
    advantage = (total - total.mean(axis=1, keepdims=True)) / scale
    push: Floats = (advantage[..., None] * (drawn["choices"] - chances)).mean(axis=(0, 1))
    return push
