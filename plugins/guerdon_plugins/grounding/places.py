"""Judging boxes and points."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from guerdon import Score
from guerdon_plugins.boxes import (
    Box,
    Frame,
    Order,
    Point,
    Space,
    contains,
    iou,
    is_well_formed,
    point_to_pixels,
    to_pixels,
)
from guerdon_plugins.grounding.fold import fold_label
from guerdon_plugins.grounding.matching import (
    Matrix,
    Named,
    f1,
    mean_average_precision,
    mean_overlap,
    overlaps,
    unit_giou,
)
from guerdon_plugins.grounding.read import Reading, after_declaration
from guerdon_plugins.grounding.syntax import Mark, boxes_among, find_marks

type Match = Literal["mean", "hungarian_f1", "map"]

_NOTHING = re.compile(
    r"\[\s{0,20}\]|\b(?:no|none|nothing|not|null|absent|isn't|aren't|zero|n/a)\b|没有|無|无|不存在|未", re.IGNORECASE
)
"""A text that says there is nothing to mark."""


@dataclass(frozen=True, slots=True)
class Notation:
    """How the completion writes coordinates, and of which picture."""

    space: Space
    order: Order
    frame: Frame

    def box(self, mark: Mark) -> Box:
        """Return a mark's box in pixels; a malformed one is all NaN, which overlaps with nothing."""
        if len(mark.numbers) != 4:
            return (float("nan"),) * 4
        a, b, c, d = mark.numbers
        return to_pixels((a, b, c, d), self.space, mark.order or self.order, self.frame)

    def point(self, mark: Mark) -> Point:
        """Return a mark's point in pixels: itself, or the centre of a well-formed box."""
        if len(mark.numbers) == 2:
            a, b = mark.numbers
            swapped = self.order == "yxyx" and mark.order is None
            return point_to_pixels((b, a) if swapped else (a, b), self.space, self.frame)
        x1, y1, x2, y2 = box = self.box(mark)
        return ((x1 + x2) / 2, (y1 + y2) / 2) if is_well_formed(box) else (float("nan"), float("nan"))


@dataclass(frozen=True, slots=True)
class BoxRule:
    """How boxes are compared."""

    match: Match
    iou_thr: float
    class_aware: bool
    overlap: Literal["iou", "giou"]


def find_places(reading: Reading, limit: int) -> tuple[str | None, list[Mark]]:
    """Return the text that is judged (None without an answer) and the boxes and points in it.

    In free text these are those after the last declaration ("the answer is", an answer block); if it
    has none, there is no declaration, or the text is longer than any prose, all of them.

    Raises:
        TooManyMarksError: there are more than `limit`.
    """
    if reading.text is None:
        return None, []
    declared = after_declaration(reading.text) if reading.free and reading.prose else None
    if declared and (marks := find_marks(declared.text, limit)):
        return declared.text, marks
    return reading.text.text, find_marks(reading.text.text, limit)


def judge_boxes(text: str, marks: Sequence[Mark], true: Named, notation: Notation, rule: BoxRule) -> Score:
    """Compare the boxes of `text` with the true ones."""
    found = boxes_among(marks, text)
    predicted = Named([notation.box(mark) for mark in found], [fold_label(mark.label) for mark in found])
    if not found and not true.boxes:
        said = _NOTHING.search(text) is not None
        return _box_score(
            float(said), predicted, true, 0.0, "nothing to find, and " + ("the answer says so" if said else "no answer")
        )
    matrix = overlaps(predicted, true, class_aware=rule.class_aware)
    mean = mean_overlap(matrix)
    value, what = _value(matrix, predicted, true, rule)
    reason = f"{what}; {len(found)} predicted, {len(true.boxes)} true, mean IoU {mean:.3f}"
    return _box_score(value, predicted, true, mean, reason)


def _value(matrix: Matrix, predicted: Named, true: Named, rule: BoxRule) -> tuple[float, str]:
    if rule.match == "hungarian_f1":
        value = f1(matrix, rule.iou_thr)
        return value, f"F1 {value:.3f} at IoU {rule.iou_thr:g}"
    if rule.match == "map":
        value = mean_average_precision(matrix)
        return value, f"mAP {value:.3f}"
    measure: Callable[[Box, Box], float] = unit_giou if rule.overlap == "giou" else iou
    value = mean_overlap(
        matrix if measure is iou else overlaps(predicted, true, class_aware=rule.class_aware, measure=measure)
    )
    return value, f"mean {rule.overlap} {value:.3f}"


def _box_score(value: float, predicted: Named, true: Named, mean: float, reason: str) -> Score:
    drawable = [
        (box, label) for box, label in zip(predicted.boxes, predicted.labels, strict=True) if is_well_formed(box)
    ]
    evidence = {
        "predicted": [list(box) for box, _ in drawable],
        "predicted_labels": [label for _, label in drawable],
        "malformed": len(predicted.boxes) - len(drawable),
        "true": [list(box) for box in true.boxes],
        "true_labels": list(true.labels),
        "iou": mean,
    }
    return Score(value, reason, evidence, {"iou": mean, "boxes": float(len(predicted.boxes))})


def nothing_found(true: Named, reason: str) -> Score:
    """Return 0 with the true boxes as evidence."""
    return _box_score(0.0, Named((), ()), true, 0.0, reason)


def judge_points(marks: Sequence[Mark], true: Named, notation: Notation) -> Score:
    """Give 1 for one point in any true box; each further point divides it."""
    points = [notation.point(mark) for mark in marks]
    hit = any(contains(box, point) for point in points for box in true.boxes)
    value = hit / len(points) if points else 0.0
    evidence = {
        "predicted_points": [list(point) for point in points if point[0] == point[0]],
        "true": [list(box) for box in true.boxes],
        "true_labels": list(true.labels),
    }
    reason = f"{len(points)} point(s), {'inside' if hit else 'none inside'} a true box"
    return Score(value, reason, evidence, {"hit": float(hit), "points": float(len(points))})
