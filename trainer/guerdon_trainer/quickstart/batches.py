"""Turn prompts into model inputs, and generate completions, through the ordinary Hugging Face processor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

import torch
from PIL import Image
from transformers import BatchFeature, Qwen3VLForConditionalGeneration, Qwen3VLProcessor

from guerdon_trainer.quickstart.pictures import Picture
from guerdon_trainer.quickstart.prompts import Prompt
from guerdon_trainer.quickstart.tokenizer import END, PADDING, SPECIAL_TOKENS

MAX_NEW_TOKENS: Final = 64
IGNORED: Final = -100
"""The label that transformers leaves out of the loss."""


def encode(processor: Qwen3VLProcessor, prompts: Sequence[Prompt], completions: Sequence[str] = ()) -> BatchFeature:
    """Encode prompts of any modality as one left-padded batch, each with its completion and end token if given.

    Gives ``input_ids``, ``attention_mask`` and ``mm_token_type_ids`` of shape [prompts, tokens], and for
    all pictures together ``pixel_values`` [patches, 384] and ``image_grid_thw`` [pictures, 3].
    """
    texts = [chat_text(processor, prompt) for prompt in prompts]
    if completions:
        texts = [text + completion + END for text, completion in zip(texts, completions, strict=True)]
    images = [_open(picture) for prompt in prompts for picture in prompt.pictures]
    return processor(text=texts, images=images or None, padding=True, return_tensors="pt")


def labels(processor: Qwen3VLProcessor, batch: BatchFeature, completions: Sequence[str]) -> torch.Tensor:
    """Give the [prompts, tokens] labels under which only completions and their end tokens count."""
    ids = cast("torch.Tensor", batch["input_ids"])
    result = torch.full_like(ids, IGNORED)
    for row, completion in enumerate(completions):
        length = len(processor.tokenizer(completion).input_ids) + 1
        result[row, -length:] = ids[row, -length:]
    return result


def chat_text(processor: Qwen3VLProcessor, prompt: Prompt) -> str:
    """Render the prompt in the model's chat format, up to where the assistant speaks."""
    content = [*({"type": "image"} for _ in prompt.pictures), {"type": "text", "text": prompt.text}]
    messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
    return str(processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False))


@torch.inference_mode()
def complete(
    model: Qwen3VLForConditionalGeneration,
    processor: Qwen3VLProcessor,
    prompts: Sequence[Prompt],
    *,
    sample: bool = False,
    batch_size: int = 64,
) -> list[str]:
    """Generate a completion for each prompt, greedily or sampled at temperature 1, without its end token.

    Special tokens other than the end are forbidden: a sampled picture token would break the next forward pass.
    """
    model.eval()
    completions: list[str] = []
    for part in _chunks(prompts, batch_size):
        inputs = encode(processor, part)
        output = model.generate(**inputs, **_generation(processor, sample=sample))
        new = output[:, inputs["input_ids"].shape[1] :]
        completions += processor.batch_decode(new, skip_special_tokens=True)
    return completions


def _generation(processor: Qwen3VLProcessor, *, sample: bool) -> dict[str, Any]:
    forbidden = [name for name in SPECIAL_TOKENS if name not in (PADDING, END)]
    settings: dict[str, Any] = {
        "max_new_tokens": MAX_NEW_TOKENS,
        "do_sample": sample,
        "suppress_tokens": processor.tokenizer.convert_tokens_to_ids(forbidden),
    }
    return settings if sample else {**settings, "temperature": None, "top_p": None, "top_k": None}


def _chunks(prompts: Sequence[Prompt], size: int) -> Iterator[Sequence[Prompt]]:
    return (prompts[start : start + size] for start in range(0, len(prompts), size))


def _open(picture: Picture) -> Image.Image:
    with Image.open(picture.path) as image:
        return image.convert("RGB")
