"""The rollout engine of the local backend: a Ray actor, and the client that SkyRL talks to."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import ray
from skyrl.backends.skyrl_train.inference_servers.base import InferenceEngineInterface

from guerdon.manifest import Prompt
from guerdon_trainer.sampling import Completion, Rendered, Request, openai_messages

ROWS_PER_BATCH = 64
"""Completions of one generate call. Groups are never split, and the split depends on nothing but the
requests, so a repeated run draws the same."""


class GenerateActorBase:
    """Holds the model of `Generator` in a process of its own."""

    def __init__(self, model_path: str) -> None:
        from guerdon_trainer.local.generate import Generator

        self.generator = Generator(model_path)

    def complete(self, requests: Sequence[Request], temperature: float, max_tokens: int) -> list[list[Completion]]:
        """Return the completions of each request."""
        return self.generator.complete(requests, temperature=temperature, max_tokens=max_tokens)

    def load_adapter(self, path: str) -> int:
        """Load the policy's adapter."""
        return self.generator.load_adapter(path)


GenerateActor = ray.remote(GenerateActorBase)


class LocalClient(InferenceEngineInterface):  # type: ignore[misc]
    """SkyRL's client of the actor. Pickles: it holds an actor handle and strings."""

    def __init__(self, actor: Any, model_name: str) -> None:
        self.actor, self._model_name = actor, model_name
        self.adapter_tensors: int | None = None

    @property
    def model_name(self) -> str:
        """The base model's path."""
        return self._model_name

    async def update_named_weights(self, request: Any) -> dict[str, Any]:
        """Load the adapter that SkyRL's FSDP worker has written."""
        return await self.load_lora_adapter(request.lora_name, request.lora_path)

    async def load_lora_adapter(self, lora_name: str, lora_path: str) -> dict[str, Any]:
        """Load an adapter by path."""
        return {"name": lora_name, "tensors": await self.actor.load_adapter.remote(lora_path)}

    async def teardown(self) -> None:
        """End the actor."""
        ray.kill(self.actor)

    async def get_world_size(self) -> tuple[int, int]:
        """One worker."""
        return 1, 1

    def increment_weight_version(self) -> None:
        """Nothing is cached by version."""

    async def is_sleeping(self) -> bool:
        """Memory is never given back."""
        return False

    async def _nothing(self, *_: Any, **__: Any) -> None:
        """Do nothing: there is no memory to free, no cache to reset, no session."""

    sleep = wake_up = finish_session = reset_prefix_cache = pause_generation = resume_generation = _nothing

    async def _use_sampler(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("the local backend is sampled through LocalSampler")

    generate = chat_completion = completion = render_chat_completion = _use_sampler

    def get_endpoint_url(self) -> str:
        """There is no HTTP endpoint."""
        raise NotImplementedError("the local backend has no HTTP endpoint")


class LocalSampler:
    """Renders here, samples in the actor."""

    def __init__(self, actor: Any, processor: Any) -> None:
        self.actor, self.processor = actor, processor

    async def render(self, prompt: Prompt) -> Rendered:
        """Apply the chat template and preprocess the images."""
        text = self.processor.apply_chat_template(openai_messages(prompt), tokenize=False, add_generation_prompt=True)
        images = [image.open() for image in prompt.images] or None
        batch = self.processor(text=[text], images=images, return_tensors="pt")
        return Rendered(batch["input_ids"][0].tolist(), batch.get("pixel_values"), batch.get("image_grid_thw"))

    async def sample(
        self, requests: Sequence[Request], *, temperature: float, max_tokens: int
    ) -> AsyncIterator[tuple[int, list[Completion]]]:
        """Yield (index, completions) batch by batch."""
        batches = split(requests)
        running = [
            self.actor.complete.remote([requests[i] for i in batch], temperature, max_tokens) for batch in batches
        ]
        for batch, result in zip(batches, running, strict=True):
            for index, completions in zip(batch, await result, strict=True):
                yield index, completions


def split(requests: Sequence[Request]) -> list[list[int]]:
    """Put the indices of requests into batches of at most `ROWS_PER_BATCH` rows, in order."""
    batches: list[list[int]] = [[]]
    rows = 0
    for index, request in enumerate(requests):
        if batches[-1] and rows + len(request.seeds) > ROWS_PER_BATCH:
            batches.append([])
            rows = 0
        batches[-1].append(index)
        rows += len(request.seeds)
    return batches
