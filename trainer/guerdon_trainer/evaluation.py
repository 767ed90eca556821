"""Held-out evaluation: greedy and sampled, every component recorded."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from guerdon.advantage import compute_advantages, matrix_from, pass_at_k
from guerdon.config import RunConfig
from guerdon.ledger.schema import Sampling
from guerdon.manifest import Prompt
from guerdon_trainer.measures import component_measures
from guerdon_trainer.recorder import Recorder
from guerdon_trainer.rollout import RolledGroup, RolloutTimes

PROMPTS_PER_CALL = 64
"""Prompts that are rolled out at a time, so that memory stays bounded on a large held-out set."""


class RollsOut(Protocol):
    """What evaluation needs of the generator."""

    async def roll_out(
        self, prompts: Sequence[Prompt], *, samples: int, step: int, phase: str, temperature: float | None
    ) -> tuple[list[RolledGroup], RolloutTimes]:
        """Sample and score completions."""
        ...


async def evaluate(
    prompts: Sequence[Prompt], generator: RollsOut, recorder: Recorder, config: RunConfig, *, step: int
) -> dict[str, float]:
    """Roll out every held-out prompt greedily and `runtime.eval_samples` times sampled.

    Returns:
        ``eval/greedy/...`` and ``eval/sampled/...`` by component, ``eval/pass_at_k`` on the outcome.
    """
    greedy = await _pass(prompts, generator, samples=1, step=step, phase="eval-greedy", temperature=0.0)
    sampled = await _pass(
        prompts, generator, samples=config.runtime.eval_samples, step=step, phase="eval-sampled", temperature=None
    )
    measures = _record(recorder, greedy, config, step=step, sampling="greedy")
    return measures | _record(recorder, sampled, config, step=step, sampling="sampled")


def _record(
    recorder: Recorder, groups: Sequence[RolledGroup], config: RunConfig, *, step: int, sampling: Sampling
) -> dict[str, float]:
    scored = [group.scored for group in groups]
    matrix = matrix_from(scored, config.rewards, step=step, outcome=config.outcome)
    recorder.record("eval", step, groups, matrix, compute_advantages(matrix, config.algorithm), sampling=sampling)
    measures = component_measures(scored, f"eval/{sampling}", config.outcome)
    if sampling == "sampled":
        measures |= _pass_rates(matrix.values[:, matrix.components.index(config.outcome)], matrix.groups, config)
    return measures


async def _pass(
    prompts: Sequence[Prompt], generator: RollsOut, *, samples: int, step: int, phase: str, temperature: float | None
) -> list[RolledGroup]:
    groups: list[RolledGroup] = []
    for start in range(0, len(prompts), PROMPTS_PER_CALL):
        chunk = prompts[start : start + PROMPTS_PER_CALL]
        rolled, _ = await generator.roll_out(chunk, samples=samples, step=step, phase=phase, temperature=temperature)
        groups += rolled
    return groups


def _pass_rates(outcome: np.ndarray, groups: np.ndarray, config: RunConfig) -> dict[str, float]:
    ks = sorted({1, config.runtime.eval_samples})
    return {f"eval/pass_at_{k}": pass_at_k(outcome, groups, k) for k in ks}
