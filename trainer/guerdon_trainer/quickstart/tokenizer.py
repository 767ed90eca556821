"""A byte-level BPE tokenizer with Qwen's special tokens and chat format, trained on the quickstart's own texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

PADDING: Final = "<|endoftext|>"
END: Final = "<|im_end|>"
"""Ends a message."""
SPECIAL_TOKENS: Final = (
    PADDING,
    "<|im_start|>",
    END,
    "<|object_ref_start|>",
    "<|object_ref_end|>",
    "<|box_start|>",
    "<|box_end|>",
    "<|quad_start|>",
    "<|quad_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
"""Qwen3-VL's special tokens."""
TAG_TOKENS: Final = ("<think>", "</think>", "<answer>", "</answer>")
"""Ordinary tokens, which decoding keeps; Qwen3 has the first two, a model this small is helped by all four."""
MAX_VOCABULARY: Final = 512
MAX_TOKENS: Final = 2048
"""Longest context, prompt and completion together."""

CHAT_TEMPLATE: Final = """\
{%- for message in messages -%}
{{- '<|im_start|>' + message.role + '\\n' -}}
{%- if message.content is string -%}
{{- message.content -}}
{%- else -%}
{%- for part in message.content -%}
{%- if part.type in ('image', 'image_url') or 'image' in part or 'image_url' in part -%}
{{- '<|vision_start|><|image_pad|><|vision_end|>' -}}
{%- elif part.type == 'video' or 'video' in part -%}
{{- '<|vision_start|><|video_pad|><|vision_end|>' -}}
{%- elif 'text' in part -%}
{{- part.text -}}
{%- endif -%}
{%- endfor -%}
{%- endif -%}
{{- '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{- '<|im_start|>assistant\\n' -}}
{%- endif -%}
"""
"""Qwen's chat format for text, ``image`` and ``image_url`` parts, in the order in which they stand."""

_WORDS: Final = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""Qwen2's pre-tokenisation: each digit is a token of its own."""


def train_tokenizer(corpus: Iterable[str]) -> PreTrainedTokenizerFast:
    """Train the tokenizer on texts; it can still spell any text, byte by byte."""
    bpe = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(_WORDS), behavior="isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    bpe.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    bpe.decoder = decoders.ByteLevel()
    bpe.train_from_iterator(corpus, _bpe_trainer())
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        eos_token=END,
        pad_token=PADDING,
        additional_special_tokens=list(SPECIAL_TOKENS[1:]),
        padding_side="left",
        model_max_length=MAX_TOKENS,
        clean_up_tokenization_spaces=False,
    )
    tokenizer.add_tokens(list(TAG_TOKENS))
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


def _bpe_trainer() -> trainers.BpeTrainer:
    return trainers.BpeTrainer(
        vocab_size=MAX_VOCABULARY - len(SPECIAL_TOKENS) - len(TAG_TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=[],
        show_progress=False,
    )
