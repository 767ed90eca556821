"""Drawing boxes on a picture."""

from collections.abc import Sequence

from PIL import Image, ImageDraw

from guerdon_plugins.boxes import is_well_formed

PREDICTED = "#d62728"
TRUE = "#2ca02c"


def draw_boxes(
    image: Image.Image,
    predicted: Sequence[Sequence[float]],
    true: Sequence[Sequence[float]],
    *,
    predicted_labels: Sequence[str] = (),
    true_labels: Sequence[str] = (),
) -> Image.Image:
    """Return a copy of `image` with the true boxes in green and the predicted ones in red.

    Boxes are x1, y1, x2, y2 in pixels of `image`, as the evidence of `grounding` has them; what lies
    outside is clipped, and malformed boxes are left out.
    """
    copy = image.convert("RGB")
    pen = ImageDraw.Draw(copy)
    width = max(1, round(max(copy.size) / 300))
    for boxes, labels, colour in ((true, true_labels, TRUE), (predicted, predicted_labels, PREDICTED)):
        for index, box in enumerate(boxes):
            _draw(pen, copy.size, box, labels[index] if index < len(labels) else "", colour, width)
    return copy


def _draw(
    pen: ImageDraw.ImageDraw, size: tuple[int, int], box: Sequence[float], label: str, colour: str, width: int
) -> None:
    if len(box) != 4 or not is_well_formed((box[0], box[1], box[2], box[3])):
        return
    x1, y1, x2, y2 = (min(max(v, -10.0), limit + 10.0) for v, limit in zip(box, (*size, *size), strict=True))
    pen.rectangle((x1, y1, x2, y2), outline=colour, width=width)
    if label:
        pen.text((x1 + width + 1, y1 + width), label, fill=colour)
