"""Opening every picture, and finding prompts that stand twice."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from guerdon.errors import DataError
from guerdon.images import LazyImage
from guerdon.manifest import Prompt
from guerdon.preflight.data import Split
from guerdon.preflight.result import Row


@dataclass(frozen=True, slots=True)
class Look:
    """What a picture is."""

    digest: str
    """sha256 of its pixels and size; empty if it cannot be opened."""

    width: int = 0
    height: int = 0
    fault: str = ""


def look_at_pictures(splits: Iterable[Split]) -> Mapping[str, Look]:
    """Decode each picture once; by its source."""
    sources = {image.source for split in splits for prompt in split.prompts for image in prompt.images}
    ordered = sorted(sources)
    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        return dict(zip(ordered, pool.map(_look, ordered), strict=True))


def _look(source: str) -> Look:
    try:
        image = LazyImage(source).open()
    except DataError as error:
        return Look("", fault=str(error))
    digest = hashlib.sha256(f"{image.size}".encode() + image.tobytes())
    return Look(digest.hexdigest(), *image.size)


def picture_row(split: Split, looks: Mapping[str, Look]) -> Row:
    """Say which pictures cannot be opened, and which lines say another size than they have."""
    refusals: list[str] = []
    for place, prompt in enumerate(split.prompts):
        seen = [looks[image.source] for image in prompt.images]
        refusals += [f"{split.where(place)}: {look.fault}" for look in seen if look.fault]
        refusals += [f"{split.where(place)}: {fault}" for fault in _sizes(prompt, seen)]
    own = {image.source for prompt in split.prompts for image in prompt.images}
    return Row(f"{split.name} pictures", f"{len(own)} opened", tuple(refusals))


def _sizes(prompt: Prompt, seen: Sequence[Look]) -> Iterable[str]:
    """Compare the first picture with what the metadata say of it; boxes are scaled by these."""
    said = prompt.metadata.get("image_width"), prompt.metadata.get("image_height")
    if seen and not seen[0].fault and None not in said and said != (seen[0].width, seen[0].height):
        has = f"{seen[0].width}x{seen[0].height}"
        yield f"metadata says image_width x image_height {said[0]}x{said[1]}, and the picture has {has}"


def duplicate_row(splits: Sequence[Split], looks: Mapping[str, Look]) -> Row:
    """Find prompts with the same words and pictures.

    Between manifests they are refused: what is held out has been trained on. Those without any picture
    are only told of, as sums of two digits cannot but meet again; so are repetitions within a manifest.
    """
    first: dict[str, tuple[Split, int]] = {}
    refusals: list[str] = []
    warnings: list[str] = []
    for split in splits:
        for place, prompt in enumerate(split.prompts):
            other, at = first.setdefault(_key(prompt, looks), (split, place))
            if other is not split:
                same = f"{split.where(place)} is the same prompt as {other.where(at)}"
                (refusals if prompt.images else warnings).append(same)
            elif at != place:
                warnings.append(f"{split.where(place)} repeats {other.where(at)}")
    seen = f"{len(refusals)} pictures with their question in both manifests, {len(warnings)} other repetitions"
    return Row("duplicates", seen, tuple(refusals), tuple(warnings))


def _key(prompt: Prompt, looks: Mapping[str, Look]) -> str:
    """Return what makes a prompt the same as another: words (case and spaces aside) and pixels."""
    words = [(message["role"], _text(message["content"])) for message in prompt.messages]
    pictures = [looks[image.source].digest or image.source for image in prompt.images]
    return json.dumps([words, pictures])


def _text(content: object) -> str:
    parts = content if isinstance(content, list) else [{"text": content}]
    return " ".join(" ".join(str(part.get("text", "")) for part in parts).casefold().split())
