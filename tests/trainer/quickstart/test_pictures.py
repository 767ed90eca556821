"""What the pixels say agrees with what easy-VQA's own answers say."""

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from guerdon_trainer.quickstart import pictures
from guerdon_trainer.quickstart.pictures import COLOURS, SHAPES, Picture, load_picture, package_folder
from guerdon_trainer.quickstart.questions import load_questions

SAMPLE = [load_picture("train", number) for number in range(0, 4000, 25)]


@pytest.mark.parametrize("pool", ["train", "test"])
def test_colours_and_shapes_match_the_answers(pool):
    questions = [it for it in load_questions(pool)[:3000] if it.kind in ("color", "shape")]
    assert len(questions) > 500
    for question in questions:
        picture = load_picture(question.collection, question.number)
        assert question.answer in (picture.colour, picture.shape)
        assert question.answer == (picture.colour if question.kind == "color" else picture.shape)


def test_the_boxes_are_tight():
    """Outside a box all is background; each of its four edges holds a pixel that is not."""
    for picture in SAMPLE:
        pixels = _pixels(picture)
        left, top, right, bottom = picture.box
        outside = np.ones(pixels.shape[:2], dtype=bool)
        outside[top:bottom, left:right] = False
        distance = np.abs(pixels - np.median(pixels[outside], axis=0)).sum(axis=-1)
        inside = distance[top:bottom, left:right]
        assert distance[outside].max() <= 60
        assert min(inside[0].max(), inside[-1].max(), inside[:, 0].max(), inside[:, -1].max()) > 60


def test_boxes_lie_inside_and_have_the_known_sizes():
    for picture in SAMPLE:
        left, top, right, bottom = picture.box
        assert 0 <= left < right <= picture.width == 64
        assert 0 <= top < bottom <= picture.height == 64
        assert 8 <= right - left <= 34
        assert 8 <= bottom - top <= 34


def test_shapes_that_touch_an_edge_are_read_too():
    touching = [picture for picture in SAMPLE if 0 in picture.box or 64 in picture.box]
    assert touching
    assert {picture.colour for picture in touching} <= set(COLOURS)


def test_every_colour_and_shape_occurs():
    assert {picture.colour for picture in SAMPLE} == set(COLOURS)
    assert {picture.shape for picture in SAMPLE} == set(SHAPES)


def test_thousandths_scale_each_axis_by_its_own_size():
    picture = Picture("train", 1, Path("x.png"), 100, 50, "red", "circle", (10, 10, 20, 50))
    assert picture.thousandths == (100, 200, 200, 1000)
    assert picture.key == "train_1"
    assert picture.label == "red circle"


def test_a_picture_that_does_not_exist_is_refused():
    with pytest.raises(FileNotFoundError):
        load_picture("train", 4000)


def test_a_missing_package_is_named_with_the_remedy(monkeypatch):
    def absent(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(pictures, "files", absent)
    package_folder.cache_clear()
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'guerdon\[trainer\]'"):
        package_folder()


def test_torch_is_not_needed():
    assert "torch" not in vars(sys.modules["guerdon_trainer.quickstart.pictures"])


def _pixels(picture):
    with Image.open(picture.path) as image:
        return np.asarray(image.convert("RGB")).astype(int)
