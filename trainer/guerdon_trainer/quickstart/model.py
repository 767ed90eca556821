"""Qwen3-VL in small: 0.8 million parameters, 16 tokens a picture, trained on a laptop in minutes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Final

import torch
from transformers import (
    GenerationConfig,
    PreTrainedTokenizerFast,
    Qwen2VLImageProcessor,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
    Qwen3VLProcessor,
    Qwen3VLVideoProcessor,
)

from guerdon_trainer.quickstart.tokenizer import MAX_TOKENS

PATCH: Final = 8
"""Pixels on the side of a patch; the picture tower merges 2 x 2 patches into one token."""
PICTURE_SIDE: Final = 64
"""Pixels on the side of an easy-VQA picture, which the processor therefore leaves at its size."""
_TEXT: Final[dict[str, Any]] = {
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "max_position_embeddings": MAX_TOKENS,
    "rope_parameters": {
        "rope_type": "default",
        "rope_theta": 10000.0,
        "mrope_section": [6, 5, 5],
        "mrope_interleaved": True,
    },
    "tie_word_embeddings": True,
}
_VISION: Final[dict[str, Any]] = {
    "depth": 3,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_heads": 2,
    "patch_size": PATCH,
    "spatial_merge_size": 2,
    "temporal_patch_size": 2,
    "out_hidden_size": 128,
    "num_position_embeddings": (PICTURE_SIDE // PATCH) ** 2,
    "deepstack_visual_indexes": [1],
}
_RESIDUAL_OUTPUTS: Final = ("o_proj.weight", "down_proj.weight", "attn.proj.weight", "linear_fc2.weight")


def build_processor(tokenizer: PreTrainedTokenizerFast) -> Qwen3VLProcessor:
    """Join the tokenizer with an image processor for pictures of 64 to 128 pixels a side."""
    size = {"shortest_edge": PICTURE_SIDE**2, "longest_edge": (2 * PICTURE_SIDE) ** 2}
    patches: dict[str, Any] = {"patch_size": PATCH, "merge_size": 2, "temporal_patch_size": 2}
    images = Qwen2VLImageProcessor(size=size, image_mean=[0.5] * 3, image_std=[0.5] * 3, **patches)
    videos = Qwen3VLVideoProcessor(**patches)
    template = str(tokenizer.chat_template)
    return Qwen3VLProcessor(image_processor=images, tokenizer=tokenizer, video_processor=videos, chat_template=template)


def build_model(tokenizer: PreTrainedTokenizerFast, *, seed: int) -> Qwen3VLForConditionalGeneration:
    """Create the model with fresh fp32 weights that depend only on the seed and the vocabulary."""
    model = Qwen3VLForConditionalGeneration(_config(tokenizer))
    _initialise(model, seed)
    model.generation_config = GenerationConfig(
        bos_token_id=tokenizer.pad_token_id,
        eos_token_id=[tokenizer.eos_token_id, tokenizer.pad_token_id],
        pad_token_id=tokenizer.pad_token_id,
        do_sample=True,
        temperature=1.0,
        top_p=1.0,
        top_k=0,
    )
    return model


def save_checkpoint(folder: Path, model: Qwen3VLForConditionalGeneration, processor: Qwen3VLProcessor) -> None:
    """Write a complete model folder, the weights in bf16.

    transformers 5 keeps all processors in ``processor_config.json``; ``preprocessor_config.json`` and
    ``video_preprocessor_config.json`` are written as well, for programs that expect them there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: tensor.to(torch.bfloat16) for name, tensor in model.state_dict().items()}
    model.save_pretrained(folder, state_dict=weights)
    processor.save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)
    _set_dtype(folder / "config.json")
    combined = json.loads((folder / "processor_config.json").read_text(encoding="utf-8"))
    _write_json(folder / "preprocessor_config.json", combined["image_processor"])
    _write_json(folder / "video_preprocessor_config.json", combined["video_processor"])


def _config(tokenizer: PreTrainedTokenizerFast) -> Qwen3VLConfig:
    ids = {
        "bos_token_id": tokenizer.pad_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    return Qwen3VLConfig(
        text_config={**_TEXT, **ids, "vocab_size": len(tokenizer)},
        vision_config=dict(_VISION),
        image_token_id=tokenizer.convert_tokens_to_ids("<|image_pad|>"),
        video_token_id=tokenizer.convert_tokens_to_ids("<|video_pad|>"),
        vision_start_token_id=tokenizer.convert_tokens_to_ids("<|vision_start|>"),
        vision_end_token_id=tokenizer.convert_tokens_to_ids("<|vision_end|>"),
        tie_word_embeddings=True,
    )


def _initialise(model: Qwen3VLForConditionalGeneration, seed: int) -> None:
    """Set the weight matrices; this decides how fast it learns (IoU .60 at step 200, against .09 with std 0.02).

    Position embeddings get std 0.5, token embeddings 0.08, the rest min(0.12, 0.8 / sqrt(inputs)),
    and the outputs into the residual stream half of that.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() >= 2:
                weight.normal_(0, _deviation(name, weight[0].numel()), generator=generator)


def _deviation(name: str, inputs: int) -> float:
    if "pos_embed" in name:
        return 0.5
    deviation = 0.08 if "embed_tokens" in name else min(0.12, 0.8 / math.sqrt(inputs))
    residual = name.endswith(_RESIDUAL_OUTPUTS) and "merger" not in name
    return deviation / 2 if residual else deviation


def _set_dtype(path: Path) -> None:
    """State bf16 in the configuration, the outer and the nested ones, as the weights are."""
    config = json.loads(path.read_text(encoding="utf-8"))
    for part in (config, config["text_config"], config["vision_config"]):
        part["dtype"] = "bfloat16"
    _write_json(path, config)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2, sort_keys=True) + "\n", encoding="utf-8")
