"""RayPPOTrainer with our advantages, ledger, evaluation and reference."""

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import ray
import torch
from skyrl.backends.skyrl_train.distributed.dispatch import WorkerOutput, loss_fn_outputs_to_tensor
from skyrl.backends.skyrl_train.training_batch import TrainingInputBatch
from skyrl.backends.skyrl_train.workers.worker import PPORayActorGroup
from skyrl.backends.skyrl_train.workers.worker_dispatch import WorkerDispatch
from skyrl.train import trainer as skyrl_trainer
from skyrl.train.trainer import RayPPOTrainer
from skyrl.train.utils.trainer_utils import cleanup_old_checkpoints

from guerdon.advantage import Advantages, ComponentMatrix, compute_advantages, matrix_from
from guerdon.config import RunConfig
from guerdon.manifest import Prompt
from guerdon_trainer.adapter import check_adapter
from guerdon_trainer.checkpoint import drop_uncommitted
from guerdon_trainer.evaluation import evaluate
from guerdon_trainer.measures import training_measures
from guerdon_trainer.metrics import rename
from guerdon_trainer.recorder import Recorder, SampleFacts
from guerdon_trainer.rollout import RolledGroup
from guerdon_trainer.skyrl.data import StepBatches
from guerdon_trainer.skyrl.workers import swapped


class GuerdonTrainer(RayPPOTrainer):  # type: ignore[misc]
    """Trains on advantages computed from components, and writes down every component of every sample."""

    def __init__(
        self,
        *,
        run: RunConfig,
        prompts: Sequence[Prompt],
        held_out: Sequence[Prompt],
        recorder: Recorder,
        policy_worker: Any,
        **skyrl: Any,
    ) -> None:
        self.run_config, self.prompts, self.held_out, self.recorder = run, prompts, held_out, recorder
        self.policy_worker = policy_worker
        self._groups: list[RolledGroup] = []
        self._matrix: ComponentMatrix | None = None
        self._advantages: Advantages | None = None
        with swapped(skyrl_trainer, configure_ray_worker_logging=lambda: None):  # it would log to the terminal
            super().__init__(**skyrl)

    def _build_train_dataloader_and_compute_training_steps(self) -> None:
        """Take the batch of each step from seed and step alone."""
        run = self.run_config
        self.train_dataloader = StepBatches(
            self.prompts, size=run.prompts_per_step, steps=run.runtime.steps, seed=run.run.seed
        )
        self.total_training_steps = run.runtime.steps

    def build_models(self, PolicyWorker: Any, CriticWorker: Any, RefWorker: Any) -> None:  # noqa: N803 - SkyRL's names
        """Build the policy alone: GRPO has no critic, and the reference is the policy without its adapter."""
        del PolicyWorker, CriticWorker, RefWorker
        trainer = self.cfg.trainer
        colocated = trainer.placement.colocate_all
        self.policy_model = PPORayActorGroup(
            trainer,
            trainer.placement.policy_num_nodes,
            trainer.placement.policy_num_gpus_per_node,
            self.policy_worker,
            pg=self.colocate_pg if colocated else None,
            num_gpus_per_actor=0.2 if colocated else 1,
            colocate_all=colocated,
            sequence_parallel_size=trainer.policy.sequence_parallel_size,
        )
        updates = trainer.train_batch_size // trainer.policy_mini_batch_size * trainer.update_epochs_per_batch
        steps = self.total_training_steps * updates
        ray.get(self.policy_model.async_init_model(trainer.policy.model.path, num_training_steps=steps))
        pad = self.tokenizer.pad_token_id
        ray.get(self.policy_model.async_run_ray_method("pass_through", "_set_pad_token_id", pad))
        if colocated:
            self.policy_model.offload_to_cpu()
        self.dispatch = WorkerDispatch(
            cfg=self.cfg,
            policy_actor_group=self.policy_model,
            inference_engine_client=self.inference_engine_client,
        )
        if colocated:
            self.dispatch.mark_all_offloaded()

    def postprocess_generator_output(self, generator_output: Any, uids: list[str], *_: Any, **__: Any) -> Any:
        """Turn scores into totals and advantages; samples that are not trained on lose their loss mask."""
        self._groups = self.generator.take(uids)
        scored = [group.scored for group in self._groups]
        self._matrix = matrix_from(
            scored,
            self.run_config.rewards,
            step=self.global_step,
            outcome=self.run_config.outcome,
            mask_truncated=self.run_config.algorithm.mask_truncated,
        )
        self._advantages = compute_advantages(self._matrix, self.run_config.algorithm)
        self.all_metrics.update(training_measures(scored, self._matrix, self._advantages, self.run_config.outcome))
        rewards = []
        masks = []
        for row, response in enumerate(generator_output["response_ids"]):
            total = self._advantages.totals[row]
            rewards.append([0.0] * (len(response) - 1) + [0.0 if math.isnan(total) else float(total)])
            masks.append([int(self._advantages.trained[row])] * len(response))
        generator_output["rewards"], generator_output["loss_masks"] = rewards, masks
        return generator_output, uids

    def compute_advantages_and_returns(self, data: TrainingInputBatch) -> TrainingInputBatch:
        """Hand our advantages to SkyRL, one for each completion token, and record the samples."""
        assert self._advantages is not None
        rows = len(self._advantages.advantages)
        column = torch.zeros(len(data["rewards"]))
        column[:rows] = torch.from_numpy(self._advantages.advantages).float()
        data["advantages"] = column[:, None] * data["response_mask"].float()
        data["returns"] = data["advantages"].clone()
        data.metadata.setdefault("metrics", {})["avg_response_length"] = data.metadata["avg_response_length"]
        self._record(data, rows)
        return data.to("cpu")

    def fwd_logprobs_values_reward(self, training_input: TrainingInputBatch) -> TrainingInputBatch:
        """Add the policy's log-probabilities, and the reference's where a KL penalty asks for them."""
        data = super().fwd_logprobs_values_reward(training_input)
        if self.cfg.trainer.algorithm.use_kl_loss:
            data["base_action_log_probs"] = self._reference_logprobs(data)[: len(data["sequences"])]
        return data

    def _reference_logprobs(self, data: TrainingInputBatch) -> torch.Tensor:
        """Return [B, T] log-probabilities of the policy with its adapter off."""
        keys = [
            key
            for key in ("sequences", "attention_mask", "pixel_values", "image_grid_thw")
            if data.get(key) is not None
        ]
        self.dispatch._ensure_on_gpu("policy", need_optimizer=False, need_model=True)  # noqa: SLF001 - as its forward does
        refs = self.policy_model.async_run_ray_method(
            "mesh", "forward_reference", data=data.select(keys=keys, metadata_keys=["response_length"])
        )
        output = WorkerOutput.cat(self.policy_model.actor_infos, ray.get(refs))
        logprobs: torch.Tensor = loss_fn_outputs_to_tensor(output.loss_fn_outputs, key="logprobs")
        return logprobs

    def _record(self, data: TrainingInputBatch, rows: int) -> None:
        assert self._matrix is not None
        assert self._advantages is not None
        mask = data["response_mask"][:rows]
        facts = SampleFacts(
            rollout_logprobs=_mean_logprob(data["rollout_logprobs"], mask),
            trainer_logprobs=_mean_logprob(data["action_log_probs"], mask),
        )
        self.recorder.record("train", self.global_step, self._groups, self._matrix, self._advantages, facts=facts)

    async def train(self) -> None:
        """Train without SkyRL's own progress bar: a metrics sink draws ours."""
        with swapped(skyrl_trainer, tqdm=partial(skyrl_trainer.tqdm, disable=True)):
            await super().train()

    async def eval(self, vllm_metrics_scraper: Any = None) -> dict[str, float]:
        """Evaluate on the held-out prompts, greedy and sampled."""
        del vllm_metrics_scraper
        step, steps = self.global_step, self.total_training_steps
        if step % self.cfg.trainer.eval_interval and step != steps:  # SkyRL asks again wherever a run resumes
            return {}
        return await evaluate(self.held_out, self.generator, self.recorder, self.run_config, step=self.global_step)

    def save_checkpoints(self) -> str:
        """Save, and make sure that what was saved is the adapter.

        SkyRL logs a step after its checkpoint: a run killed in between would lose the step's numbers.
        """
        self.recorder.log(self.global_step, rename(self.all_metrics))
        self.recorder.flush()
        path = str(super().save_checkpoints())
        check_adapter(Path(path) / "policy" / "lora_adapter", self.run_config)
        return path

    def _cleanup_old_checkpoints(self) -> None:
        """Remove old checkpoints here; on every node only where there are several."""
        trainer = self.cfg.trainer
        if trainer.placement.policy_num_nodes > 1 and self.run_config.runtime.backend == "cluster":
            super()._cleanup_old_checkpoints()
        else:
            cleanup_old_checkpoints(trainer.ckpt_path, trainer.max_ckpts_to_keep)

    def load_checkpoints(self) -> Any:
        """Resume from the newest committed step."""
        drop_uncommitted(Path(self.cfg.trainer.ckpt_path))
        return super().load_checkpoints()


def _mean_logprob(logprobs: torch.Tensor | None, mask: torch.Tensor) -> list[float] | None:
    """Return the mean over each completion's tokens [B]."""
    if logprobs is None:
        return None
    kept = logprobs[: len(mask)].double() * mask
    return (kept.sum(-1) / mask.sum(-1).clamp_min(1)).tolist()
