"""SkyRL's experiment with our parts in its hooks."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skyrl.backends.skyrl_train.inference_servers.utils import resolve_policy_model_name
from skyrl.train.entrypoints.main_base import BasePPOExp

from guerdon import Plugins
from guerdon.config import RunConfig
from guerdon.manifest import Prompt
from guerdon.scoring.engine import Engine
from guerdon_trainer.backend import Backend
from guerdon_trainer.evaluation import evaluate
from guerdon_trainer.metrics import Metrics
from guerdon_trainer.recorder import Recorder
from guerdon_trainer.skyrl.generator import GroupGenerator
from guerdon_trainer.skyrl.trainer import GuerdonTrainer


@dataclass(frozen=True, slots=True)
class Parts:
    """What the experiment is put together from."""

    config: RunConfig
    plugins: Plugins
    backend: Backend
    engine: Engine
    recorder: Recorder
    metrics: Metrics
    prompts: Sequence[Prompt]
    held_out: Sequence[Prompt]


class GuerdonExperiment(BasePPOExp):  # type: ignore[misc]
    """Builds tokenizer, rollout engine, generator and trainer, and runs them."""

    def __init__(self, cfg: Any, parts: Parts) -> None:
        self.parts = parts
        super().__init__(cfg)

    def evaluate(self, adapter: Path | None) -> None:
        """Start the rollout engine alone, evaluate on the held-out prompts, and log the measures as step 0.

        Args:
            adapter: a LoRA adapter to load first; None evaluates the model itself.
        """
        if adapter is None:
            self.cfg.trainer.policy.model.lora.rank = 0  # SkyRL would ask for its adapter by name
        client = self.get_inference_client()
        generator = self.get_generator(self.cfg, self.tokenizer, client)
        asyncio.run(self._evaluate(client, generator, str(adapter.resolve()) if adapter else None))

    async def _evaluate(self, client: Any, generator: GroupGenerator, adapter: str | None) -> None:
        parts = self.parts
        if adapter is not None:
            await client.load_lora_adapter(resolve_policy_model_name(self.cfg), adapter)
        measures = await evaluate(parts.held_out, generator, parts.recorder, parts.config, step=0)
        self.get_tracker().log(measures, step=0)
        await client.teardown()

    def get_train_dataset(self) -> Any:
        """Return the prompts; the trainer batches them by step."""
        return self.parts.prompts

    def get_eval_dataset(self) -> None:
        """Leave SkyRL's own evaluation without data; ours has its prompts."""

    def get_trajectory_logger(self) -> None:
        """Leave it out: the ledger holds every trajectory."""

    def get_tracker(self) -> Metrics:
        """Return our metrics."""
        return self.parts.metrics

    def get_inference_client(self) -> Any:
        """Start the rollout engine of the backend."""
        return self.parts.backend.client(self)

    def get_generator(self, cfg: Any, tokenizer: Any, inference_engine_client: Any) -> GroupGenerator:
        """Return the generator that rolls out and scores by group."""
        del cfg, tokenizer
        config = self.parts.config
        return GroupGenerator(
            self.parts.backend.sampler(self, inference_engine_client),
            self.parts.engine,
            seed=config.run.seed,
            temperature=config.algorithm.temperature,
            max_tokens=config.algorithm.max_completion_tokens,
        )

    def get_trainer(self, **skyrl: Any) -> GuerdonTrainer:
        """Return our trainer, which also swaps the policy's worker class."""
        parts = self.parts
        return GuerdonTrainer(
            run=parts.config,
            prompts=parts.prompts,
            held_out=parts.held_out,
            recorder=parts.recorder,
            policy_worker=parts.backend.policy_worker,
            **skyrl,
        )
