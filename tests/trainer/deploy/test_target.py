"""The file about the cluster, and the image that comes from build.sh."""

import json

import pytest

from guerdon import ConfigError
from guerdon_trainer.deploy import load_target

IMAGE = f"registry/guerdon@sha256:{'0' * 64}"
OTHER = f"registry/guerdon@sha256:{'1' * 64}"


@pytest.fixture
def write(tmp_path):
    def write(text):
        (tmp_path / "cluster.yaml").write_text(text)
        return tmp_path / "cluster.yaml"

    return write


def test_the_image_is_the_one_that_was_pushed(write):
    path = write("namespace: a\n")
    (path.parent / "image.json").write_text(json.dumps({"image": IMAGE}))
    assert load_target(path).image == IMAGE
    assert load_target(path, OTHER).image == OTHER
    assert load_target(write(f"image: {OTHER}\n")).image == OTHER


def test_no_image_anywhere(write):
    with pytest.raises(ConfigError, match="image: Field required"):
        load_target(write("namespace: a\n"))


def test_a_tag_is_no_digest(write):
    with pytest.raises(ConfigError, match=r"image: an image needs its digest.*found 'registry/guerdon:latest'"):
        load_target(write("image: registry/guerdon:latest\n"))


def test_a_misspelt_field_is_named(write):
    with pytest.raises(ConfigError, match="nmespace: no such field"):
        load_target(write(f"image: {IMAGE}\nnmespace: a\n"))


def test_fabric_adapters_by_instance_type(write):
    for name, count in {"ml.p5en.48xlarge": 16, "ml.p5.48xlarge": 32, "ml.p4d.24xlarge": 4}.items():
        assert load_target(write(f"image: {IMAGE}\ninstance_type: {name}\n")).adapters == count


def test_an_unknown_instance_type_must_say_how_many(write):
    text = f"image: {IMAGE}\ninstance_type: ml.g6.48xlarge\n"
    with pytest.raises(ConfigError, match=r"efa_devices is not known for ml\.g6\.48xlarge"):
        load_target(write(text))
    assert load_target(write(text + "efa_devices: 0\n")).adapters == 0


def test_damaged_image_file(write):
    path = write("namespace: a\n")
    (path.parent / "image.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"image\.json names no image; build\.sh writes it"):
        load_target(path)
