"""The blind probe: does a reward that reads the picture notice when the picture is gone?

A policy, or a judge, often holds its score without seeing anything (arXiv 2601.06801, 2507.06448). The
probe scores each answer twice, with its picture and with a blank or shuffled one, and reports the gap.
"""

import base64
import inspect
import io
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from math import gcd
from typing import Annotated, Any, ClassVar, Literal

from PIL import Image
from pydantic import BeforeValidator, Field, SerializeAsAny, ValidationInfo, field_serializer

from guerdon import Abstain, LazyImage, Reward, Sample, Score, load_plugins
from guerdon.reward import Verdict, scoring_method

TILES = 8
"""A picture is shuffled in so many tiles to each side."""


def build_reward(value: object, info: ValidationInfo) -> object:
    """Turn ``{use: name, field: ...}`` into a reward, by the plugins that the configuration loads."""
    if not isinstance(value, Mapping):
        return value
    fields = dict(value)
    if not isinstance(name := fields.pop("use", None), str):
        raise ValueError("names no plugin; add use: NAME")  # noqa: TRY004 - pydantic takes ValueError
    plugins = (info.context or {}).get("plugins") or load_plugins()
    return plugins.entry(name).reward.model_validate(fields, context=info.context)


class BlindProbe(Reward):
    """Reports how much of another reward depends on the picture.

    The value is the reward with the picture less the reward without, in shares of its range: near 0,
    it does not look (or does not need to); below 0, the wrong picture pays better.

    Abstains where the sample has no picture, or the other reward abstains.

    Example:
        sees: {use: blind_probe, picture: shuffled, reward: {use: grounding, kind: ocr, texts_from: picture}}
    """

    name: ClassVar[str] = "blind_probe"
    needs: ClassVar[frozenset[str]] = frozenset({"image"})
    value_range: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    role: Literal["train", "monitor"] = "monitor"

    reward: Annotated[SerializeAsAny[Reward], BeforeValidator(build_reward)]
    """The reward to probe, configured as under ``rewards``: ``{use: name, ...}``."""

    picture: Literal["blank", "shuffled"] = "blank"
    """``blank``: grey, of the same size; ``shuffled``: its own tiles in another, fixed order."""

    max_pixels: int = Field(4_000_000, ge=64)
    """Larger pictures are replaced by ones of this size."""

    @field_serializer("reward")
    def _with_name(self, reward: Reward) -> dict[str, Any]:
        return {"use": reward.name, **reward.model_dump(mode="json")}

    async def score(self, sample: Sample) -> Score | Abstain:
        """Score twice and return the gap."""
        if not sample.images:
            return Abstain("the sample has no picture")
        seen = await _score_of(self.reward, sample)
        if isinstance(seen, Abstain):
            return seen
        change = blank if self.picture == "blank" else shuffled
        unseen = replace(sample, images=tuple(change(image, self.max_pixels) for image in sample.images))
        blind = await _score_of(self.reward, unseen)
        low, high = self.reward.range()
        without = low if isinstance(blind, Abstain) else blind.value
        gap = (seen.value - without) / (high - low) if high > low else 0.0
        evidence = {"seen": seen.value, "blind": without, "picture": self.picture}
        metrics = {"seen": seen.value, "blind": without}
        return Score(gap, f"{seen.value:.3f} with the picture, {without:.3f} {self.picture}", evidence, metrics)


async def _score_of(reward: Reward, sample: Sample) -> Score | Abstain:
    method = scoring_method(type(reward)) or "score"
    result: Any = getattr(reward, method)(sample if method == "score" else [sample])
    if inspect.isawaitable(result):
        result = await result
    verdict: Verdict = result if method == "score" else result[0]
    return verdict if isinstance(verdict, Score | Abstain) else Score(float(verdict))


@lru_cache(maxsize=64)
def blank(image: LazyImage, max_pixels: int) -> LazyImage:
    """Return a grey picture of the same size.

    Raises:
        DataError: the picture cannot be read.
    """
    return _encoded(Image.new("RGB", _size(image.size(), max_pixels), (128, 128, 128)))


@lru_cache(maxsize=64)
def shuffled(image: LazyImage, max_pixels: int) -> LazyImage:
    """Return the picture with its tiles in another order, the same for every call.

    Raises:
        DataError: the picture cannot be read.
    """
    picture = image.open()
    picture.thumbnail(_size(picture.size, max_pixels))
    columns, rows = (min(TILES, side) for side in picture.size)
    width, height = picture.width // columns, picture.height // rows
    mixed, count = picture.copy(), columns * rows
    for place in range(count):
        source = (place * _stride(count) + count // 2) % count
        tile = picture.crop(_corners(source, columns, width, height))
        mixed.paste(tile, _corners(place, columns, width, height)[:2])
    return _encoded(mixed)


def _stride(count: int) -> int:
    """Return a step that visits every tile and leaves few beside their neighbours."""
    return next(step for step in range(count * 5 // 13 or 1, count + 2) if gcd(step, count) == 1)


def _corners(place: int, columns: int, width: int, height: int) -> tuple[int, int, int, int]:
    left, top = place % columns * width, place // columns * height
    return left, top, left + width, top + height


def _size(size: tuple[int, int], max_pixels: int) -> tuple[int, int]:
    shrink = min(1.0, (max_pixels / (size[0] * size[1])) ** 0.5)
    return max(1, int(size[0] * shrink)), max(1, int(size[1] * shrink))


def _encoded(picture: Image.Image) -> LazyImage:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return LazyImage("data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode())
