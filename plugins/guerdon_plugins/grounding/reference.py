"""What a sample knows to be true, checked. A bad reference makes a sample unscorable, never a default."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Literal

from guerdon import DataError, Sample
from guerdon_plugins.boxes import (
    ORDERS,
    SPACES,
    Box,
    Frame,
    Order,
    Space,
    area,
    intersection,
    is_well_formed,
    quad,
    to_pixels,
)
from guerdon_plugins.grounding.fold import fold_label
from guerdon_plugins.grounding.matching import Named


class BadGoldError(DataError):
    """The reference cannot confirm any answer: the sample is unscorable."""


type Kind = Literal["iou", "point", "count", "ocr", "metadata"]

_KIND_OF_TYPE: Mapping[str, Kind] = {
    "boxes": "iou",
    "point_in_box": "point",
    "count": "count",
    "ocr": "ocr",
    "ocr_present": "ocr",
    "metadata_claims": "metadata",
}
_FOREIGN_KEYS: Mapping[Kind, str] = {"iou": "boxes", "point": "boxes", "ocr": "texts"}
"""The key by which a reference of another plugin's type serves this kind as well."""


def kind_of(reference: Mapping[str, Any], wanted: Kind | None) -> Kind | None:
    """Return what of this reference can be judged, or None if nothing can (or nothing `wanted`)."""
    own = _KIND_OF_TYPE.get(str(reference.get("type")))
    if own is None and "boxes" in reference:
        own = "iou"
    if wanted is None or wanted == own:
        return own
    return wanted if _FOREIGN_KEYS.get(wanted, "") in reference else None


def frame_of(sample: Sample) -> Frame | None:
    """Return the size of the first picture by metadata, else by its own header; None if unknown.

    Raises:
        DataError: the size is no positive number, or the picture cannot be read.
    """
    known = sample.metadata
    width, height = known.get("image_width"), known.get("image_height")
    if width is None or height is None:
        if not sample.images:
            return None
        width, height = sample.images[0].size()
    sizes = width, height, known.get("input_width"), known.get("input_height")
    if not all(_is_size(size) for size in sizes if size is not None):
        raise DataError(f"metadata: the picture's size must be positive numbers, found {sizes}")
    return Frame(*sizes)


def _is_size(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and 0 < value <= 1e6


def scaled(frame: Frame | None, space: Space) -> Frame:
    """Return the frame, or any frame for ``abs``, which needs none.

    Raises:
        DataError: `space` needs a size that nobody knows.
    """
    if frame is None and space != "abs":
        raise DataError(
            f"the size of the picture is unknown, and the space {space!r} needs it: "
            "add image_width and image_height to the metadata, or the picture to the sample"
        )
    known = frame or Frame(1, 1)
    try:
        known.scale(space)
    except ValueError as error:
        raise DataError(str(error)) from error
    return known


def true_boxes(reference: Mapping[str, Any], frame: Frame | None, space: Space | None, order: Order | None) -> Named:
    """Return the reference's boxes in pixels of the original.

    `space` and `order` are the configuration's: they hold where the reference declares nothing.
    An order that nobody declares is ``xyxy``; a space must be declared.

    Raises:
        DataError: the declarations contradict each other or are missing.
        BadGoldError: a box is malformed or lies outside the picture; labels and boxes differ in number.
    """
    space = _declared(reference, "ref_space", space, SPACES)
    order = _declared(reference, "ref_order", order, ORDERS) or "xyxy"
    if space is None:
        raise DataError(
            "the space of the reference's boxes is not declared: add ref_space to the reference or the config"
        )
    boxes = reference.get("boxes")
    if not isinstance(boxes, Sequence) or isinstance(boxes, str):
        raise BadGoldError(f"reference.boxes must be a list of boxes, found {boxes!r:.80}")
    frame_used = scaled(frame, space)
    pixels = tuple(_true_box(box, space, order, frame_used, known=frame is not None) for box in boxes)
    return Named(pixels, _labels(reference.get("labels"), len(pixels)))


def _declared[T: str](reference: Mapping[str, Any], key: str, configured: T | None, known: frozenset[str]) -> T | None:
    own: T | None = reference.get(key)
    if own is None:
        return configured
    if own not in known:
        raise BadGoldError(f"reference.{key} is {own!r:.80}; known are {', '.join(sorted(known))}")
    if configured is not None and own != configured:
        raise DataError(f"reference.{key} is {own!r} and the config's is {configured!r}; drop one of them")
    return own


def _true_box(values: object, space: Space, order: Order, frame: Frame, *, known: bool) -> Box:
    numbers = quad(values) if isinstance(values, Sequence) and not isinstance(values, str) else None
    box = to_pixels(numbers, space, order, frame) if numbers else None
    if box is None or not is_well_formed(box):
        raise BadGoldError(f"reference.boxes has {values!r:.80}, which is no box in {space} {order}")
    if known and not _fits(box, frame):
        raise BadGoldError(
            f"reference.boxes has {values!r:.80}, which lies outside the picture if read as {space} {order}"
        )
    return box


def _fits(box: Box, frame: Frame) -> bool:
    """Say whether the box lies in the picture; half a side may stick out, as of objects that are cut off."""
    width, height = frame.width, frame.height
    room = (-width / 2, -height / 2, width * 1.5, height * 1.5)
    within = intersection(box, room) >= 0.999 * area(box)
    return within and intersection(box, (0.0, 0.0, width, height)) > 0


def _labels(labels: object, count: int) -> Sequence[str]:
    if labels is None:
        return ("",) * count
    if not isinstance(labels, Sequence) or isinstance(labels, str) or len(labels) != count:
        raise BadGoldError(f"reference.labels must be a list with one label a box ({count}), found {labels!r:.80}")
    return tuple(fold_label(str(label)) for label in labels)


def true_count(reference: Mapping[str, Any]) -> int:
    """Return the true number.

    Raises:
        BadGoldError: it is no whole number from 0 on.
    """
    answer = reference.get("answer")
    if isinstance(answer, str) and answer.isascii() and answer.isdigit() and len(answer) <= 12:
        return int(answer)
    if isinstance(answer, float) and answer.is_integer():
        answer = int(answer)
    if not isinstance(answer, int) or isinstance(answer, bool) or answer < 0:
        raise BadGoldError(f"reference.answer must be a whole number from 0 on, found {answer!r:.80}")
    return answer


def true_texts(reference: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the texts that the picture shows.

    Raises:
        BadGoldError: there is none, or one is empty or no string.
    """
    texts = reference.get("texts")
    if not isinstance(texts, Sequence) or isinstance(texts, str) or not texts:
        raise BadGoldError(f"reference.texts must be a list of strings, found {texts!r:.80}")
    if bad := [text for text in texts if not isinstance(text, str) or not text.strip()]:
        raise BadGoldError(f"reference.texts has {bad[0]!r:.80}, which is no text")
    return tuple(texts)
