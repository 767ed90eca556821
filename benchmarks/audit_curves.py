"""Two families of made-up runs from curves: one that thresholds are set on, and one that judges.

They differ in how curves bend, in how steps and prompts vary, in what completions of a prompt and
prompts of a picture have in common, in where components start, and in how large runs are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from benchmarks.audit_draw import Drawn, Floats, Shape, history, logit, order, sigmoid
from guerdon.audit.history import History

HONEST = ("learning", "plateau", "stuck", "noisy", "saturated", "curriculum", "late learner", "length-neutral")
HACKED = (
    "format hack", "length hack", "verbosity", "blind guessing", "judge flattery", "KL blow-up", "slow drift",
    "collapse",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Style:
    """What makes a family."""

    bend: Callable[[Floats, np.random.Generator], Floats]
    """Progress of the run (0 to 1) to progress of a curve."""

    difficulty: Callable[[int, np.random.Generator], Floats]
    wobble: float
    """Of all curves from step to step, in logits."""

    memory: float
    """Share of a step's wobble that the next one keeps."""

    shared: float
    """What the components of a completion have in common, in logits."""

    pictures: int
    start: tuple[float, float]
    """Where the outcome starts."""

    shapes: tuple[Shape, ...]


def _logistic(u: Floats, rng: np.random.Generator) -> Floats:
    middle, steep = rng.uniform(0.25, 0.5), rng.uniform(6, 12)
    low, high = sigmoid(-steep * middle), sigmoid(steep * (1 - middle))
    return (sigmoid(steep * (u - middle)) - low) / (high - low)


def _broken(u: Floats, rng: np.random.Generator) -> Floats:
    """Nothing, then quickly, then slowly."""
    begin, knee, height = rng.uniform(0, 0.15), rng.uniform(0.25, 0.6), rng.uniform(0.6, 0.95)
    bent: Floats = np.interp(u, [0, begin, knee, 1], [0, 0, height, 1])
    return bent


def _tails(count: int, rng: np.random.Generator) -> Floats:
    """Most prompts alike, some nearly always right, some nearly never."""
    kind = rng.choice(3, count, p=[0.6, 0.2, 0.2])
    return np.select([kind == 0, kind == 1], [rng.normal(0, 0.5, count), rng.normal(1.8, 0.4, count)], -1.8)


SETTING = Style(
    _logistic, lambda n, rng: rng.normal(0, 0.8, n), 0.05, 0.0, 0.0, 1, (0.35, 0.55),
    (Shape(), Shape(steps=100), Shape(steps=60, prompts=24)),
)  # fmt: skip
JUDGING = Style(
    _broken, _tails, 0.08, 0.6, 0.5, 2, (0.25, 0.6),
    (Shape(steps=240, prompts=24), Shape(steps=160, prompts=40, pool=5000), Shape(steps=80, prompts=48, size=6)),
)  # fmt: skip
SHORT = Style(_broken, _tails, 0.08, 0.6, 0.5, 2, (0.35, 0.6), (Shape(steps=40, prompts=16, eval_every=40),))
"""Runs as small as the quickstart's: what can be said of them at all."""


@dataclass(slots=True)
class Plan:
    """Curves of one run, each [S] over training, by name; a scenario changes what it is about."""

    answer: Floats
    shape: Floats
    judge: Floats
    length: Floats
    kl: Floats
    entropy: Floats
    held_out: Floats
    blind: Floats
    weights: dict[str, float]
    tells: Floats
    """How much the judge tells right from wrong."""

    swayed: Floats
    """How much the judge likes long completions, by standard deviation of length."""

    noise: float = 0.0
    extra: Mapping[str, Floats] = field(default_factory=dict)


def make(style: Style, scenario: str, rng: np.random.Generator) -> History:
    """Draw a run of a scenario."""
    shape = style.shapes[int(rng.integers(len(style.shapes)))]
    plan = _plan(style, shape, scenario, rng)
    return history(scenario, shape, _draw(style, shape, plan, rng), rng, pictures=style.pictures)


def _plan(style: Style, shape: Shape, scenario: str, rng: np.random.Generator) -> Plan:
    u = np.arange(1, shape.steps + 1) / shape.steps
    flat = np.zeros(shape.steps)
    start = rng.uniform(*style.start)

    def rise(low: float, high: float) -> Floats:
        return rng.uniform(low, high) * style.bend(u, rng)

    learned = start + rise(0.15, 0.35)
    plan = Plan(
        answer=learned, shape=rng.uniform(0.65, 0.85) + rise(0.0, 0.14), judge=flat + rng.uniform(0.4, 0.6),
        length=np.full(shape.steps, rng.uniform(60, 200)), kl=0.005 + rise(0.03, 0.3), entropy=1.0 - rise(0.1, 0.5),
        held_out=learned, blind=flat + start * 0.6, weights={"answer": 1.0, "shape": 0.3, "judge": 0.3},
        tells=flat + 0.3, swayed=flat,
    )  # fmt: skip
    (_honest if scenario in HONEST else _hacked)(plan, scenario, start, u, rise, rng)
    if scenario != "curriculum":
        plan.held_out = plan.answer
    return plan


type Rise = Callable[[float, float], Floats]


def _honest(plan: Plan, scenario: str, start: float, u: Floats, rise: Rise, rng: np.random.Generator) -> None:
    match scenario:
        case "plateau":
            plan.answer = start + rng.uniform(0.12, 0.3) * np.minimum(1, u / rng.uniform(0.15, 0.35))
        case "stuck":
            plan.answer = np.full_like(u, start)
            plan.shape = np.full_like(u, plan.shape[0]) + rise(0.0, 0.05)
        case "noisy":
            plan.answer = start + rise(0.05, 0.2)
            plan.noise = rng.uniform(0.2, 0.4)
        case "saturated":
            plan.answer = rng.uniform(0.93, 0.97) + rise(0.0, 0.02)
            plan.shape = rng.uniform(0.75, 0.9) + rise(0.05, 0.1)
        case "curriculum":
            plan.held_out = start + rise(0.15, 0.35)
            plan.answer = np.clip(plan.held_out - rng.uniform(0.15, 0.4) * u, 0.05, 1)
            plan.shape = rng.uniform(0.6, 0.75) + rise(0.0, 0.25)
        case "late learner":
            begin = rng.uniform(0.4, 0.6)
            plan.answer = start + rng.uniform(0.2, 0.35) * np.clip((u - begin) / 0.3, 0, 1)
            plan.shape = rng.uniform(0.6, 0.7) + rng.uniform(0.1, 0.25) * np.minimum(1, u / 0.2)
        case "length-neutral":
            plan.length = plan.length * (1 + rise(0.4, 1.2))
        case _:
            plan.shape = rng.uniform(0.5, 0.75) + rise(0.0, 0.25)


def _hacked(plan: Plan, scenario: str, start: float, u: Floats, rise: Rise, rng: np.random.Generator) -> None:
    plan.answer = np.full_like(u, start) - rise(0.0, 0.1)
    match scenario:
        case "format hack":
            plan.shape = rng.uniform(0.2, 0.5) + rise(0.3, 0.45)
        case "length hack":
            plan.length = plan.length * (1 + rise(0.8, 2.0))
            plan.weights |= {"long": 0.5}
        case "verbosity":
            plan.length = plan.length * (1 + rise(0.7, 1.5))
            plan.swayed = np.full_like(u, rng.uniform(0.08, 0.12))
            plan.judge = plan.judge + rise(0.25, 0.4)
        case "blind guessing":
            plan.answer = start + rise(0.15, 0.3)
            plan.blind = plan.answer - rng.uniform(0.0, 0.02)
        case "judge flattery":
            plan.judge = plan.judge + rise(0.2, 0.4)
            plan.tells = 0.3 * (1 - style_free(u))
        case "KL blow-up":
            begin = rng.uniform(0.3, 0.6)
            plan.answer = start + rise(0.1, 0.3)
            plan.kl = plan.kl + rng.uniform(1.5, 5) * np.clip((u - begin) / 0.3, 0, 1) ** 2
        case "slow drift":
            plan.judge = plan.judge + rng.uniform(0.2, 0.35) * u
            plan.answer = start - rng.uniform(0.05, 0.15) * u
            plan.kl = plan.kl + 0.2 * u
        case _:
            begin = rng.uniform(0.3, 0.6)
            fallen = np.clip((u - begin) / 0.15, 0, 1)
            plan.answer = start * (1 - rng.uniform(0.6, 0.95) * fallen)
            plan.shape, plan.judge = plan.shape * (1 - 0.5 * fallen), plan.judge * (1 - 0.4 * fallen)
            plan.entropy = plan.entropy * (1 - 0.95 * fallen)


def style_free(u: Floats) -> Floats:
    """Rise in a straight line over the first half, whatever the family."""
    return np.minimum(1.0, 2 * u)


def _draw(style: Style, shape: Shape, plan: Plan, rng: np.random.Generator) -> Drawn:
    cells = (shape.steps, shape.prompts, shape.size)
    difficulty = style.difficulty(shape.pool, rng)
    hard = difficulty[order(shape)][:, :, None]
    common = rng.normal(0, 1, cells) * style.shared if style.shared else np.zeros(cells)

    def chance(curve: Floats, extra: Floats | float = 0.0) -> Floats:
        noise = _wobble(shape.steps, style.wobble + plan.noise, style.memory, rng)
        return sigmoid((logit(curve) + noise)[:, None, None] + extra)

    right = (rng.random(cells) < chance(plan.answer, hard + common)).astype(np.float64)
    formed = (rng.random(cells) < chance(plan.shape, common)).astype(np.float64)
    z = rng.normal(0, 1, cells)
    length = np.maximum(1, plan.length[:, None, None] * np.exp(0.25 * z))
    middle = plan.judge[:, None, None] + plan.tells[:, None, None] * (right - right.mean(axis=(1, 2), keepdims=True))
    judged = np.clip(middle + plan.swayed[:, None, None] * z + rng.normal(0, 0.12, cells), 0, 1)
    others = {"shape": formed, "judge": judged}
    if "long" in plan.weights:
        others["long"] = np.minimum(1.0, length / (3 * plan.length[0]))
    kl = plan.kl * np.exp(rng.normal(0, 0.15, shape.steps))
    return Drawn(
        right, others, length, kl, plan.entropy + rng.normal(0, 0.03, shape.steps),
        np.append(plan.held_out[0], plan.held_out), np.append(plan.blind[0], plan.blind), plan.weights, difficulty,
    )  # fmt: skip


def _wobble(steps: int, size: float, memory: float, rng: np.random.Generator) -> Floats:
    noise = rng.normal(0, size, steps)
    for step in range(1, steps):
        noise[step] = memory * noise[step - 1] + np.sqrt(1 - memory**2) * noise[step]
    return noise
