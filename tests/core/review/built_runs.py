"""Runs made up for tests: a real ledger, written by the real writer, with scores that a test chooses."""

import base64
import io
import json
import random
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image

from guerdon import Group, LazyImage, Record, Reward, Sample, ScoredGroup, Status
from guerdon.advantage import AdvantageConfig, compute_advantages, matrix_from
from guerdon.ledger import LedgerBatch, LedgerWriter, Source

SIZE = (40, 30)
MODALITIES = ("text", "image", "image", "images")


class Plain(Reward):
    name = "plain"

    def score(self, sample):
        return 1.0


def rises(start, end):
    """A chance that grows in a straight line over the run."""
    return lambda progress: start + (end - start) * progress


def flat(chance):
    return lambda _: chance


HONEST = {"answer": rises(0.3, 0.8), "boxes": rises(0.3, 0.6), "shape": rises(0.7, 0.9)}
HACKED = {"answer": flat(0.4), "boxes": flat(0.3), "shape": rises(0.2, 0.95)}


@dataclass
class Plan:
    """What a made-up run is like."""

    chances: dict = field(default_factory=lambda: dict(HONEST))
    """By component: the chance of a 1, by the progress of the run from 0 to 1."""

    rewards: dict | None = None
    steps: int = 5
    prompts: int = 6
    group: int = 4
    held_out: int = 12
    evaluations: tuple = (0, 5)
    seed: int = 0
    outcome: str | None = "answer"
    rule: AdvantageConfig = field(default_factory=AdvantageConfig)
    metadata: bool = True
    """Whether prompts declare their modality."""

    judge: object = None
    """``judge(sample, component, phase, step) -> Record | None`` overrides a record."""

    write: object = None
    """``write(sample_id, rng) -> str`` writes completions."""

    metrics: object = None
    """``metrics(step) -> dict`` of the table of steps."""

    def components(self):
        return self.rewards or {name: Plain(weight=1.0 if name == "answer" else 0.5) for name in self.chances}


def picture(number):
    """A PNG of its own for each number."""
    target = io.BytesIO()
    Image.new("RGB", SIZE, (number * 37 % 256, number * 91 % 256, 200)).save(target, "PNG")
    return LazyImage(f"data:image/png;base64,{base64.b64encode(target.getvalue()).decode()}")


def build_run(folder, plan=None, **changes):
    """Write a run folder and return it."""
    plan = plan or Plan(**changes)
    folder.mkdir(parents=True, exist_ok=True)
    facts = {"config": {"run": {"name": "made-up", "seed": plan.seed}, "model": {"name_or_path": "tiny"}}}
    (folder / "run.json").write_text(json.dumps(facts))
    sources = {name: Source(f"demo:{name}", "1.0", "c" * 64, "d" * 64) for name in plan.components()}
    with LedgerWriter(folder / "ledger", run="made-up", attempt=1, sources=sources) as writer:
        for step in plan.evaluations:
            for sampling in ("greedy", "sampled"):
                writer.write_batch(batch(plan, "eval", step, sampling))
        for step in range(1, plan.steps + 1):
            writer.write_batch(batch(plan, "train", step, "sampled"))
            writer.write_step(step, plan.metrics(step) if plan.metrics else {"kl": 0.01 * step, "entropy": 1.0 / step})
    return folder


def batch(plan, phase, step, sampling):
    training = phase == "train"
    numbers = range(plan.held_out)
    if training:
        numbers = [1000 + (step * plan.prompts + k) % (plan.prompts * 3) for k in range(plan.prompts)]
    size = plan.group if training else 1
    scored = [scored_group(plan, phase, step, sampling, number, size) for number in numbers]
    rewards = plan.components()
    matrix = matrix_from(
        scored, rewards, step=max(step, 1), outcome=plan.outcome, mask_truncated=plan.rule.mask_truncated
    )
    return LedgerBatch(
        phase, step, 7, scored, matrix, plan.rule, compute_advantages(matrix, plan.rule), sampling=sampling
    )


def scored_group(plan, phase, step, sampling, number, size):
    rng = random.Random(f"{plan.seed} {phase} {step} {sampling} {number}")
    name = f"{phase}-{number:04d}"
    modality = MODALITIES[number % len(MODALITIES)]
    images = tuple(picture(number + k) for k in range({"text": 0, "image": 1, "images": 2}[modality]))
    content = [*({"type": "image"} for _ in images), {"type": "text", "text": f"what is in picture {number}?"}]
    prompt = [{"role": "user", "content": content}]
    metadata = {"modality": modality, "image_width": SIZE[0], "image_height": SIZE[1]} if plan.metadata else {}
    samples = []
    for index in range(size):
        identity = f"{name}/{index}"
        text = plan.write(identity, rng) if plan.write else f"<think>box</think><answer>{rng.choice('ABC')}</answer>"
        reference = {"type": "choice", "answer": "A"}
        tokens = tuple(range(3 + zlib.crc32(identity.encode()) % 20))
        sample = Sample(
            identity,
            text,
            prompt,
            reference,
            completion_tokens=tokens,
            images=images,
            metadata=metadata,
            group_id=name,
            index=index,
            step=step,
        )
        samples.append(sample)
    records = [
        [record(plan, sample, component, phase, step, rng) for component in plan.components()] for sample in samples
    ]
    return ScoredGroup(Group(name, samples), tuple(plan.components()), records)


def record(plan, sample, component, phase, step, rng):
    progress = step / max(plan.steps, 1)
    luck = rng.random()
    if plan.judge and (given := plan.judge(sample, component, phase, step)):
        return given
    value = float(luck < plan.chances[component](progress))
    evidence, metrics = {}, {}
    if component == "answer":
        evidence, metrics = {"gold": "A", "span": [24, 25]}, {"strict": value, "lenient": max(value, float(luck < 0.5))}
    if component == "boxes":
        if not sample.images:
            return Record(sample.id, component, Status.ABSTAIN, reason="no boxes in the reference")
        evidence = {"predicted": [[4.0, 6.0, 20.0, 24.0]], "true": [[6.0, 8.0, 22.5, 20.0]], "iou": value}
        evidence |= {"predicted_labels": ["thing"], "true_labels": ["thing"]}
    return Record(
        sample.id, component, Status.OK, value, f"{component} is {value:g}", evidence, metrics, latency_ms=1.0
    )


def ledger_of(folder: Path) -> Path:
    return folder / "ledger"
