import random
from pathlib import Path

import pytest

from guerdon import Group, Record, Reward, Sample, ScoredGroup, Status
from guerdon.advantage import AdvantageConfig, compute_advantages, matrix_from
from guerdon.ledger import LedgerBatch, LedgerWriter, Source


class Plain(Reward):
    name = "plain"

    def score(self, sample):
        return 1.0


REWARDS = {"answer": Plain(weight=1.0), "shape": Plain(weight=0.3, min_spread=0.05), "seen": Plain(role="monitor")}
SOURCES = {name: Source(f"demo:{name}", "1.0", "c" * 64, "d" * 64) for name in REWARDS}


def scored_groups(step, *, groups=3, size=4, seed=0, images=()):
    """Groups with every status in them, the same for the same seed and step."""
    rng = random.Random(f"{seed} {step}")
    return [_group(f"p{number}", step, size, rng, images) for number in range(groups)]


def _group(name, step, size, rng, images):
    prompt = [{"role": "user", "content": [*({"type": "image"} for _ in images), {"type": "text", "text": name}]}]
    reference = {"type": "choice", "answer": "A"}
    abstains = rng.random() < 0.3
    samples, records = [], []
    for index in range(size):
        sample = Sample(
            f"{name}/{index}",
            f"<answer>{rng.choice('ABC')}</answer>",
            prompt,
            reference,
            completion_tokens=tuple(range(rng.randint(1, 9))),
            images=images,
            group_id=name,
            index=index,
            step=step,
        )
        samples.append(sample)
        records.append(
            [
                _judged(sample, "answer", rng),
                Record(sample.id, "shape", Status.ABSTAIN, reason="no tags")
                if abstains
                else _judged(sample, "shape", rng),
                Record(sample.id, "seen", Status.TIMEOUT, cause="infrastructure", masks=True, reason="killed"),
            ]
        )
    return ScoredGroup(Group(name, samples), tuple(REWARDS), records)


def _judged(sample, component, rng):
    if rng.random() < 0.1:
        return Record(sample.id, component, Status.ERROR, cause="infrastructure", masks=True, reason="worker lost")
    if rng.random() < 0.1:
        return Record(sample.id, component, Status.ERROR, 0.0, cause="completion", reason="ValueError")
    value = rng.choice([0.0, 0.25, 1.0, rng.random()])
    return Record(
        sample.id, component, Status.OK, value, "seen", {"iou": value}, {"lenient": 1.0}, latency_ms=rng.random()
    )


def make_batch(step, *, rule=None, scored=None, rewards=None, phase="train", sampling="sampled", seed=0, **facts):
    scored = scored_groups(step, seed=seed) if scored is None else scored
    rule = rule or AdvantageConfig()
    matrix = matrix_from(scored, rewards or REWARDS, step=step, outcome="answer", mask_truncated=rule.mask_truncated)
    return LedgerBatch(
        phase, step, 7, scored, matrix, rule, compute_advantages(matrix, rule), sampling=sampling, **facts
    )


@pytest.fixture
def batch():
    return make_batch


@pytest.fixture
def groups():
    return scored_groups


@pytest.fixture
def writer(tmp_path):
    """Open writers on one ledger, closed at the end."""
    opened = []

    def open_writer(attempt=1, *, folder: Path = tmp_path / "ledger", **options):
        opened.append(LedgerWriter(folder, run="demo", attempt=attempt, sources=SOURCES, **options))
        return opened[-1]

    yield open_writer
    for one in opened:
        one.close()
