"""Spaces, orders and overlaps."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon_plugins.boxes import (
    ORDERS,
    SPACES,
    Frame,
    area,
    contains,
    from_corners,
    from_pixels,
    giou,
    intersection,
    iou,
    is_well_formed,
    point_to_pixels,
    quad,
    to_corners,
    to_pixels,
)

SIDES = st.integers(1, 20_000)
NAN, INF = math.nan, math.inf


@st.composite
def frames(draw):
    return Frame(draw(SIDES), draw(SIDES), draw(SIDES), draw(SIDES))


@st.composite
def boxes_in(draw, width, height):
    x1, x2 = sorted(draw(st.lists(st.integers(0, width), min_size=2, max_size=2)))
    y1, y2 = sorted(draw(st.lists(st.integers(0, height), min_size=2, max_size=2)))
    return float(x1), float(y1), float(x2), float(y2)


ANY_NUMBER = st.floats(allow_nan=True, allow_infinity=True)
ANY_BOX = st.tuples(ANY_NUMBER, ANY_NUMBER, ANY_NUMBER, ANY_NUMBER)
PLAIN = st.floats(-1000, 1000)
PLAIN_BOX = st.tuples(PLAIN, PLAIN, PLAIN, PLAIN)


@given(st.data(), frames(), st.sampled_from(sorted(SPACES)), st.sampled_from(sorted(ORDERS)))
def test_round_trips_between_spaces_stay_within_a_pixel(data, frame, space, order):
    box = data.draw(boxes_in(frame.width, frame.height))
    there = from_pixels(box, space, order, frame)
    back = to_pixels(there, space, order, frame)
    assert all(abs(a - b) < 1e-6 * max(frame.width, frame.height) + 1e-9 for a, b in zip(box, back, strict=True))
    if space in ("abs", "norm1000"):
        rounded = tuple(round(value, 3) for value in there)
        read = to_pixels(rounded, space, order, frame)
        assert all(abs(a - b) <= 1 for a, b in zip(box, read, strict=True))


@given(PLAIN_BOX, st.sampled_from(sorted(ORDERS)))
def test_orders_round_trip(box, order):
    assert to_corners(from_corners(box, order), order) == pytest.approx(box, abs=1e-6)


@pytest.mark.parametrize(
    ("space", "values"),
    [
        ("abs", (200, 100, 600, 500)),
        ("norm1", (0.1, 0.1, 0.3, 0.5)),
        ("norm1000", (100, 100, 300, 500)),
        ("resized", (100, 50, 300, 250)),
    ],
)
def test_each_space_reads_the_same_box(space, values):
    assert to_pixels(values, space, "xyxy", Frame(2000, 1000, 1000, 500)) == pytest.approx((200, 100, 600, 500))


@pytest.mark.parametrize(
    ("order", "values"),
    [("xyxy", (20, 10, 80, 90)), ("xywh", (20, 10, 60, 80)), ("cxcywh", (50, 50, 60, 80)), ("yxyx", (10, 20, 90, 80))],
)
def test_each_order_reads_the_same_box(order, values):
    assert to_pixels(values, "abs", order, Frame(100, 100)) == (20, 10, 80, 90)


def test_x_scales_by_width_and_y_by_height():
    assert point_to_pixels((500, 500), "norm1000", Frame(1200, 300)) == (600, 150)


def test_resized_needs_the_input_size():
    with pytest.raises(ValueError, match="input_width"):
        Frame(100, 100).scale("resized")


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ((0, 20, 40, 40), (0, 0, 40, 40), 0.5),
        ((0, 0, 10, 10), (20, 20, 30, 30), 0.0),
        ((0, 0, 10, 10), (10, 0, 20, 10), 0.0),
        ((0, 0, 10, 10), (0, 0, 10, 10), 1.0),
        ((0, 0, 3, 3), (1, 1, 2, 2), 1 / 9),
    ],
)
def test_iou_by_hand(a, b, value):
    assert iou(a, b) == pytest.approx(value)


@pytest.mark.parametrize(
    "broken",
    [
        (80, 90, 20, 10),
        (20, 90, 80, 10),
        (20, 10, 20, 90),
        (50, 50, 50, 50),
        (NAN, 10, 80, 90),
        (20, 10, INF, 90),
        (-INF, -INF, INF, INF),
        (20, 10, 1e308, 90),
        (-1e308, -1e308, 1e308, 1e308),
    ],
)
def test_a_malformed_box_never_beats_the_well_formed_one(broken):
    target = (20, 10, 80, 90)
    assert not is_well_formed(broken)
    assert iou(broken, target) == iou(target, broken) == 0.0
    assert giou(broken, target) == giou(target, broken) == -1.0
    assert iou(target, target) == giou(target, target) == 1.0


def test_a_box_larger_than_the_picture_is_worth_less_than_the_picture():
    picture = (0.0, 0.0, 100.0, 100.0)
    assert iou((-500, -500, 600, 600), picture) < iou(picture, picture)


@given(ANY_BOX, ANY_BOX)
def test_overlaps_stay_in_range_for_any_numbers(a, b):
    assert 0.0 <= iou(a, b) <= 1.0
    assert -1.0 <= giou(a, b) <= 1.0


@given(PLAIN_BOX, PLAIN_BOX)
def test_giou_is_at_most_iou_and_both_are_symmetric(a, b):
    assert giou(a, b) <= iou(a, b) + 1e-9
    assert iou(a, b) == pytest.approx(iou(b, a))
    assert giou(a, b) == pytest.approx(giou(b, a))


@given(PLAIN_BOX, PLAIN_BOX)
def test_only_the_target_itself_scores_one(a, b):
    if iou(a, b) > 1 - 1e-12:
        assert a == pytest.approx(b, abs=1e-3)


def test_area_and_intersection_have_no_extra_pixel():
    assert area((0, 0, 10, 10)) == 100
    assert intersection((0, 0, 10, 10), (5, 5, 20, 20)) == 25


def test_borders_belong_to_a_box():
    assert contains((0, 0, 10, 10), (0, 10))
    assert not contains((0, 0, 10, 10), (10.1, 5))


@pytest.mark.parametrize("values", [[1, 2, 3], [1, 2, 3, 4, 5], [1, 2, 3, "4"], [True, 2, 3, 4], [None] * 4, []])
def test_only_four_plain_numbers_are_a_quad(values):
    assert quad(values) is None
    assert quad([1, 2.5, 3, 4]) == (1.0, 2.5, 3.0, 4.0)
