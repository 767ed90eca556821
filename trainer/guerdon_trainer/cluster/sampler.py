"""Sampling through SkyRL's HTTP client of vLLM."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from skyrl.backends.renderer import decode_mm_kwargs
from skyrl.backends.skyrl_train.inference_servers.remote_inference_client import SKYRL_LORA_ADAPTER_NAME

from guerdon.manifest import Prompt
from guerdon_trainer.sampling import Completion, Rendered, Request, forbidden_ids, openai_messages

FORBID = -100.0
"""vLLM's lowest logit bias: such a token is never drawn."""


class ClusterSampler:
    """Renders each prompt once in vLLM and asks for its completions one by one, all at a time."""

    def __init__(self, client: Any, tokenizer: Any) -> None:
        self.client, self.tokenizer = client, tokenizer
        self.forbidden = dict.fromkeys(forbidden_ids(tokenizer), FORBID)

    async def render(self, prompt: Prompt) -> Rendered:
        """Apply the chat template and preprocess the images where the model is served."""
        request = {"model": self.client.model_name, "messages": openai_messages(prompt)}
        answer = await self.client.render_chat_completion({"json": request})
        features = answer.get("features")
        tensors = decode_mm_kwargs((features or {}).get("kwargs_data"))
        return Rendered(answer["token_ids"], tensors["pixel_values"], tensors["image_grid_thw"], features)

    async def sample(
        self, requests: Sequence[Request], *, temperature: float, max_tokens: int
    ) -> AsyncIterator[tuple[int, list[Completion]]]:
        """Yield (index, completions) in the order in which the groups end."""
        tasks = [
            asyncio.create_task(self._group(index, request, temperature, max_tokens))
            for index, request in enumerate(requests)
        ]
        for task in asyncio.as_completed(tasks):
            yield await task

    async def _group(
        self, index: int, request: Request, temperature: float, max_tokens: int
    ) -> tuple[int, list[Completion]]:
        completions = await asyncio.gather(
            *(self._complete(request.rendered, seed, temperature, max_tokens) for seed in request.seeds)
        )
        return index, list(completions)

    async def _complete(self, rendered: Rendered, seed: int, temperature: float, max_tokens: int) -> Completion:
        parameters = {
            "temperature": temperature,
            "max_tokens": max_tokens,
            "top_p": 1.0,
            "top_k": -1,
            "logprobs": 1,
            "seed": seed,
            "logit_bias": self.forbidden,
            "skip_special_tokens": True,
        }
        answer = await self.client.generate(
            {
                "prompt_token_ids": [rendered.token_ids],
                "sampling_params": parameters,
                "session_ids": [f"{seed}"],
                "mm_features": [rendered.features] if rendered.features else None,
            },
            model=SKYRL_LORA_ADAPTER_NAME,
        )
        return Completion(
            answer["response_ids"][0],
            answer["response_logprobs"][0],
            answer["responses"][0],
            answer["stop_reasons"][0] == "stop",
        )
