"""What a text says about the pictures as files."""

import base64
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from guerdon import Abstain, LazyImage, Sample
from guerdon_plugins.grounding import Grounding
from guerdon_plugins.grounding.colours import colours_of, named_colours

LANDSCAPE = {"image_width": 640, "image_height": 480, "image_count": 1}
PORTRAIT = {"image_width": 900, "image_height": 1400, "image_count": 2}
SQUARE = {"image_width": 64, "image_height": 64, "image_count": 3}


def judge(completion, check, metadata=LANDSCAPE, **fields):
    reference = {"type": "metadata_claims", "check": check, **fields.pop("reference", {})}
    return Grounding().score(Sample("g/0", completion, reference=reference, metadata=metadata, **fields))


@pytest.mark.parametrize(
    "completion",
    [
        "The image is 640 by 480 pixels.",
        "This photo measures 640×480 pixels.",
        "Size: 640x480",
        "It is 640 pixels wide and 480 pixels high.",
        "The width is 640 and the height is 480.",
        "480 px tall",
        "图片宽640像素,高480像素",
        "分辨率为640*480",
    ],
)
def test_a_true_size(completion):
    assert judge(completion, ["size"]).value == 1.0


@pytest.mark.parametrize(
    "completion",
    [
        "This photo measures 1920×1080 pixels.",
        "480 x 640",
        "It is 640 pixels wide and 640 pixels high.",
        "640x480, no, 800x600",
        "The image is large.",
        "",
        "It shows a 12 x 15 cm card.",
    ],
)
def test_a_false_size_or_none(completion):
    assert judge(completion, ["size"]).value == 0.0


@pytest.mark.parametrize(
    ("completion", "metadata"),
    [
        ("The scan is in portrait format.", PORTRAIT),
        ("portrait", PORTRAIT),
        ("A vertical image of a door.", PORTRAIT),
        ("It is taller than it is wide.", PORTRAIT),
        ("The picture is not in landscape format but in portrait format.", PORTRAIT),
        ("这是一张竖版照片", PORTRAIT),
        ("The photo has landscape orientation.", LANDSCAPE),
        ("Its orientation is horizontal.", LANDSCAPE),
        ("wider than tall", LANDSCAPE),
        ("横向图片", LANDSCAPE),
        ("It is square.", SQUARE),
        ("a square image", SQUARE),
    ],
)
def test_a_true_orientation(completion, metadata):
    assert judge(completion, ["orientation"], metadata).value == 1.0


@pytest.mark.parametrize(
    ("completion", "metadata"),
    [
        ("The scan is in portrait format.", LANDSCAPE),
        ("The photo has landscape orientation.", PORTRAIT),
        ("It is in portrait format, or in landscape format.", PORTRAIT),
        ("A portrait of a woman.", PORTRAIT),
        ("A landscape with hills.", LANDSCAPE),
        ("It is not in portrait format.", PORTRAIT),
        ("", PORTRAIT),
    ],
)
def test_a_false_orientation_or_none(completion, metadata):
    assert judge(completion, ["orientation"], metadata).value == 0.0


@pytest.mark.parametrize(
    ("completion", "metadata", "expected"),
    [
        ("Both images show the same street.", LANDSCAPE, 0.0),
        ("Both images show the same street.", PORTRAIT, 1.0),
        ("The two pictures differ.", PORTRAIT, 1.0),
        ("All three photos were taken at night.", SQUARE, 1.0),
        ("All three photos were taken at night.", PORTRAIT, 0.0),
        ("There are 3 images.", SQUARE, 1.0),
        ("In the second image a dog appears.", PORTRAIT, 1.0),
        ("In the third image a dog appears.", PORTRAIT, 0.0),
        ("Image 3 is darker.", SQUARE, 1.0),
        ("The images are dark.", LANDSCAPE, 0.0),
        ("There is only one image.", LANDSCAPE, 1.0),
        ("There is only one image.", PORTRAIT, 0.0),
        ("The image shows a street.", LANDSCAPE, 1.0),
        ("The image shows a street.", PORTRAIT, 0.0),
        ("两张图片都很暗", PORTRAIT, 1.0),
        ("第三张照片很暗", PORTRAIT, 0.0),
        ("A street at night.", PORTRAIT, 0.0),
    ],
)
def test_the_number_of_pictures(completion, metadata, expected):
    assert judge(completion, ["image_count"], metadata).value == expected


def test_several_checks_share_the_value():
    score = judge("A 640x480 picture in portrait format.", ["size", "orientation"])
    assert score.value == 0.5
    assert score.evidence["orientation"] == [{"text": "in portrait", "true": False}]


@pytest.mark.parametrize("check", [None, [], ["weight"], "weight", [3]])
def test_an_unknown_check_is_unscorable(check):
    assert isinstance(judge("640x480", check), Abstain)


@pytest.mark.parametrize("check", ["size", "orientation", "image_count", "colour"])
def test_missing_facts_are_unscorable(check):
    assert isinstance(judge("640x480", [check], {}), Abstain)


def test_the_count_of_pictures_comes_from_the_sample_where_metadata_has_none():
    pictures = [drawn("red"), drawn("blue")]
    assert judge("Both images are plain.", ["image_count"], {}, images=pictures).value == 1.0


def drawn(colour, size=(40, 40), patch=None):
    image = Image.new("RGB", size, colour)
    if patch:
        image.paste(patch[0], patch[1])
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return LazyImage("data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode())


@pytest.mark.parametrize(
    "colour",
    ["red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "brown", "black", "white", "gray"],
)
def test_colours_are_recognised(colour):
    (name,) = named_colours(colour)
    assert name in colours_of(drawn(colour), None)
    assert len(colours_of(drawn(colour), None)) <= 2


def test_colour_claims_are_held_against_the_picture():
    image = drawn("white", patch=("red", (10, 10, 30, 30)))
    assert judge("A red patch on white.", ["colour"], images=[image]).value == 1.0
    assert judge("一个红色的方块", ["colour"], images=[image]).value == 1.0
    assert judge("A blue patch on white.", ["colour"], images=[image]).value == 0.0
    assert judge("red, blue, green, white", ["colour"], images=[image]).value == 0.0
    assert judge("a patch", ["colour"], images=[image]).value == 0.0


def test_colours_in_the_true_boxes_only():
    image = drawn("white", patch=("red", (10, 10, 30, 30)))
    inside = {"boxes": [[12, 12, 28, 28]], "ref_space": "abs"}
    assert judge("It is red.", ["colour"], {}, images=[image], reference=inside).value == 1.0
    assert judge("It is white.", ["colour"], {}, images=[image], reference=inside).value == 0.0


def test_colours_from_the_reference():
    assert judge("It is grey.", ["colour"], reference={"colours": ["gray"]}).value == 1.0
    assert isinstance(judge("It is grey.", ["colour"], reference={"colours": ["loud"]}), Abstain)


def test_words_that_only_contain_a_colour_are_none():
    assert named_colours("a bored reader, greenhouse, blackboard") == {}
    assert set(named_colours("a reddish-brown, gray and turquoise shape")) == {"red", "brown", "grey", "teal"}


@given(st.text())
def test_any_text(text):
    assert judge(text, ["size", "orientation", "image_count", "colour"], reference={"colours": ["red"]}).value <= 1.0
