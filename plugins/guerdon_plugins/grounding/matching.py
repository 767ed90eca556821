"""Comparing the boxes that a text names with those of the reference, one to one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from guerdon_plugins.boxes import Box, giou, iou, is_well_formed

type Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]
"""Overlap of prediction i (row) and reference k (column)."""

_EPSILON = 1e-9
"""An overlap this little below the threshold is rounding."""

SCALAR = 16
"""Up to so many pairs plain Python is faster than numpy."""

COCO_THRESHOLDS = tuple(0.5 + 0.05 * step for step in range(10))


@dataclass(frozen=True, slots=True)
class Named:
    """Boxes in pixels of the original, with a label each (empty where there is none)."""

    boxes: Sequence[Box]
    labels: Sequence[str]


def overlaps(predicted: Named, true: Named, *, class_aware: bool, measure: Callable[[Box, Box], float] = iou) -> Matrix:
    """Return the matrix of overlaps; 0 where labels must agree and do not."""
    shape = len(predicted.boxes), len(true.boxes)
    if measure is iou and shape[0] * shape[1] > SCALAR:
        matrix = _iou_matrix(_array(predicted.boxes), _array(true.boxes))
    else:
        rows = [[measure(box, target) for target in true.boxes] for box in predicted.boxes]
        matrix = np.array(rows, dtype=np.float64).reshape(shape)
    if class_aware:
        names = [[label == other for other in true.labels] for label in predicted.labels]
        matrix *= np.array(names, dtype=bool).reshape(shape)
    return matrix


def _array(boxes: Sequence[Box]) -> Matrix:
    """Stack boxes; malformed ones become points, which overlap with nothing."""
    return np.array([box if is_well_formed(box) else (0.0, 0.0, 0.0, 0.0) for box in boxes], dtype=np.float64)


def _iou_matrix(a: Matrix, b: Matrix) -> Matrix:
    """Do what `iou` does, for all pairs."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    common = np.prod(np.clip(high - low, 0.0, None), axis=2)
    areas = (np.prod(box[:, 2:] - box[:, :2], axis=1) for box in (a, b))
    union = next(areas)[:, None] + next(areas)[None, :] - common
    shares: Matrix = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
    return np.minimum(shares, 1.0)


def unit_giou(a: Box, b: Box) -> float:
    """Return the generalised IoU mapped to 0..1 by (1 + giou) / 2; 0 for a malformed box.

    A disjoint box earns something near the target, and the whole picture at least one half: it is
    a slope to start on, not a measure to finish with.
    """
    return (1.0 + giou(a, b)) / 2


def mean_overlap(matrix: Matrix) -> float:
    """Return the summed overlap of the best assignment over the larger number of boxes.

    Of one box each this is their overlap; a superfluous box or a duplicate lowers the mean.
    """
    most = max(matrix.shape)
    return float(_assigned(matrix).sum()) / most if most and min(matrix.shape) else float(not most)


def f1(matrix: Matrix, threshold: float) -> float:
    """Return F1 under the assignment with most overlaps at or above `threshold`; 1 if both are empty."""
    if not sum(matrix.shape):
        return 1.0
    return 2.0 * _hits(matrix, threshold) / sum(matrix.shape)


def mean_average_precision(matrix: Matrix) -> float:
    """Return the mean over IoU thresholds 0.50:0.05:0.95 of the average precision, as COCO does.

    A text ranks nothing, so all predictions tie: precision and recall have one point, and the area
    under the curve is their product. (With the order of writing as rank, junk at the end is free.)
    """
    if not sum(matrix.shape):
        return 1.0
    if not min(matrix.shape):
        return 0.0
    hits = (_hits(matrix, threshold) for threshold in COCO_THRESHOLDS)
    rows, columns = matrix.shape
    return sum(hit / rows * hit / columns for hit in hits) / len(COCO_THRESHOLDS)


def _hits(matrix: Matrix, threshold: float) -> int:
    reached = (matrix >= threshold - _EPSILON) & (matrix > 0)
    return int((_assigned(reached * (1.0 + matrix / (1 + min(matrix.shape)))) > 0).sum())


def _assigned(matrix: Matrix) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the entries of the assignment with the largest sum."""
    if min(matrix.shape) <= 1:
        return matrix.max(keepdims=True).reshape(-1) if matrix.size else np.zeros(0)
    from scipy.optimize import linear_sum_assignment

    return matrix[linear_sum_assignment(matrix, maximize=True)]
