"""From chat messages to what the model reads."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from guerdon import DataError

if TYPE_CHECKING:
    import torch
    from PIL import Image

type ChatMessage = Mapping[str, Any]
"""``{role, content}``; content is text, or a list of ``{type: text, text}`` and ``{type: image}``."""

FORBIDDEN: Final = (
    "<|image_pad|>",
    "<|video_pad|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|im_start|>",
)
"""Tokens that no completion may hold: a sampled image token has no features, and the next pass fails.
The trainer's rollouts forbid the same; the bundle records their ids."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A prompt as the model reads it."""

    token_ids: list[int]
    pixel_values: "torch.Tensor | None" = None
    """[patches of all images, channels x time x patch x patch], float."""
    image_grid_thw: "torch.Tensor | None" = None
    """[images, 3], int: temporal, vertical and horizontal patches."""


class Prompter:
    """The processor of a bundle: template, tokenizer, image preprocessing."""

    def __init__(self, folder: Path) -> None:
        """Load from the small files of a base, offline."""
        from transformers import AutoProcessor

        self.folder = folder
        self.processor = AutoProcessor.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        self.tokenizer = self.processor.tokenizer
        self._encoding = Lock()  # a tokenizer encodes for one thread at a time

    @property
    def template(self) -> str:
        """The chat template."""
        return str(self.processor.chat_template or self.tokenizer.chat_template or "")

    @cached_property
    def context(self) -> int:
        """Tokens that prompt and completion may have together."""
        config = json.loads((self.folder / "config.json").read_text(encoding="utf-8"))
        return int(
            (config.get("text_config") or config).get("max_position_embeddings", self.tokenizer.model_max_length)
        )

    def render(self, messages: Sequence[ChatMessage]) -> str:
        """Apply the chat template, up to where the assistant speaks."""
        return str(self.processor.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True))

    def encode(self, messages: Sequence[ChatMessage], images: Sequence["Image.Image"]) -> Encoded:
        """Render, tokenize and preprocess.

        Raises:
            DataError: the text holds one of the model's own tokens, or as many images as the messages
                name are not there.
        """
        self.check(messages, images)
        with self._encoding:
            batch = self.processor(text=[self.render(messages)], images=list(images) or None, return_tensors="pt")
        return Encoded(batch["input_ids"][0].tolist(), batch.get("pixel_values"), batch.get("image_grid_thw"))

    def forbidden_ids(self) -> list[int]:
        """Return the ids of `FORBIDDEN` that the tokenizer has."""
        vocabulary = self.tokenizer.get_vocab()
        return sorted(vocabulary[token] for token in FORBIDDEN if token in vocabulary)

    def end_ids(self) -> list[int]:
        """Return the ids that end a completion, as ``generation_config.json`` or else the tokenizer has them."""
        settings = self.folder / "generation_config.json"
        ends = json.loads(settings.read_text(encoding="utf-8")).get("eos_token_id") if settings.is_file() else None
        ends = self.tokenizer.eos_token_id if ends is None else ends
        return sorted(ends) if isinstance(ends, list) else [] if ends is None else [ends]

    def special_ids(self) -> dict[str, int]:
        """Return the tokenizer's special tokens with their ids."""
        names = self.tokenizer.all_special_tokens
        return dict(zip(names, self.tokenizer.convert_tokens_to_ids(names), strict=True))

    def check(self, messages: Sequence[ChatMessage], images: Sequence[object]) -> None:
        """Refuse what must not reach the template.

        Raises:
            DataError: as `encode`.
        """
        parts = [part for message in messages for part in _parts(message["content"])]
        if (named := sum(part["type"] == "image" for part in parts)) != len(images):
            raise DataError(f"the messages name {named} images, and {len(images)} are there")
        special = {*FORBIDDEN, *self.tokenizer.all_special_tokens}
        for part in parts:
            if found := sorted(token for token in special if token in part.get("text", "")):
                raise DataError(
                    f"a message holds {found[0]}, a token of the chat format itself; take it out of the text"
                )


def _parts(content: Any) -> list[Mapping[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
