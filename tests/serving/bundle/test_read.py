"""Opening and sealing: what a bundle is once it is in memory."""

import json

import pytest

from guerdon_serving.bundle import read
from guerdon_serving.bundle.files import canonical, digest
from guerdon_serving.bundle.read import FACTS, SEAL, check_files, open_bundle, seal
from guerdon_serving.codes import Code, RefusedError


def test_the_id_is_the_digest_of_bundle_json(bundle):
    raw = (bundle.folder / FACTS).read_bytes()
    assert bundle.id == digest(raw)
    assert bundle.digest12 == bundle.id[:12]
    assert canonical(json.loads(raw)) == raw
    assert (bundle.folder / SEAL).read_text(encoding="ascii") == f"{bundle.id}  bundle.json\n"


def test_what_was_sealed_opens_again(bundle, forge):
    sealed = seal(forge.folder, bundle.facts)
    opened = open_bundle(forge.folder)
    assert (opened.id, opened.facts) == (sealed.id, bundle.facts) == (bundle.id, bundle.facts)


def test_every_file_is_listed_once_by_its_path(bundle):
    on_disk = {path.relative_to(bundle.folder).as_posix() for path in bundle.folder.rglob("*") if path.is_file()}
    weights = {f"base/{file.path}" for file in bundle.facts.base.files if file.path.endswith(".safetensors")}
    assert bundle.files().keys() == (on_disk - {FACTS, SEAL}) | weights
    assert weights == {"base/model.safetensors"}


def test_a_base_inside_is_checked_like_everything_else(forge, base_folder):
    target = forge.folder / "base/model.safetensors"
    target.write_bytes((base_folder / "model.safetensors").read_bytes())
    check_files(open_bundle(forge.folder))
    target.write_bytes(b"x" + target.read_bytes()[1:])
    with pytest.raises(RefusedError) as caught:
        check_files(open_bundle(forge.folder))
    assert caught.value.code is Code.FILE_CHANGED


def test_count_and_size_are_bounded(forge, monkeypatch):
    bundle = open_bundle(forge.folder)
    monkeypatch.setattr(read, "MAX_FILES", 3)
    with pytest.raises(RefusedError) as many:
        check_files(bundle)
    monkeypatch.setattr(read, "MAX_FACTS_BYTES", 100)
    with pytest.raises(RefusedError) as large:
        open_bundle(forge.folder)
    assert many.value.code is large.value.code is Code.BUNDLE_TOO_LARGE


def test_a_message_names_the_field_and_counts_the_rest(forge):
    forge.facts["run"]["seed"] = "x"
    forge.facts["serving"]["tower"] = 1
    forge.seal()
    with pytest.raises(RefusedError, match=r"bundle\.json: run\.seed: Input should be a valid integer and 1 more"):
        open_bundle(forge.folder)


def test_the_first_letters_of_an_id_are_enough(bundle):
    for expected in (bundle.id, bundle.id[:8], None):
        assert open_bundle(bundle.folder, expected_id=expected).id == bundle.id
