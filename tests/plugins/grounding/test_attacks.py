"""Ways to earn `grounding` without seeing, each known from a report or tried by a policy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Sample
from guerdon_plugins.grounding import Grounding

BOX = {"type": "boxes", "boxes": [[100, 100, 200, 200]], "ref_space": "abs", "ref_order": "xyxy", "labels": ["cup"]}
TWO = {**BOX, "boxes": [[100, 100, 200, 200], [300, 300, 400, 400]], "labels": ["cup", "plate"]}
SIZE = {"image_width": 640, "image_height": 480}
MATCHES = ["mean", "hungarian_f1", "map"]


def value(completion, reference=BOX, **config):
    config = {"pred_space": "abs", **config}
    return Grounding(**config).score(Sample("g/0", completion, reference=reference, metadata=SIZE)).value


@pytest.mark.parametrize("match", MATCHES)
def test_framing_the_whole_picture(match):
    assert value("[0, 0, 640, 480]", match=match) < 0.1 < value("[95, 95, 205, 205]", match=match)


def test_framing_the_whole_picture_under_giou_is_worth_little_more_than_a_half():
    assert value("[0, 0, 640, 480]", overlap="giou") < 0.55 < value("[95, 95, 205, 205]", overlap="giou")


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("copies", [2, 10, 299])
def test_writing_a_box_many_times(match, copies):
    text = "[" + ",".join(["[100,100,200,200]"] * copies) + "]"
    assert value(text, match=match) <= 2 / (copies + 1) < 1 == value("[100,100,200,200]", match=match)


@pytest.mark.parametrize("match", MATCHES)
def test_a_grid_of_boxes(match):
    grid = [[x, y, x + 100, y + 100] for x in range(0, 600, 50) for y in range(0, 400, 50)]
    assert [100, 100, 200, 200] in grid
    assert value(str(grid), match=match) < 0.03


@pytest.mark.parametrize("match", MATCHES)
def test_more_boxes_than_the_limit_are_not_cut_to_the_good_ones(match):
    assert value("[100,100,200,200]" + "[0,0,1,1]" * 300, match=match) == 0.0
    assert value("[0,0,1,1]" * 300 + "[100,100,200,200]", match=match) == 0.0


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize(
    "text",
    [
        "[200, 200, 100, 100]",
        "[200, 100, 100, 200]",
        "[NaN, NaN, NaN, NaN]",
        "[-Infinity, -Infinity, Infinity, Infinity]",
        "[-1e999, -1e999, 1e999, 1e999]",
        "[150, 150, 150, 150]",
        "[-1e300, -1e300, 1e300, 1e300]",
        "[null, null, null, null]",
        "[-1000000, -1000000, 1000000, 1000000]",
    ],
)
def test_malformed_and_endless_boxes(match, text):
    assert value(text, match=match) < 1e-6


@pytest.mark.parametrize("space", ["abs", "norm1", "norm1000"])
def test_no_second_reading_in_another_space(space):
    same_box = {
        "abs": "[100,100,200,200]",
        "norm1": "[0.15625,0.20833,0.3125,0.41667]",
        "norm1000": "[156.25,208.33,312.5,416.67]",
    }
    for written, text in same_box.items():
        got = value(text, pred_space=space)
        assert (got > 0.99) == (written == space)


def test_no_second_reading_in_another_order():
    assert value("[100, 100, 100, 100]") == 0.0
    assert value("[100, 100, 100, 100]", pred_order="xywh") == 1.0


def test_two_guesses_are_worth_no_more_than_the_better_one_halved():
    assert value("[100,100,200,200] or [0,0,50,50]") == pytest.approx(0.5)
    assert value("Either [0,0,50,50], [300,0,400,50] or [100,100,200,200]") == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    "text",
    [
        "<think>[100,100,200,200]",
        "<think>[100,100,200,200]</think>",
        "[100,100,200,200]<think>",
        "<thinking>[100,100,200,200]</thinking> ok",
    ],
)
def test_a_box_in_the_reasoning_or_before_a_cut_off(text):
    assert value(text) == 0.0


@pytest.mark.parametrize(
    "text",
    ["The answer is clearly visible in the image.", "I looked at the picture closely.", "bbox", "<box></box>", "[[]]"],
)
def test_claims_of_having_looked(text):
    assert value(text) == 0.0


@pytest.mark.parametrize("match", MATCHES)
def test_labelling_every_box_with_every_name(match):
    everything = "cup plate bowl"
    text = str([{"bbox_2d": box, "label": everything} for box in TWO["boxes"]])
    assert value(text, TWO, match=match, class_aware=True) == 0.0


@pytest.mark.parametrize("match", MATCHES)
def test_the_same_place_under_every_label(match):
    names = ["cup", "plate", "bowl", "fork"]
    text = str([{"bbox_2d": place, "label": name} for place in TWO["boxes"] for name in names])
    assert value(text, TWO, match=match, class_aware=True) <= 0.4


def test_an_unlabelled_box_where_labels_matter():
    assert value("[100,100,200,200]", class_aware=True) == 0.0


def test_silence_where_there_is_nothing_to_find():
    empty = {**BOX, "boxes": [], "labels": []}
    assert value("", empty) == value("   ", empty) == value("<think>nothing", empty) == 0.0


def test_points_everywhere():
    spray = " ".join(f"({x}, {y})" for x in range(0, 640, 40) for y in range(0, 480, 40))
    assert value(spray, kind="point") < 0.01


def test_ten_equal_points():
    assert value("(150, 150) " * 10, kind="point") == pytest.approx(0.1)


@pytest.mark.parametrize(
    "text",
    ["3, 4, 5 or 6", "1 2 3 4 5 6", "between 3 and 5", "at least 4", "4 or 5", "about 3 to 4", "more than 3", "not 4"],
)
def test_naming_every_count(text):
    count = {"type": "count", "answer": 4}
    assert value(text, count) == 0.0
    assert value("4", count) == 1.0


@pytest.mark.parametrize(
    "text",
    ["STOP GO EXIT OPEN PUSH", "It may say STOP", "S T O P", "stopstopstop", " ".join(["STOP"] * 50)],
)
def test_naming_every_text(text):
    assert value(text, {"type": "ocr", "texts": ["STOP"]}) == 0.0


def test_quoting_every_text_is_worth_the_share_that_is_there():
    words = ["PUSH", "PULL", "STOP", "EXIT", "OPEN"]
    text = " ".join(f'"{word}"' for word in words)
    assert value(text, {"type": "ocr_present", "texts": ["PUSH"]}, metric="quoted_present") == pytest.approx(0.2)
    assert value(
        '"PUSH" ' * 20 + '"NO"', {"type": "ocr_present", "texts": ["PUSH"]}, metric="quoted_present"
    ) == pytest.approx(0.5)


def test_a_flood_of_text_holds_every_text():
    flood = " ".join(f"word{i}" for i in range(500)) + " PUSH"
    assert value(flood, {"type": "ocr_present", "texts": ["PUSH"]}) == 0.0


def test_claiming_every_size_and_every_orientation():
    claims = {"type": "metadata_claims", "check": ["size", "orientation"]}
    assert value("It is 640x480 pixels, or 800x600, in portrait or in landscape format.", claims) == 0.0
    assert value("It is 640x480 pixels, in landscape format.", claims) == 1.0


@given(st.lists(st.tuples(*[st.integers(-50, 700)] * 4), min_size=1, max_size=8))
def test_no_set_of_boxes_beats_the_true_ones(boxes):
    text = str([list(box) for box in boxes])
    for match in MATCHES:
        got = value(text, TWO, match=match)
        assert 0.0 <= got <= 1.0
        if sorted(map(list, boxes)) != sorted(TWO["boxes"]):
            assert got < 1.0 or match == "hungarian_f1"
