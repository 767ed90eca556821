"""Held-out evaluation: greedy and sampled, recorded, with pass@k on the outcome."""

import asyncio

import pytest

from guerdon.config import build_config, dump_config
from guerdon.ledger import Ledger
from guerdon.manifest import Prompt
from guerdon.scoring.engine import Engine
from guerdon_trainer import evaluation
from guerdon_trainer.evaluation import evaluate
from guerdon_trainer.folder import RunFolder
from guerdon_trainer.recorder import Recorder
from guerdon_trainer.rollout import roll_out
from guerdon_trainer.sampling import Completion, Rendered


class Sampler:
    """Greedy is always right; of the sampled ones, the k-th of prompt p is right where k < p's number."""

    def __init__(self):
        self.asked = []

    async def render(self, prompt):
        return Rendered([int(prompt.id[1:])])

    async def sample(self, requests, *, temperature, max_tokens):
        self.asked.append((len(requests), temperature, [len(r.seeds) for r in requests]))
        for index, request in enumerate(requests):
            right = 99 if temperature == 0 else request.rendered.token_ids[0]
            yield (
                index,
                [Completion([1], [-0.1], "red" if i < right else "blue", True) for i in range(len(request.seeds))],
            )


class Generator:
    """What the trainer's generator does, without SkyRL."""

    def __init__(self, sampler, engine):
        self.sampler, self.engine = sampler, engine

    async def roll_out(self, prompts, *, samples, step, phase, temperature):
        return await roll_out(
            prompts,
            self.sampler,
            self.engine,
            samples=samples,
            temperature=0.9 if temperature is None else temperature,
            max_tokens=5,
            seed=0,
            step=step,
            phase=phase,
        )


@pytest.fixture
def evaluated(run_config, tmp_path):
    def evaluated(count, eval_samples):
        exact = {"use": "correctness", "kind": "exact", "answer_from": "any", "isolation": "inline"}
        built = run_config(runtime={"eval_samples": eval_samples}, rewards={"answer": exact})
        config, plugins = build_config(dump_config(built))
        prompts = [Prompt(f"p{i}", [], {"type": "exact", "answer": "red"}, {}, ()) for i in range(count)]
        sampler, recorder = Sampler(), Recorder(config, plugins, RunFolder(tmp_path), attempt=1)
        with Engine(config.rewards, plugins=plugins, workers=1) as engine:
            measures = asyncio.run(evaluate(prompts, Generator(sampler, engine), recorder, config, step=4))
        recorder.close()
        return measures, sampler, Ledger(tmp_path / "ledger")

    return evaluated


def test_greedy_sampled_and_pass_at_k(evaluated):
    measures, sampler, ledger = evaluated(count=4, eval_samples=3)
    assert measures["eval/greedy/answer/mean"] == measures["eval/greedy/outcome"] == 1.0
    assert measures["eval/sampled/outcome"] == pytest.approx((0 + 1 + 2 + 3) / 12)
    assert measures["eval/pass_at_1"] == pytest.approx((0 + 1 / 3 + 2 / 3 + 1) / 4)
    assert measures["eval/pass_at_3"] == pytest.approx(3 / 4)
    assert measures["eval/sampled/answer/ok"] == 1.0
    assert sampler.asked == [(4, 0.0, [1] * 4), (4, 0.9, [3] * 4)]
    assert ledger.samples(phase="eval", sampling="greedy", steps=[4]).num_rows == 4
    assert ledger.samples(phase="eval", sampling="sampled", steps=[4]).num_rows == 12


def test_one_sample_gives_pass_at_1_alone(evaluated):
    measures, _, _ = evaluated(count=2, eval_samples=1)
    assert [name for name in measures if "pass_at" in name] == ["eval/pass_at_1"]


def test_a_large_set_is_rolled_out_in_chunks(evaluated, monkeypatch):
    monkeypatch.setattr(evaluation, "PROMPTS_PER_CALL", 3)
    measures, sampler, ledger = evaluated(count=7, eval_samples=1)
    assert [count for count, _, _ in sampler.asked] == [3, 3, 1, 3, 3, 1]
    assert measures["eval/greedy/outcome"] == 1.0
    assert ledger.samples(phase="eval").num_rows == 14
