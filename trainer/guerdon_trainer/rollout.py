"""Rollouts by group: render, sample, score while other groups still generate."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from guerdon import Group, Sample, ScoredGroup
from guerdon.manifest import Prompt
from guerdon.scoring.engine import Engine
from guerdon_trainer.sampling import Completion, Rendered, Request, Sampler
from guerdon_trainer.seeds import derive


@dataclass(frozen=True, slots=True)
class RolledGroup:
    """One prompt's completions, scored."""

    prompt: Prompt
    rendered: Rendered
    completions: Sequence[Completion]
    scored: ScoredGroup


@dataclass(slots=True)
class RolloutTimes:
    """Seconds of one call."""

    render: float = 0.0
    generate: float = 0.0
    wait_for_rewards: float = field(default=0.0)
    """From the last completion to the last score."""


async def roll_out(
    prompts: Sequence[Prompt],
    sampler: Sampler,
    engine: Engine,
    *,
    samples: int,
    temperature: float,
    max_tokens: int,
    seed: int,
    step: int,
    phase: str,
) -> tuple[list[RolledGroup], RolloutTimes]:
    """Sample and score `samples` completions of each prompt; groups come back in order of `prompts`.

    Args:
        samples: completions of each prompt.
        temperature: 0 is greedy.
        max_tokens: limit of a completion, in tokens.
        seed: the run's; with step, phase, prompt and index it seeds each completion.
        phase: ``train`` or the name of an evaluation, so that they draw differently.
    """
    times, start = RolloutTimes(), time.perf_counter()
    rendered = await asyncio.gather(*(sampler.render(prompt) for prompt in prompts))
    times.render = time.perf_counter() - start
    requests = [
        Request(shown, [derive(seed, phase, step, prompt.id, index) for index in range(samples)])
        for prompt, shown in zip(prompts, rendered, strict=True)
    ]
    start = time.perf_counter()
    waiting: dict[int, Any] = {}
    written: dict[int, Sequence[Completion]] = {}
    async for index, completions in sampler.sample(requests, temperature=temperature, max_tokens=max_tokens):
        written[index] = completions
        waiting[index] = asyncio.wrap_future(engine.submit(as_group(prompts[index], completions, step)))
    times.generate = time.perf_counter() - start
    start = time.perf_counter()
    scored = [await waiting[index] for index in range(len(prompts))]
    times.wait_for_rewards = time.perf_counter() - start
    groups = [
        RolledGroup(prompt, rendered[index], written[index], scored[index]) for index, prompt in enumerate(prompts)
    ]
    return groups, times


def as_group(prompt: Prompt, completions: Sequence[Completion], step: int) -> Group:
    """Return what rewards get to see of a prompt's completions."""
    samples = tuple(
        Sample(
            id=f"{prompt.id}/{index}",
            completion=completion.text,
            prompt=prompt.messages,
            reference=prompt.reference,
            completion_tokens=completion.token_ids,
            truncated=not completion.finished,
            images=prompt.images,
            metadata=prompt.metadata,
            group_id=prompt.id,
            index=index,
            step=step,
        )
        for index, completion in enumerate(completions)
    )
    return Group(prompt.id, samples)
