"""Boxes as an answer may write them: in each space and order, right, wrong and malicious."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from guerdon.errors import DataError
from guerdon.sample import Sample

type Box = tuple[float, float, float, float]
"""x1, y1, x2, y2; in pixels of the original unless said otherwise."""

SPACES = ("norm1000", "abs", "norm1", "resized")
ORDERS = ("xyxy", "xywh", "cxcywh", "yxyx")
STEPS = (4.0, 0.6, 0.3, 0.0)
"""Shifts, in widths of the box, from the worst answer to the best."""


@dataclass(frozen=True, slots=True)
class Page:
    """A picture, its true boxes and their labels."""

    width: float
    height: float
    input_size: tuple[float, float] | None
    boxes: tuple[Box, ...]
    labels: tuple[str, ...]


def page_of(sample: Sample) -> Page | None:
    """Return the page, or None where the reference has no boxes that can be used."""
    size = _size(sample)
    raw = sample.reference.get("boxes")
    if size is None or not isinstance(raw, Sequence) or isinstance(raw, str):
        return None
    space, order = sample.reference.get("ref_space"), sample.reference.get("ref_order", "xyxy")
    input_size = _sizes(sample.metadata, "input_width", "input_height")
    scale = _scale(str(space), size, input_size)
    if scale is None or order not in ORDERS or not all(map(_is_box, raw)):
        return None
    boxes = tuple(_to_pixels(box, scale, str(order)) for box in raw)
    labels = sample.reference.get("labels") or ["object"] * len(boxes)
    return Page(*size, input_size, boxes, tuple(map(str, labels)))


def spaces_of(page: Page) -> list[str]:
    """Return the spaces in which boxes of this page can be written."""
    return [space for space in SPACES if _scale(space, (page.width, page.height), page.input_size)]


def write(page: Page, boxes: Sequence[Box], space: str, order: str) -> str:
    """Write boxes as JSON, labelled in turn, in a space of `spaces_of`."""
    scale = _scale(space, (page.width, page.height), page.input_size)
    assert scale is not None, "`spaces_of` has no such space"
    labels = page.labels or ("object",)
    rows = [
        {"bbox_2d": _from_pixels(box, scale, order), "label": labels[number % len(labels)]}
        for number, box in enumerate(boxes)
    ]
    return json.dumps(rows)


def elsewhere(page: Page) -> tuple[Box, ...]:
    """Return a box for each true one, in a corner of the picture where nothing is; empty where all is covered."""
    width, height = page.width / 20, page.height / 20
    for x in (0.0, page.width - width):
        for y in (0.0, page.height - height):
            corner = (x, y, x + width, y + height)
            if not any(_overlap(corner, box) for box in page.boxes):
                return (corner,) * max(1, len(page.boxes))
    return ()


def shifted(page: Page, step: float) -> tuple[Box, ...]:
    """Return the true boxes, moved by `step` of their width."""
    moved = ((box, step * (box[2] - box[0])) for box in page.boxes)
    return tuple((x1 + by, y1, x2 + by, y2) for (x1, y1, x2, y2), by in moved)


def tricks(page: Page, space: str, order: str) -> Mapping[str, str]:
    """Return answers that are no better than a wrong one, by what they do."""
    if not page.boxes:
        return {}
    inverted = [(x2, y2, x1, y1) for x1, y1, x2, y2 in page.boxes]
    whole = (0.0, 0.0, page.width, page.height)
    found = {"boxes inverted": write(page, inverted, space, "yxyx" if order == "yxyx" else "xyxy")}
    covered = max((x2 - x1) * (y2 - y1) for x1, y1, x2, y2 in page.boxes)
    if covered < 0.9 * page.width * page.height:
        found["boxes as large as the page"] = write(page, [whole] * len(page.boxes), space, order)
    found["each box ten times"] = write(page, page.boxes * 10, space, order)
    numbers = {
        "NaN": "NaN",
        "infinite": "-Infinity, -Infinity, Infinity, Infinity",
        "huge": "-1e308, -1e308, 1e308, 1e308",
    }
    for name, text in numbers.items():
        values = text if "," in text else ", ".join([text] * 4)
        box = f'{{"bbox_2d": [{values}], "label": {json.dumps(page.labels[0])}}}'
        found[f"boxes {name}"] = "[" + ", ".join([box] * len(page.boxes)) + "]"
    return found


def _size(sample: Sample) -> tuple[float, float] | None:
    if known := _sizes(sample.metadata, "image_width", "image_height"):
        return known
    try:
        return sample.images[0].size() if sample.images else None
    except DataError:
        return None


def _sizes(metadata: Mapping[str, Any], *names: str) -> tuple[float, float] | None:
    width, height = (metadata.get(name) for name in names)
    if isinstance(width, int | float) and isinstance(height, int | float) and min(width, height) > 0:
        return float(width), float(height)
    return None


def _scale(space: str, size: tuple[float, float], input_size: tuple[float, float] | None) -> tuple[float, float] | None:
    """Return pixels of the original for one unit of the space, in x and in y."""
    match space:
        case "abs":
            return 1.0, 1.0
        case "norm1":
            return size
        case "norm1000":
            return size[0] / 1000, size[1] / 1000
        case "resized" if input_size:
            return size[0] / input_size[0], size[1] / input_size[1]
    return None


def _is_box(box: Any) -> bool:
    return (
        isinstance(box, Sequence)
        and len(box) == 4
        and all(isinstance(n, int | float) and not isinstance(n, bool) and isfinite(n) for n in box)
    )


def _to_pixels(box: Sequence[float], scale: tuple[float, float], order: str) -> Box:
    a, b, c, d = box
    if order == "yxyx":
        a, b, c, d = b, a, d, c
    x, y = scale
    a, b, c, d = a * x, b * y, c * x, d * y
    match order:
        case "xywh":
            return a, b, a + c, b + d
        case "cxcywh":
            return a - c / 2, b - d / 2, a + c / 2, b + d / 2
    return a, b, c, d


def _from_pixels(box: Box, scale: tuple[float, float], order: str) -> list[float]:
    x1, y1, x2, y2 = box[0] / scale[0], box[1] / scale[1], box[2] / scale[0], box[3] / scale[1]
    values = {
        "xyxy": (x1, y1, x2, y2),
        "xywh": (x1, y1, x2 - x1, y2 - y1),
        "cxcywh": ((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1),
        "yxyx": (y1, x1, y2, x2),
    }[order]
    return [int(value) if value == int(value) else round(value, 6) for value in values]


def _overlap(a: Box, b: Box) -> bool:
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])
