"""Boxes and points in declared coordinate spaces and orders.

The space and the order are always said, never guessed: a reward that takes the better of two
readings pays for guessing the convention (EvolvingLMMs-Lab/lmms-eval#1373). x scales by the width,
y by the height. A box covers the plane from x1 to x2, without the +1 pixel of older graders.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal, get_args

type Space = Literal["abs", "norm1", "norm1000", "resized"]
"""``abs``: pixels of the original; ``norm1``: 0 to 1; ``norm1000``: 0 to 1000 (Qwen3-VL);
``resized``: pixels of the picture as the model got it."""

type Order = Literal["xyxy", "xywh", "cxcywh", "yxyx"]
"""``xyxy``: corners; ``xywh``: upper left corner and size; ``cxcywh``: centre and size;
``yxyx``: corners, vertical first."""

type Quad = tuple[float, float, float, float]
"""Four numbers in some order and space."""

type Box = tuple[float, float, float, float]
"""x1, y1, x2, y2 in pixels of the original."""

type Point = tuple[float, float]
"""x, y in pixels of the original."""

SPACES: frozenset[str] = frozenset(get_args(Space.__value__))
ORDERS: frozenset[str] = frozenset(get_args(Order.__value__))

MAX_COORDINATE = 1e7
"""A coordinate beyond this belongs to no picture; below it no product of four overflows."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The size of a picture, and of what the model was shown of it, in pixels."""

    width: float
    height: float
    input_width: float | None = None
    """Width after resizing; needed for the space ``resized``."""

    input_height: float | None = None

    def scale(self, space: Space) -> tuple[float, float]:
        """Return the factors that take x and y from `space` to pixels of the original.

        Raises:
            ValueError: `space` is ``resized`` and nobody knows the size after resizing.
        """
        if space == "abs":
            return 1.0, 1.0
        if space == "norm1":
            return self.width, self.height
        if space == "norm1000":
            return self.width / 1000, self.height / 1000
        if not self.input_width or not self.input_height:
            raise ValueError("the space 'resized' needs input_width and input_height in the sample's metadata")
        return self.width / self.input_width, self.height / self.input_height


def to_corners(quad: Quad, order: Order) -> Quad:
    """Bring four numbers into the order x1, y1, x2, y2; the space stays."""
    a, b, c, d = quad
    if order == "xyxy":
        return quad
    if order == "yxyx":
        return b, a, d, c
    if order == "xywh":
        return a, b, a + c, b + d
    return a - c / 2, b - d / 2, a + c / 2, b + d / 2


def from_corners(box: Quad, order: Order) -> Quad:
    """Turn `to_corners` round."""
    x1, y1, x2, y2 = box
    if order == "xyxy":
        return box
    if order == "yxyx":
        return y1, x1, y2, x2
    if order == "xywh":
        return x1, y1, x2 - x1, y2 - y1
    return (x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1


def to_pixels(quad: Quad, space: Space, order: Order, frame: Frame) -> Box:
    """Read four numbers as a box in pixels of the original; it need not be well formed."""
    sx, sy = frame.scale(space)
    x1, y1, x2, y2 = to_corners(quad, order)
    return x1 * sx, y1 * sy, x2 * sx, y2 * sy


def from_pixels(box: Box, space: Space, order: Order, frame: Frame) -> Quad:
    """Write a box in pixels of the original in another space and order."""
    sx, sy = frame.scale(space)
    x1, y1, x2, y2 = box
    return from_corners((x1 / sx, y1 / sy, x2 / sx, y2 / sy), order)


def point_to_pixels(point: Point, space: Space, frame: Frame) -> Point:
    """Read two numbers, horizontal first, as a point in pixels of the original."""
    sx, sy = frame.scale(space)
    return point[0] * sx, point[1] * sy


def is_well_formed(box: Box) -> bool:
    """Say whether the corners are plausible numbers, in order, and enclose an area."""
    x1, y1, x2, y2 = box
    return all(isfinite(v) and abs(v) <= MAX_COORDINATE for v in box) and x1 < x2 and y1 < y2


def area(box: Box) -> float:
    """Return the area of a well-formed box."""
    return (box[2] - box[0]) * (box[3] - box[1])


def intersection(a: Box, b: Box) -> float:
    """Return the common area; negative extents count as none (roboflow/trackers#589)."""
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def iou(a: Box, b: Box) -> float:
    """Return intersection over union, 0 to 1; 0 if either box is malformed."""
    if not (is_well_formed(a) and is_well_formed(b)):
        return 0.0
    common = intersection(a, b)
    union = area(a) + area(b) - common
    return min(1.0, common / union) if union > 0 else 0.0


def giou(a: Box, b: Box) -> float:
    """Return the generalised IoU (arXiv 1902.09630), -1 to 1; -1 if either box is malformed."""
    if not (is_well_formed(a) and is_well_formed(b)):
        return -1.0
    common = intersection(a, b)
    union = area(a) + area(b) - common
    hull = (max(a[2], b[2]) - min(a[0], b[0])) * (max(a[3], b[3]) - min(a[1], b[1]))
    if union <= 0 or hull <= 0:
        return -1.0
    return min(1.0, max(-1.0, common / union - max(0.0, hull - union) / hull))


def contains(box: Box, point: Point) -> bool:
    """Say whether the point lies in the box, borders included."""
    x, y = point
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def quad(values: Sequence[object]) -> Quad | None:
    """Take four plain numbers; None for anything else (booleans are no numbers)."""
    numbers = [float(v) for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return (numbers[0], numbers[1], numbers[2], numbers[3]) if len(numbers) == len(values) == 4 else None
