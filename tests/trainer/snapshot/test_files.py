"""Which files a model folder has, which it lacks, and which are code."""

import hashlib

import pytest
from tests.trainer.snapshot.hub import CODE, MODEL

from guerdon import RunError
from guerdon_trainer.snapshot.files import missing_files, refuse_code, take_stock


@pytest.fixture
def folder(tmp_path):
    def write(files):
        for name, content in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(content)
        return tmp_path

    return write


def test_every_file_that_is_loaded_has_size_and_digest(folder):
    found = take_stock(folder(MODEL))
    assert [file.path for file in found] == sorted(MODEL.keys() - {"README.md"})
    for file in found:
        assert file.size == len(MODEL[file.path])
        assert file.sha256 == hashlib.sha256(MODEL[file.path]).hexdigest()


def test_what_git_and_the_hubs_client_keep_beside_a_model_is_no_part_of_it(folder):
    files = {".git/config.json": b"no JSON", ".cache/huggingface/x.py": b"1"}
    path = folder(MODEL | files)
    refuse_code(path, "m")
    assert not [file for file in take_stock(path) if file.path.startswith(".")]


def test_a_complete_model_lacks_nothing(folder):
    assert missing_files(folder(MODEL)) == []


@pytest.mark.parametrize("name", ["config.json", "model-2.safetensors"])
def test_a_missing_file_is_named(folder, name):
    path = folder(MODEL)
    (path / name).unlink()
    assert missing_files(path) == [name]


def test_a_folder_without_weights(folder):
    assert missing_files(folder({"config.json": b"{}"})) == ["*.safetensors"]


def test_code_is_refused_and_named(folder):
    path = folder(MODEL | CODE | {"sub/extra.py": b""})
    with pytest.raises(RunError) as caught:
        refuse_code(path, "org/tiny")
    message = str(caught.value)
    assert "org/tiny carries code of its own (modeling_tiny.py, sub/extra.py, auto_map in config.json)" in message
    assert "model.trust_remote_code: true" in message


def test_auto_map_of_a_tokenizer_is_code_too(folder):
    path = folder(MODEL | {"tokenizer_config.json": b'{"auto_map": {"AutoTokenizer": ["x.T", null]}}'})
    with pytest.raises(RunError, match=r"auto_map in tokenizer_config\.json"):
        refuse_code(path, "m")


def test_a_damaged_file_is_named(folder):
    path = folder(MODEL | {"config.json": b'{"cut'})
    with pytest.raises(RunError, match=r"config\.json is no JSON.*fetch it again"):
        refuse_code(path, "m")
