"""What would stop a run, or spoil it, as far as data, rewards and the model's processor tell."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from guerdon import DataError, GuerdonError
from guerdon.advantage import check_advantage
from guerdon.config import RunConfig
from guerdon.manifest import Prompt
from guerdon.preflight import (
    Preflight,
    Row,
    Split,
    component_rows,
    duplicate_row,
    look_at_pictures,
    picture_row,
    read_split,
    split_row,
)
from guerdon_trainer.lengths import load_processor, prompt_lengths

SHOWN = 3
"""Pictures whose preprocessing is shown."""

CHUNK = 64
"""Prompts that are counted together; where one cannot be, each alone."""


def look(config: RunConfig) -> Preflight:
    """Look at everything that CONFIG names but the model's weights."""
    splits = [read_split("train", config.data.train_manifest)]
    if config.data.eval_manifest:
        splits.append(read_split("eval", config.data.eval_manifest))
    return Preflight(list(_rows(config, splits)))


def _rows(config: RunConfig, splits: Sequence[Split]) -> Iterator[Row]:
    yield _advantage(config)
    for split in splits:
        yield split_row(split, least=config.prompts_per_step if split.name == "train" else 1)
    pictures = look_at_pictures(splits)
    for split in splits:
        yield picture_row(split, pictures)
    yield duplicate_row(splits, pictures)
    yield from _lengths(config, splits)
    for split in splits:
        yield from component_rows(config.rewards, config.outcome, split)


def _advantage(config: RunConfig) -> Row:
    try:
        check_advantage(config.algorithm, config.rewards, config.outcome)
    except GuerdonError as error:
        return Row("advantage", config.algorithm.advantage, (str(error),))
    return Row("advantage", f"{config.algorithm.advantage} of {', '.join(config.rewards)}")


def _lengths(config: RunConfig, splits: Sequence[Split]) -> Iterator[Row]:
    if find_spec("transformers") is None:
        hint = "prompts were not counted: transformers is not installed; pip install 'guerdon[trainer]'"
        yield Row("lengths", "not counted", warnings=(hint,))
        return
    try:
        processor = load_processor(config)
    except GuerdonError as error:
        yield Row("lengths", "not counted", (str(error),))
        return
    for split in splits:
        yield length_row(split, processor, limit=config.algorithm.max_prompt_tokens)
    yield from shown_pictures(splits[0], processor)


def length_row(split: Split, processor: Any, *, limit: int) -> Row:
    """Count every prompt in tokens, after chat template and image preprocessing."""
    counted = list(_count(split.prompts, processor))
    refusals = []
    for place, length in enumerate(counted):
        if isinstance(length, DataError):
            refusals.append(f"{split.where(place)}: {length}")
        elif length > limit:
            refusals.append(f"{split.where(place)}: {length} tokens; algorithm.max_prompt_tokens is {limit}")
    known = sorted(length for length in counted if isinstance(length, int))
    spread = f"{known[0]} to {known[-1]} tokens, median {known[len(known) // 2]}, limit {limit}" if known else "none"
    return Row(f"{split.name} lengths", spread, tuple(refusals))


def _count(prompts: Sequence[Prompt], processor: Any) -> Iterator[int | DataError]:
    """Return the length of each prompt, or why it has none."""
    for start in range(0, len(prompts), CHUNK):
        chunk = prompts[start : start + CHUNK]
        try:
            yield from prompt_lengths(chunk, processor)
        except DataError:
            for prompt in chunk:
                try:
                    yield from prompt_lengths([prompt], processor)
                except DataError as error:
                    yield error


def shown_pictures(split: Split, processor: Any) -> Iterator[Row]:
    """Say what becomes of the first pictures: size in pixels, grid of patches, tokens."""
    shown = [(prompt, image) for prompt in split.prompts for image in prompt.images][:SHOWN]
    for prompt, image in shown:
        try:
            picture = image.open()
            grid = processor.image_processor(images=[picture], return_tensors="pt")["image_grid_thw"][0].tolist()
        except (DataError, ValueError, AttributeError):  # told of with its line; or the model takes no pictures
            continue
        tokens = grid[1] * grid[2] // processor.image_processor.merge_size**2
        size = f"{picture.width}x{picture.height} pixels"
        yield Row(f"picture of {prompt.id}", f"{size}, {grid[2]}x{grid[1]} patches, {tokens} tokens")
