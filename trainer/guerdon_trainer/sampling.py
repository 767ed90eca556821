"""What a rollout engine does for the trainer, whichever backend it is."""

import base64
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from guerdon import LazyImage
from guerdon.manifest import Prompt

if TYPE_CHECKING:
    import torch

FORBIDDEN = (
    "<|image_pad|>",
    "<|video_pad|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|im_start|>",
)
"""Tokens that a completion must never contain: a sampled image token has no features, and the policy's
forward pass then fails with ``Image features and image tokens do not match``."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt as the model sees it."""

    token_ids: list[int]
    pixel_values: "torch.Tensor | None" = None
    """[patches, channels x time x patch x patch], float; None without images."""

    image_grid_thw: "torch.Tensor | None" = None
    """[images, 3], int: temporal, vertical and horizontal patches."""

    features: Mapping[str, Any] | None = None
    """What the engine itself wants back, opaque here."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What the policy wrote."""

    token_ids: list[int]
    """Up to and including the end token."""

    logprobs: list[float]
    """Of each token at the sampling temperature, over the whole vocabulary."""

    text: str
    finished: bool
    """It ended by itself; otherwise the length limit cut it."""


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt and the seeds of the completions wanted."""

    rendered: Rendered
    seeds: Sequence[int]


class Sampler(Protocol):
    """Renders prompts and samples completions."""

    async def render(self, prompt: Prompt) -> Rendered:
        """Apply the chat template and preprocess the images."""
        ...

    def sample(
        self, requests: Sequence[Request], *, temperature: float, max_tokens: int
    ) -> AsyncIterator[tuple[int, list[Completion]]]:
        """Yield (index of the request, its completions) as each is done. Temperature 0 is greedy."""
        ...


def forbidden_ids(tokenizer: Any) -> list[int]:
    """Return the ids of `FORBIDDEN` that this tokenizer has."""
    vocabulary = tokenizer.get_vocab()
    return sorted(vocabulary[token] for token in FORBIDDEN if token in vocabulary)


def data_url(image: LazyImage) -> str:
    """Return the image's bytes as a ``data:`` URL."""
    body = image.read()
    kind = "jpeg" if body[:2] == b"\xff\xd8" else "png" if body[:4] == b"\x89PNG" else "webp"
    return f"data:image/{kind};base64,{base64.b64encode(body).decode()}"


def openai_messages(prompt: Prompt) -> list[dict[str, Any]]:
    """Return the prompt in OpenAI's form, images as data URLs."""
    images = iter(prompt.images)
    return [{"role": m["role"], "content": _content(m["content"], images)} for m in prompt.messages]


def _content(content: Any, images: Any) -> Any:
    if isinstance(content, str):
        return content
    return [
        {"type": "image_url", "image_url": {"url": data_url(next(images))}} if part["type"] == "image" else dict(part)
        for part in content
    ]
