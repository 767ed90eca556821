"""How long prompts are in tokens, counted before training without decoding a picture."""

import os
from collections.abc import Iterator, Sequence
from itertools import batched
from pathlib import Path
from typing import Any

from guerdon import DataError, LazyImage, RunError
from guerdon.config import RunConfig
from guerdon.manifest import Prompt

PROMPTS_PER_CALL = 1000
"""Prompts that are tokenised at a time, so that memory stays bounded on a large data set."""


def load_processor(config: RunConfig) -> Any:
    """Load the tokenizer and image processor of the base model.

    Raises:
        RunError: ``model.name_or_path`` is no folder, or holds no model.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # its threads would not survive the forks to come
    from transformers import AutoProcessor

    model = config.model
    if model.revision is None and not Path(model.name_or_path).is_dir():
        raise RunError(f"model.name_or_path {model.name_or_path} is no folder")
    try:
        return AutoProcessor.from_pretrained(
            model.name_or_path, revision=model.revision, trust_remote_code=model.trust_remote_code
        )
    except (OSError, ValueError) as error:
        raise RunError(f"model.name_or_path {model.name_or_path}: no tokenizer can be loaded: {error}") from error


def check_lengths(prompts: Sequence[Prompt], processor: Any, *, limit: int, manifest: str) -> None:
    """Refuse prompts that are longer than the policy will be shown.

    Args:
        prompts: of one manifest.
        processor: of the base model.
        limit: ``algorithm.max_prompt_tokens``.
        manifest: names the prompts' file in the error.

    Raises:
        DataError: prompts are longer than `limit`, or one cannot be counted, as in `prompt_lengths`.
    """
    try:
        lengths = prompt_lengths(prompts, processor)
    except DataError as error:
        raise DataError(f"{manifest}: {error}") from error
    long = sum(length > limit for length in lengths)
    if long:
        longest, prompt = max(zip(lengths, prompts, strict=True), key=lambda pair: pair[0])
        raise DataError(
            f"{manifest}: {long} of {len(prompts)} prompts are longer than algorithm.max_prompt_tokens {limit}; "
            f"the longest is {prompt.id!r} with {longest} tokens. Raise the limit, or shorten or remove them"
        )


def prompt_lengths(prompts: Sequence[Prompt], processor: Any) -> list[int]:
    """Return the number of tokens of each prompt after chat template and image preprocessing.

    A picture's tokens follow from the size in its header.

    Raises:
        DataError: a picture cannot be read or is too elongated, the model takes none, or the text
            contains the image token itself.
    """
    return [length for chunk in batched(prompts, PROMPTS_PER_CALL) for length in _lengths(chunk, processor)]


def _lengths(prompts: Sequence[Prompt], processor: Any) -> Iterator[int]:
    messages = [_without_pictures(prompt) for prompt in prompts]
    texts = processor.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    tokenizer = getattr(processor, "tokenizer", processor)
    marker = getattr(processor, "image_token_id", None)
    for prompt, ids in zip(prompts, tokenizer(texts)["input_ids"], strict=True):
        shown = ids.count(marker)
        if shown != len(prompt.images):
            raise DataError(
                f"prompt {prompt.id!r} has {len(prompt.images)} images, and {shown} image tokens under the model's "
                "chat template; take the token out of the text, or choose a model that takes images"
            )
        yield len(ids) - shown + sum(_image_tokens(prompt.id, image, processor) for image in prompt.images)


def _without_pictures(prompt: Prompt) -> list[dict[str, Any]]:
    return [{"role": m["role"], "content": _marked(m["content"])} for m in prompt.messages]


def _marked(content: Any) -> Any:
    """Return content in which an image is a marker, which is all that a template looks at."""
    if isinstance(content, str):
        return content
    return [{"type": "image"} if part["type"] == "image" else dict(part) for part in content]


def _image_tokens(prompt_id: str, image: LazyImage, processor: Any) -> int:
    """Return how many tokens stand for an image: its patches after resizing, merged."""
    try:
        width, height = image.size()
        patches = processor.image_processor.get_number_of_image_patches(height, width, {})
    except (DataError, ValueError) as error:  # Qwen's resizing refuses an aspect ratio above 200
        raise DataError(f"prompt {prompt_id!r}: {error}") from error
    return int(patches) // int(processor.image_processor.merge_size) ** 2
