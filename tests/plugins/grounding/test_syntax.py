"""Boxes and points in the notations that models write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon_plugins.grounding.syntax import MAX_TOKENS, TooManyMarksError, boxes_among, find_marks

BOX = (10.0, 20.0, 110.0, 220.0)


def boxes(text, limit=300):
    return [mark.numbers for mark in boxes_among(find_marks(text, limit), text)]


@pytest.mark.parametrize(
    "text",
    [
        "[10,20,110,220]",
        "[ 10 , 20 , 110 , 220 ]",
        "[10, 20,\n110, 220]",
        "10, 20, 110, 220",
        "10 20 110 220.",
        "(10, 20, 110, 220)",
        "(10,20),(110,220)",
        "[[10,20],[110,220]]",
        "[[10,20,110,220]]",
        "[10;20;110;220]",
        "[1e1, 2e1, 1.1e2, 220.0]",
        "The box is at [10.0, 20.0, 110.0, 220.0].",
        "<box>(10,20),(110,220)</box>",
        "<box>[[10, 20, 110, 220]]</box>",
        "<bbox>10, 20, 110, 220</bbox>",
        "<|box_start|>(10,20),(110,220)<|box_end|>",
        "<ref>cup</ref><box>[[10, 20, 110, 220]]</box>",
        '{"bbox_2d": [10, 20, 110, 220], "label": "cup"}',
        "{'bbox_2d': [10, 20, 110, 220], 'label': 'cup'}",
        '```json\n[{"bbox_2d": [10, 20, 110, 220]}]\n```',
        '{"objects": [{"name": "cup", "box": [10, 20, 110, 220]}]}',
        '{"x1": 10, "y1": 20, "x2": 110, "y2": 220}',
        '{"label": "cup", "xmin": 10, "ymin": 20, "xmax": 110, "ymax": 220}',
        '{"left": 10, "top": 20, "right": 110, "bottom": 220}',
        '[{"bbox_2d": [10, 20, 110, 220], "label": "a {b} \\"c\\" [1, 2, 3, 4]"}]',
        "click(start_box='(10,20,110,220)')",
        "x1=10, y1=20, x2=110, y2=220",
        "bbox: 10, 20, 110, 220",
        "The bounding box is 10, 20, 110, 220.",
        "from (10, 20) to (110, 220)",
        "top-left (10, 20) and bottom-right (110, 220)",
        '[{"bbox_2d": [10, 20, 110, 220], "label"',
    ],
)
def test_notations_of_a_box(text):
    assert boxes(text) == [BOX]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The van is in the lower left corner.",
        "[10,20,110,220",
        "[10, 20, 110]",
        "[10, 20, 110, 220, 0.9]",
        '["10", "20", "110", "220"]',
        "[open('/tmp/x','w').write('x'), 0, 10, 10]",
        "[a, b, c, d]",
        "[0x0A, 20, 110, 220]",
        "[[10,20],[110,20],[110,220],[10,220]]",
        "see (1), (2) and [3]",
        "In 2019, 20 of 110 (see 220) agreed.",
    ],
)
def test_texts_without_a_box(text):
    assert boxes(text) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"bbox_2d": [NaN, 0, 10, 10], "label": "x"}',
        "[0, 0, Infinity, 10]",
        "[0, 0, 1e999, 10]",
        "[null, 0, 10, 10]",
        '{"bbox_2d": [1, 2, 3]}',
        '{"bbox": [1, 2, 3, 4, 5]}',
    ],
)
def test_what_should_be_a_box_and_is_not_counts_as_malformed(text):
    assert boxes(text) == [()]


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("(0.3725, 0.6140)", (0.3725, 0.6140)),
        ("click(640, 250)", (640, 250)),
        ("640, 250", (640, 250)),
        ('{"point_2d": [640, 250], "label": "ok"}', (640, 250)),
        ('{"x": 640, "y": 250}', (640, 250)),
        ("pyautogui.click(x=640, y=250)", (640, 250)),
        ('<point x="640" y="250" alt="ok">ok</point>', (640, 250)),
        ("<point>640 250</point>", (640, 250)),
        ("click(start_box='<|box_start|>(640,250)<|box_end|>')", (640, 250)),
        ("[.5, -1]", (0.5, -1)),
    ],
)
def test_notations_of_a_point(text, point):
    assert [mark.numbers for mark in find_marks(text, 10)] == [point]


def test_labels_come_from_the_object_the_key_or_the_reference_tag():
    text = (
        '[{"bbox_2d": [1,2,3,4], "label": "cup"}, {"name": "bowl", "bbox": [5,6,7,8]}, {"plate": [9,10,11,12]}]'
        "<|object_ref_start|>fork<|object_ref_end|><|box_start|>(1,1),(2,2)<|box_end|>"
    )
    assert [mark.label for mark in boxes_among(find_marks(text, 10), text)] == ["cup", "bowl", "plate", "fork"]


def test_named_coordinates_state_their_order():
    marks = find_marks('{"x": 1, "y": 2, "width": 3, "height": 4} {"cx": 1, "cy": 2, "w": 3, "h": 4} [1,2,3,4]', 10)
    assert [mark.order for mark in marks] == ["xywh", "cxcywh", None]


def test_positions_are_those_in_the_text():
    text = "The box [1, 2, 3, 4] it is"
    (mark,) = find_marks(text, 10)
    assert text[mark.start : mark.end] == "[1, 2, 3, 4]"


def test_more_marks_than_the_limit_are_refused():
    assert len(find_marks("[1,2,3,4]" * 300, 300)) == 300
    with pytest.raises(TooManyMarksError, match="300"):
        find_marks("[1,2,3,4]" * 301, 300)
    with pytest.raises(TooManyMarksError, match=str(MAX_TOKENS)):
        find_marks("{" * (MAX_TOKENS + 1), 300)


@given(st.text())
def test_any_text_is_read(text):
    for mark in find_marks(text, 300):
        assert 0 <= mark.start < mark.end <= len(text)


@given(st.text(alphabet="[](){}<>\"'\\:,.0123456789eE+-NaInfity xybo_|/\n", max_size=300))
def test_any_structure_is_read(text):
    for mark in boxes_among(find_marks(text, 300), text):
        assert len(mark.numbers) in (0, 4)
