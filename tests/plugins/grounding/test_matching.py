"""Matching boxes one to one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from guerdon_plugins.boxes import iou
from guerdon_plugins.grounding.matching import Named, f1, mean_average_precision, mean_overlap, overlaps, unit_giou

MATRICES = st.tuples(st.integers(0, 6), st.integers(0, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.floats(0, 1))
)


def matrix(*rows):
    return np.array(rows, dtype=np.float64)


@pytest.mark.parametrize("measure", [mean_overlap, lambda m: f1(m, 0.5), mean_average_precision])
def test_empty_sides(measure):
    assert measure(np.zeros((0, 0))) == 1.0
    assert measure(np.zeros((0, 3))) == 0.0
    assert measure(np.zeros((3, 0))) == 0.0


@pytest.mark.parametrize("measure", [mean_overlap, lambda m: f1(m, 0.5), mean_average_precision])
def test_ten_duplicates_score_less_than_one_box(measure):
    assert measure(np.ones((1, 1))) == 1.0
    assert measure(np.ones((10, 1))) < 0.2


def test_f1_counts_hits_under_the_best_assignment():
    assert f1(matrix([0.9, 0.6], [0.6, 0.0]), 0.5) == 1.0
    assert f1(matrix([1.0, 0.0], [0.0, 1.0], [0.0, 0.0]), 0.5) == pytest.approx(0.8)


def test_f1_prefers_two_hits_to_a_better_sum():
    assert f1(matrix([0.95, 0.5], [0.5, 0.2]), 0.5) == 1.0


def test_a_threshold_that_is_just_reached_counts():
    assert f1(matrix([0.5 - 1e-12]), 0.5) == 1.0
    assert f1(matrix([0.499]), 0.5) == 0.0
    assert f1(matrix([0.0]), 1e-12) == 0.0


def test_map_is_precision_times_recall_over_coco_thresholds():
    assert mean_average_precision(matrix([0.74])) == pytest.approx(0.5)
    assert mean_average_precision(matrix([1.0], [0.0])) == pytest.approx(0.5)
    assert mean_average_precision(matrix([1.0, 0.0])) == pytest.approx(0.5)


def test_mean_overlap_divides_by_the_larger_side():
    assert mean_overlap(matrix([0.8, 0.0])) == pytest.approx(0.4)
    assert mean_overlap(matrix([0.8], [0.2])) == pytest.approx(0.4)


@given(MATRICES)
def test_values_stay_in_range(m):
    for value in (mean_overlap(m), f1(m, 0.5), mean_average_precision(m)):
        assert 0.0 <= value <= 1.0 + 1e-12


@given(MATRICES)
def test_order_of_writing_is_nothing(m):
    turned = m[::-1]
    assert f1(m, 0.5) == pytest.approx(f1(turned, 0.5))
    assert mean_overlap(m) == pytest.approx(mean_overlap(turned))
    assert mean_average_precision(m) == pytest.approx(mean_average_precision(turned))


@given(MATRICES)
def test_a_superfluous_box_never_helps(m):
    more = np.vstack([m, np.zeros((1, m.shape[1]))])
    assert f1(more, 0.5) <= f1(m, 0.5)
    assert mean_overlap(more) <= mean_overlap(m) + 1e-12
    assert mean_average_precision(more) <= mean_average_precision(m) + 1e-12


def test_labels_must_agree_where_classes_matter():
    predicted = Named([(0, 0, 10, 10), (20, 20, 30, 30)], ["cup", "bowl"])
    true = Named([(0, 0, 10, 10), (20, 20, 30, 30)], ["cup", "plate"])
    assert f1(overlaps(predicted, true, class_aware=True), 0.5) == 0.5
    assert f1(overlaps(predicted, true, class_aware=False), 0.5) == 1.0


def test_unit_giou_lies_between_nothing_and_one():
    target = (40.0, 40.0, 60.0, 60.0)
    near, far = (60.0, 40.0, 80.0, 60.0), (900.0, 900.0, 920.0, 920.0)
    assert unit_giou(target, target) == 1.0
    assert 0 < unit_giou(far, target) < unit_giou(near, target) <= 0.5
    assert unit_giou((60.0, 60.0, 40.0, 40.0), target) == 0.0
    assert iou(near, target) == 0.0


NUMBER = st.floats(-100, 100) | st.sampled_from([float("nan"), float("inf"), 1e300])
BOXES = st.lists(st.tuples(NUMBER, NUMBER, NUMBER, NUMBER), min_size=5, max_size=8)


def one_pair(a, b):
    return iou(a, b)


@given(BOXES, BOXES)
def test_many_pairs_at_once_give_the_same_overlaps(a, b):
    left, right = Named(a, [""] * len(a)), Named(b, [""] * len(b))
    together = overlaps(left, right, class_aware=False)
    one_by_one = overlaps(left, right, class_aware=False, measure=one_pair)
    np.testing.assert_allclose(together, one_by_one, atol=1e-9)
