"""Write the quickstart's data set as manifests: JSON lines beside a folder of pictures."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from guerdon_trainer.quickstart.mixture import draw_prompts
from guerdon_trainer.quickstart.prompts import Prompt
from guerdon_trainer.quickstart.questions import Pool

IMAGE_FOLDER: Final = "images"


@dataclass(frozen=True, slots=True)
class Splits:
    """The three manifests; no picture occurs in two of them, nor in the data that trained the checkpoint."""

    train: Path
    eval: Path
    """Held out, looked at during training."""
    test: Path
    """Held out and choosing nothing; made from easy-VQA's own test pictures."""


def write_manifests(folder: Path, *, seed: int, train: int, eval: int, test: int) -> Splits:  # noqa: A002 - the split's name
    """Write ``train.jsonl``, ``eval.jsonl`` and ``test.jsonl`` with that many prompts into the folder.

    The same arguments give the same bytes. Pictures are copied byte for byte into ``images/``;
    a manifest names them relative to itself.

    Raises:
        ValueError: a number of prompts is negative.
        ModuleNotFoundError: the package ``easy-vqa`` is not installed.
    """
    (folder / IMAGE_FOLDER).mkdir(parents=True, exist_ok=True)
    return Splits(
        train=_write_split(folder, "train", train, seed),
        eval=_write_split(folder, "eval", eval, seed),
        test=_write_split(folder, "test", test, seed),
    )


def manifest_line(identity: str, prompt: Prompt, *, split: str) -> dict[str, object]:
    """Give a prompt the form of a manifest line: ``id``, ``messages``, ``reference``, ``metadata``."""
    images = [{"type": "image", "image": _image_name(picture.key)} for picture in prompt.pictures]
    content = [*images, {"type": "text", "text": prompt.text}]
    return {
        "id": identity,
        "messages": [{"role": "user", "content": content}],
        "reference": prompt.reference,
        "metadata": _metadata(prompt, split),
    }


def _metadata(prompt: Prompt, split: str) -> dict[str, object]:
    """Describe the prompt; a prompt without pictures has null for their size in pixels."""
    first = prompt.pictures[0] if prompt.pictures else None
    return {
        "modality": prompt.modality,
        "question_kind": prompt.kind,
        "image_width": first.width if first else None,
        "image_height": first.height if first else None,
        "image_count": len(prompt.pictures),
        "split": split,
        "source_image": [picture.key for picture in prompt.pictures],
    }


def _write_split(folder: Path, pool: Pool, count: int, seed: int) -> Path:
    prompts = draw_prompts(pool, count, seed=seed)
    for picture in {picture for prompt in prompts for picture in prompt.pictures}:
        shutil.copyfile(picture.path, folder / _image_name(picture.key))
    lines = [manifest_line(f"{pool}-{index:05d}", prompt, split=pool) for index, prompt in enumerate(prompts)]
    path = folder / f"{pool}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8", newline="\n")
    return path


def _image_name(key: str) -> str:
    return f"{IMAGE_FOLDER}/{key}.png"
