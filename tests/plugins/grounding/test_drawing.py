"""Drawing boxes."""

import pytest
from PIL import Image

from guerdon_plugins.grounding import draw_boxes


@pytest.fixture
def image():
    return Image.new("RGB", (100, 80), "white")


def test_true_boxes_are_green_and_predicted_ones_red(image):
    drawn = draw_boxes(image, [[10, 10, 40, 40]], [[50, 20, 90, 70]])
    assert drawn.getpixel((10, 25)) == (214, 39, 40)
    assert drawn.getpixel((50, 45)) == (44, 160, 44)
    assert drawn.getpixel((25, 25)) == (255, 255, 255)


def test_the_picture_itself_stays(image):
    draw_boxes(image, [[10, 10, 40, 40]], [])
    assert image.getcolors() == [(8000, (255, 255, 255))]


@pytest.mark.parametrize(
    "box",
    [
        [40, 40, 10, 10],
        [float("nan")] * 4,
        [1, 2, 3],
        [-1e9, -1e9, 1e9, 1e9],
        [200, 200, 300, 300],
        [-50, -50, -10, -10],
        [],
    ],
)
def test_what_cannot_be_drawn_is_left_out_or_clipped(image, box):
    assert draw_boxes(image, [box], [box]).getpixel((50, 40)) == (255, 255, 255)


def test_labels_are_written(image):
    plain = draw_boxes(image, [[10, 10, 90, 70]], [])
    labelled = draw_boxes(image, [[10, 10, 90, 70]], [], predicted_labels=["cup"])
    assert plain.tobytes() != labelled.tobytes()


def test_any_mode_is_drawn_on():
    assert draw_boxes(Image.new("L", (20, 20)), [[2, 2, 18, 18]], []).mode == "RGB"
