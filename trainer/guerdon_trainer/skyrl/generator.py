"""SkyRL's generator interface over our rollouts."""

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from skyrl.train.generators.base import GeneratorInput, GeneratorInterface, GeneratorOutput

from guerdon.manifest import Prompt
from guerdon.scoring.engine import Engine
from guerdon_trainer.rollout import RolledGroup, RolloutTimes, roll_out
from guerdon_trainer.sampling import Sampler


class GroupGenerator(GeneratorInterface):  # type: ignore[misc]
    """Generates by group and scores each as soon as it is done.

    The scored groups stay here, by uid, until the trainer takes them with `take`.
    """

    def __init__(self, sampler: Sampler, engine: Engine, *, seed: int, temperature: float, max_tokens: int) -> None:
        self.sampler, self.engine, self.seed = sampler, engine, seed
        self.temperature, self.max_tokens = temperature, max_tokens
        self._scored: dict[str, RolledGroup] = {}

    async def generate(self, input_batch: GeneratorInput, disable_tqdm: bool = False) -> GeneratorOutput:
        """Return one trajectory for each prompt of the batch; rewards stand in for the totals to come."""
        del disable_tqdm
        prompts, samples = _unrepeat(input_batch)
        step = input_batch["batch_metadata"].global_step
        groups, times = await self.roll_out(prompts, samples=samples, step=step)
        self._scored |= {group.prompt.id: group for group in groups}
        return as_generator_output(groups, input_batch["trajectory_ids"], times)

    async def roll_out(
        self,
        prompts: Sequence[Prompt],
        *,
        samples: int,
        step: int,
        phase: str = "train",
        temperature: float | None = None,
    ) -> tuple[list[RolledGroup], RolloutTimes]:
        """Roll out with this generator's sampler and engine."""
        return await roll_out(
            prompts,
            self.sampler,
            self.engine,
            samples=samples,
            temperature=self.temperature if temperature is None else temperature,
            max_tokens=self.max_tokens,
            seed=self.seed,
            step=step,
            phase=phase,
        )

    def take(self, uids: Iterable[str]) -> list[RolledGroup]:
        """Hand over the groups of `uids`, in that order, and forget all others."""
        groups = [self._scored[uid] for uid in dict.fromkeys(uids)]
        self._scored.clear()
        return groups


def _unrepeat(batch: GeneratorInput) -> tuple[list[Prompt], int]:
    """Return the distinct prompts and the number of samples of each."""
    prompts = [extras["prompt"] for extras in batch["env_extras"]]
    distinct = list({prompt.id: prompt for prompt in prompts}.values())
    return distinct, len(prompts) // len(distinct)


def as_generator_output(groups: Sequence[RolledGroup], trajectory_ids: Any, times: RolloutTimes) -> GeneratorOutput:
    """Lay out groups as SkyRL's trainer reads them: flat lists, a group's samples side by side."""
    pairs = [(group, completion) for group in groups for completion in group.completions]
    lengths = [len(completion.token_ids) for _, completion in pairs]
    pixels, grids = _images(groups)
    return GeneratorOutput(
        prompt_token_ids=[group.rendered.token_ids for group, _ in pairs],
        response_ids=[completion.token_ids for _, completion in pairs],
        rewards=[0.0] * len(pairs),
        loss_masks=[[1] * length for length in lengths],
        stop_reasons=["stop" if completion.finished else "length" for _, completion in pairs],
        rollout_metrics={
            "rollout/tokens": float(sum(lengths)),
            "rollout/length_mean": sum(lengths) / len(lengths),
            "rollout/truncated": sum(not completion.finished for _, completion in pairs) / len(pairs),
            "rollout/tokens_per_second": sum(lengths) / max(times.generate, 1e-9),
            "rollout/render_s": times.render,
            "rollout/generate_s": times.generate,
            "rollout/wait_for_rewards_s": times.wait_for_rewards,
        },
        rollout_logprobs=[completion.logprobs for _, completion in pairs],
        trajectory_ids=trajectory_ids,
        trajectory_generation_times=None,
        trajectory_time_splits=None,
        rollout_expert_indices=None,
        rollout_sample_support=None,
        is_last_step=None,
        env_metrics=None,
        pixel_values=pixels,
        image_grid_thw=grids,
    )


def _images(groups: Sequence[RolledGroup]) -> tuple[list[torch.Tensor] | None, list[torch.Tensor] | None]:
    """Return one tensor a sample; a text-only prompt among others gets tensors of zero rows."""
    shown = [group.rendered.pixel_values for group in groups]
    example = next((tensor for tensor in shown if tensor is not None), None)
    if example is None:
        return None, None
    empty = example.new_zeros((0, *example.shape[1:]))
    no_grid = torch.zeros((0, 3), dtype=torch.long)
    pixels, grids = [], []
    for group in groups:
        values, grid = group.rendered.pixel_values, group.rendered.image_grid_thw
        pixels += [empty if values is None else values] * len(group.completions)
        grids += [no_grid if grid is None else grid] * len(group.completions)
    return pixels, grids
