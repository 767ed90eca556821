"""easy-VQA's pictures: colour, shape and bounding box, derived from the pixels.

Source: the registry package ``easy-vqa`` 1.0 (Victor Zhou, MIT), which carries 5,000 PNG files of
64 x 64 pixels, each with one coloured shape on a pale background.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
from PIL import Image

type Collection = Literal["train", "test"]
"""The two parts that the easy-VQA package distinguishes."""

PALETTE: Final[dict[str, tuple[int, int, int]]] = {
    "red": (255, 0, 0),
    "green": (0, 255, 0),
    "blue": (0, 0, 255),
    "black": (0, 0, 0),
    "gray": (128, 128, 128),
    "teal": (0, 128, 128),
    "brown": (165, 42, 42),
    "yellow": (255, 255, 0),
}
"""The colours that easy-VQA draws shapes in, as RGB of 0 to 255."""

COLOURS: Final = tuple(PALETTE)
SHAPES: Final = ("circle", "rectangle", "triangle")

_NAMES: Final = {(r << 16) | (g << 8) | b: name for name, (r, g, b) in PALETTE.items()}
_FOREGROUND: Final = 60
"""A pixel belongs to the shape when its channels differ from the background by more than this in sum."""
_TRIANGLE_BELOW: Final = 0.71
_CIRCLE_BELOW: Final = 0.915
"""Shares of its box that a shape fills.

Over all 5,000 pictures: triangles fill up to .69, circles .73 to .90, rectangles .93 and more.
"""


@dataclass(frozen=True, slots=True)
class Picture:
    """One easy-VQA picture with what its pixels say."""

    collection: Collection
    number: int
    path: Path
    width: int
    height: int
    """Size in pixels."""
    colour: str
    shape: str
    box: tuple[int, int, int, int]
    """Left, top, right, bottom in pixels; right and bottom lie one past the last pixel of the shape."""

    @property
    def key(self) -> str:
        """Name the picture uniquely, for instance ``train_12``."""
        return f"{self.collection}_{self.number}"

    @property
    def label(self) -> str:
        """Describe the shape as a grounding label, for instance ``red circle``."""
        return f"{self.colour} {self.shape}"

    @property
    def thousandths(self) -> tuple[int, int, int, int]:
        """Give the box in Qwen3-VL's space: 0 to 1000 of the width and of the height, rounded."""
        left, top, right, bottom = self.box
        x, y = 1000 / self.width, 1000 / self.height
        return round(left * x), round(top * y), round(right * x), round(bottom * y)


@cache
def package_folder() -> Path:
    """Locate the data of the installed ``easy-vqa`` package.

    Raises:
        ModuleNotFoundError: the package is not installed.
    """
    try:
        return Path(str(files("easy_vqa"))) / "data"
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "the quickstart's pictures come from the package easy-vqa, which is not installed; "
            "run: pip install 'guerdon[trainer]'",
            name="easy_vqa",
        ) from error


@cache
def load_picture(collection: Collection, number: int) -> Picture:
    """Decode one picture and derive colour, shape and box.

    Raises:
        FileNotFoundError: easy-VQA has no such picture.
    """
    path = package_folder() / collection / "images" / f"{number}.png"
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB"), dtype=np.int32)
    colour, mask = _separate(pixels)
    box = _bounds(mask)
    height, width = mask.shape
    return Picture(collection, number, path, width, height, colour, _shape(mask, box), box)


def _separate(pixels: npt.NDArray[np.int32]) -> tuple[str, npt.NDArray[np.bool_]]:
    """Split [height, width, 3] pixels into the shape's colour name and its [height, width] mask.

    The background is the most frequent colour outside the palette; the corner pixel would not do,
    since 648 of the 5,000 shapes touch an edge.
    """
    codes = (pixels[..., 0] << 16) | (pixels[..., 1] << 8) | pixels[..., 2]
    values, counts = np.unique(codes, return_counts=True)
    ranked = [int(value) for value in values[np.argsort(-counts, kind="stable")]]
    colour = next(_NAMES[code] for code in ranked if code in _NAMES)
    background = next(code for code in ranked if code not in _NAMES)
    ground = np.array([background >> 16, (background >> 8) & 255, background & 255])
    return colour, np.abs(pixels - ground).sum(axis=-1) > _FOREGROUND


def _bounds(mask: npt.NDArray[np.bool_]) -> tuple[int, int, int, int]:
    columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _shape(mask: npt.NDArray[np.bool_], box: tuple[int, int, int, int]) -> str:
    left, top, right, bottom = box
    filled = float(mask[top:bottom, left:right].mean())
    if filled < _TRIANGLE_BELOW:
        return "triangle"
    return "circle" if filled < _CIRCLE_BELOW else "rectangle"
