"""The blind probe, and the pictures that it shows."""

import asyncio
import base64
import io
from typing import ClassVar

import pytest
from PIL import Image
from pydantic import ValidationError

from guerdon import Abstain, LazyImage, Reward, Sample, Score
from guerdon_plugins.grounding import BlindProbe, Grounding
from guerdon_plugins.grounding.blind import blank, shuffled


def picture(size=(64, 48)):
    image = Image.new("RGB", size, "white")
    image.paste("red", (0, 0, size[0] // 2, size[1] // 2))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return LazyImage("data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode())


class RedCorner(Reward):
    """Pays where the upper left pixel is red."""

    name: ClassVar[str] = "red_corner"

    def score(self, sample):
        return 1.0 if sample.images[0].open().getpixel((0, 0)) == (255, 0, 0) else 0.0


class Length(Reward):
    """Pays for the text alone, whatever the picture."""

    name: ClassVar[str] = "text_length"
    value_range: ClassVar[tuple[float, float]] = (0.0, 10.0)

    async def score_batch(self, samples):
        return [Score(float(min(10, len(sample.completion)))) for sample in samples]


class OnlySeen(Reward):
    """Does not apply to a grey picture."""

    name: ClassVar[str] = "only_seen"

    def score(self, sample):
        grey = sample.images[0].open().getpixel((0, 0)) == (128, 128, 128)
        return Abstain("grey") if grey else 1.0


def run(probe, **fields):
    return asyncio.run(probe.score(Sample("g/0", "abcde", **{"images": [picture()], **fields})))


@pytest.mark.parametrize("kind", ["blank", "shuffled"])
def test_a_reward_that_looks_has_a_gap_and_one_that_does_not_has_none(kind):
    looks = run(BlindProbe(reward=RedCorner(), picture=kind))
    assert looks.value == 1.0
    assert looks.metrics == {"seen": 1.0, "blind": 0.0}
    blind = run(BlindProbe(reward=Length(), picture=kind))
    assert blind.value == 0.0
    assert blind.metrics == {"seen": 5.0, "blind": 5.0}


def test_it_abstains_with_the_reward_and_without_a_picture():
    assert isinstance(run(BlindProbe(reward=RedCorner()), images=[]), Abstain)
    assert isinstance(run(BlindProbe(reward=Grounding(kind="count"))), Abstain)


def test_an_abstention_on_the_blind_picture_counts_as_nothing():
    assert run(BlindProbe(reward=OnlySeen())).value == 1.0


def test_it_only_monitors_unless_told_otherwise():
    assert BlindProbe(reward=RedCorner()).role == "monitor"


def test_the_reward_is_named_in_yaml_and_round_trips():
    probe = BlindProbe.model_validate({"reward": {"use": "grounding", "kind": "count"}, "picture": "shuffled"})
    assert probe.reward == Grounding(kind="count")
    assert BlindProbe.model_validate_json(probe.model_dump_json()) == probe


@pytest.mark.parametrize(
    "reward", [{}, {"kind": "count"}, {"use": "no_such_reward"}, {"use": "grounding", "kid": 1}, None, 3]
)
def test_a_wrong_reward_is_refused(reward):
    with pytest.raises((ValidationError, ValueError)):
        BlindProbe.model_validate({"reward": reward})


@pytest.mark.parametrize("size", [(64, 48), (1, 1), (1, 100), (3, 7), (17, 23), (300, 200)])
def test_blind_pictures_have_the_same_size_and_are_the_same_every_time(size):
    image = picture(size)
    for change in (blank, shuffled):
        assert change(image, 4_000_000).size() == size
        assert change(image, 4_000_000) == change(image, 4_000_000)
    assert len(set(blank(image, 4_000_000).open().get_flattened_data())) == 1


def test_shuffling_keeps_the_pixels_and_moves_the_tiles():
    image = picture((64, 64))
    mixed = shuffled(image, 4_000_000).open()
    assert sorted(mixed.get_flattened_data()) == sorted(image.open().get_flattened_data())
    assert mixed.tobytes() != image.open().tobytes()


def test_large_pictures_shrink():
    width, height = blank(picture((400, 100)), 10_000).size()
    assert width * height <= 10_000
    assert width == pytest.approx(4 * height, abs=4)
