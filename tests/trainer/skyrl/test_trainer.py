"""The advantages that SkyRL is handed are those that the ledger's rows give again, in every mode."""

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import guerdon_trainer.skyrl
from guerdon.config import build_config
from guerdon.ledger import Ledger
from guerdon.manifest import Prompt
from guerdon.scoring.engine import Engine
from guerdon_trainer.folder import RunFolder
from guerdon_trainer.recorder import Recorder
from guerdon_trainer.sampling import Completion, Rendered
from guerdon_trainer.skyrl.generator import GroupGenerator, as_generator_output
from guerdon_trainer.skyrl.trainer import GuerdonTrainer

assert guerdon_trainer.skyrl

from skyrl.backends.skyrl_train.training_batch import TrainingInputBatch  # noqa: E402

MODES = {
    "sum": {"advantage": "sum"},
    "dr_grpo": {"advantage": "sum", "advantage_scale": "none"},
    "leave_one_out": {"advantage": "sum", "advantage_baseline": "leave_one_out"},
    "gdpo": {"advantage": "gdpo"},
    "gate": {"advantage": "gate", "gates": {"shape": "answer"}},
    "product": {"advantage": "product"},
    "lexicographic": {"advantage": "lexicographic", "priority": ["answer", "shape", "brief"]},
    "filter": {"advantage": "gdpo", "filter": "outcome"},
    "mask_truncated": {"advantage": "gdpo", "mask_truncated": True},
}
TEXTS = (
    "<think>a</think><answer>red</answer>",
    "<think>a</think><answer>blue</answer>",
    "<answer>red</answer>",
    "red",
)
GROUPS = 3


class FixedSampler:
    """Writes the same four completions for each prompt but the last, where all are right."""

    async def render(self, prompt):
        return Rendered([1, 2, 3])

    async def sample(self, requests, *, temperature, max_tokens):
        for index, request in enumerate(requests):
            assert len(request.seeds) == len(TEXTS)
            written = [_completion(i, text) for i, text in enumerate(TEXTS)]
            yield index, written if index < GROUPS - 1 else written[:1] * len(TEXTS)


def _completion(index: int, text: str) -> Completion:
    ids = list(range(10, 14 + index * 3))
    return Completion(ids, [-0.1 * (index + 1)] * len(ids), text, finished=index != 3)


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """One engine for all modes: the rewards are the same."""
    config, plugins = build_config(_config({}, tmp_path_factory.mktemp("engine")))
    with Engine(config.rewards, plugins=plugins) as started:
        yield started


@pytest.mark.parametrize("mode", MODES)
def test_tensor_equals_ledger(mode, engine, tmp_path):
    config, plugins = build_config(_config(MODES[mode], tmp_path))
    recorder = Recorder(config, plugins, RunFolder(tmp_path), attempt=1)
    trainer = _trainer(config, recorder, engine)
    prompts = [Prompt(f"p{i}", [], {"type": "exact", "answer": "red"}, {}, ()) for i in range(GROUPS)]
    groups, times = asyncio.run(trainer.generator.roll_out(prompts, samples=4, step=5))
    trainer.generator._scored = {group.prompt.id: group for group in groups}
    uids = [prompt.id for prompt in prompts for _ in range(4)]
    output, _ = trainer.postprocess_generator_output(as_generator_output(groups, None, times), uids)
    data = trainer.compute_advantages_and_returns(_batch(output))
    recorder.close()
    ledger = Ledger(tmp_path / "ledger")
    again = ledger.recompute(5)
    stored = ledger.samples(phase="train", steps=[5])
    handed = data["advantages"]
    mask = data["response_mask"].bool()
    assert (handed[~mask] == 0).all()
    for row in range(len(uids)):
        assert (handed[row][mask[row]] == np.float32(again.advantages[row])).all()
        assert bool(output["loss_masks"][row][0]) == bool(again.trained[row]) == stored["trained"][row].as_py()
    assert handed[:8].abs().sum() > 0
    assert (handed[8:] == 0).all(), "a constant group gives exactly nothing"
    np.testing.assert_allclose(stored["rollout_logprob"].to_pylist()[:4], [-0.1, -0.2, -0.3, -0.4], rtol=1e-6)
    if mode == "mask_truncated":
        assert stored["trained"].to_pylist()[:4] == [True, True, True, False]


def _config(algorithm: dict, tmp_path) -> dict:
    return {
        "run": {"name": "t"},
        "model": {"name_or_path": str(tmp_path)},
        "algorithm": {"group_size": 4, **algorithm},
        "data": {"train_manifest": "none"},
        "outcome": "answer",
        "rewards": {
            "answer": {"use": "correctness", "answer_from": "any"},
            "shape": {"use": "format", "format": "think_answer", "weight": 0.3},
            "brief": {"use": "length", "max_len": 12, "cache_len": 6, "weight": 0.2},
        },
    }


def _trainer(config, recorder, engine) -> GuerdonTrainer:
    """A trainer without Ray and models: the two methods need neither."""
    trainer = object.__new__(GuerdonTrainer)
    trainer.run_config, trainer.recorder, trainer.global_step, trainer.all_metrics = config, recorder, 5, {}
    trainer.generator = GroupGenerator(FixedSampler(), engine, seed=0, temperature=1.0, max_tokens=64)
    trainer.cfg = SimpleNamespace()
    return trainer


def _batch(output) -> TrainingInputBatch:
    """Right-aligned responses, as SkyRL lays them out."""
    lengths = [len(ids) for ids in output["response_ids"]]
    width = max(lengths)
    mask = torch.tensor([[0] * (width - n) + [1] * n for n in lengths])
    logprobs = torch.tensor(
        [[0.0] * (width - n) + lp for n, lp in zip(lengths, output["rollout_logprobs"], strict=True)]
    )
    batch = TrainingInputBatch(
        {
            "sequences": mask.clone(),
            "response_mask": mask,
            "rewards": mask.float(),
            "rollout_logprobs": logprobs,
            "action_log_probs": logprobs - 0.01,
        }
    )
    batch.metadata = {"avg_response_length": float(np.mean(lengths)), "uids": []}
    return batch
