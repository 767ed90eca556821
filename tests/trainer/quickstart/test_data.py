"""The manifests hold what the trainer and the rewards read, and repeat byte for byte."""

import json
import subprocess
import sys

import pytest

from guerdon_trainer.quickstart.data import write_manifests
from guerdon_trainer.quickstart.pictures import package_folder

METADATA = {
    "modality",
    "question_kind",
    "image_width",
    "image_height",
    "image_count",
    "split",
    "source_image",
}
NAMES = ("train", "eval", "test")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("manifests")
    write_manifests(path, seed=7, train=120, eval=60, test=40)
    return path


@pytest.fixture(scope="module")
def lines(folder):
    return {name: _read(folder / f"{name}.jsonl") for name in NAMES}


def test_the_splits_are_returned_and_have_the_asked_sizes(tmp_path):
    splits = write_manifests(tmp_path / "new" / "folder", seed=0, train=3, eval=2, test=0)
    assert (splits.train.name, splits.eval.name, splits.test.name) == ("train.jsonl", "eval.jsonl", "test.jsonl")
    assert [len(_read(path)) for path in (splits.train, splits.eval, splits.test)] == [3, 2, 0]


def test_every_line_has_the_fields(lines):
    for name in NAMES:
        for line in lines[name]:
            assert set(line) == {"id", "messages", "reference", "metadata"}
            assert set(line["metadata"]) == METADATA
            assert line["metadata"]["split"] == name
            assert line["reference"]["type"] in ("exact", "choice", "numeric")


def test_ids_are_unique(lines):
    ids = [line["id"] for name in NAMES for line in lines[name]]
    assert len(set(ids)) == len(ids) == 220


def test_every_kind_and_modality_occurs(lines):
    assert {line["metadata"]["modality"] for line in lines["train"]} == {"text", "image", "images"}
    kinds = {line["metadata"]["question_kind"] for line in lines["train"]}
    assert kinds == {"color", "shape", "yes_no", "letter", "nth_color", "same_color", "sum"}


def test_messages_show_the_pictures_then_the_text(lines):
    for line in lines["train"]:
        (message,) = line["messages"]
        *images, text = message["content"]
        assert message["role"] == "user"
        assert set(text) == {"type", "text"}
        assert [part["type"] for part in images] == ["image"] * line["metadata"]["image_count"]
        assert [part["image"] for part in images] == [f"images/{key}.png" for key in line["metadata"]["source_image"]]


def test_pictures_are_copied_byte_for_byte(folder, lines):
    for line in lines["test"]:
        for key in line["metadata"]["source_image"]:
            collection, number = key.split("_")
            original = package_folder() / collection / "images" / f"{number}.png"
            assert (folder / "images" / f"{key}.png").read_bytes() == original.read_bytes()


def test_one_picture_carries_its_box(lines):
    for line in lines["train"]:
        one = line["metadata"]["modality"] == "image"
        assert ("boxes" in line["reference"]) is one
        if one:
            ((left, top, right, bottom),) = line["reference"]["boxes"]
            assert 0 <= left < right <= line["metadata"]["image_width"]
            assert 0 <= top < bottom <= line["metadata"]["image_height"]
            assert line["reference"]["ref_space"] == "abs"


def test_the_splits_share_no_picture(lines):
    shown = {name: {key for line in lines[name] for key in line["metadata"]["source_image"]} for name in NAMES}
    assert not shown["train"] & shown["eval"]
    assert not shown["train"] & shown["test"]
    assert not shown["eval"] & shown["test"]
    assert all(key.startswith("test_") for key in shown["test"])


def test_the_same_seed_gives_the_same_bytes(folder, tmp_path):
    write_manifests(tmp_path, seed=7, train=120, eval=60, test=40)
    for name in NAMES:
        assert (tmp_path / f"{name}.jsonl").read_bytes() == (folder / f"{name}.jsonl").read_bytes()


def test_another_process_gives_the_same_bytes(folder, tmp_path):
    """Hash randomisation must not reach the manifests, nor torch the imports."""
    code = (
        "import sys, pathlib; from guerdon_trainer.quickstart.data import write_manifests; "
        "write_manifests(pathlib.Path(sys.argv[1]), seed=7, train=120, eval=60, test=40); "
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    environment = {"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": "12345"}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, env=environment)
    assert (tmp_path / "train.jsonl").read_bytes() == (folder / "train.jsonl").read_bytes()


def test_another_seed_gives_other_prompts(folder, tmp_path):
    splits = write_manifests(tmp_path, seed=8, train=120, eval=0, test=0)
    assert splits.train.read_bytes() != (folder / "train.jsonl").read_bytes()


def _read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
