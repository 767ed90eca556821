"""Who signed a bundle: any change of the folder, the signature or the key is caught."""

import shutil

import pytest
from tests.serving.keys import write_keys

from guerdon_serving.bundle.read import open_bundle
from guerdon_serving.bundle.sign import check_signature, sign, signature_path
from guerdon_serving.codes import Code, RefusedError


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    return write_keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture
def signed(bundle, keys, tmp_path):
    copied = open_bundle(shutil.copytree(bundle.folder, tmp_path / "signed"))
    assert sign(copied, keys[0]) == signature_path(copied) == tmp_path / "signed.sig"
    return copied


def refusal(bundle, public, signature=None):
    with pytest.raises(RefusedError) as caught:
        check_signature(bundle, public, signature)
    return caught.value.code


def test_a_signed_bundle_is_accepted_and_stays_the_same_bundle(signed, keys, bundle):
    assert check_signature(signed, keys[1]).is_file()
    assert open_bundle(signed.folder).id == bundle.id


def test_another_key_is_refused(signed, tmp_path):
    assert refusal(signed, write_keys(tmp_path)[1]) is Code.SIGNATURE_WRONG


@pytest.mark.parametrize("name", ["bundle.json", "adapter/adapter_model.safetensors", "base/config.json", "README.md"])
def test_a_changed_file_is_refused(signed, keys, name):
    path = signed.folder / name
    path.write_bytes(path.read_bytes() + b" ")
    assert refusal(signed, keys[1]) is Code.SIGNATURE_WRONG


@pytest.mark.parametrize("name", ["more.json", ".gitignore"])
def test_an_added_file_is_refused(signed, keys, name):
    (signed.folder / name).write_text("{}", encoding="utf-8")
    assert refusal(signed, keys[1]) is Code.SIGNATURE_WRONG


def test_no_signature_or_a_damaged_one_is_refused(signed, keys, tmp_path):
    path = signature_path(signed)
    whole = path.read_bytes()
    for content in (b"", b"{}", whole[:-40], whole.replace(b"sig", b"gis", 1)):
        path.write_bytes(content)
        assert refusal(signed, keys[1]) is Code.SIGNATURE_WRONG
    path.unlink()
    assert refusal(signed, keys[1]) is Code.SIGNATURE_WRONG


def test_keys_that_are_none_are_refused(signed, keys, tmp_path):
    junk = tmp_path / "junk.pem"
    junk.write_text("no key", encoding="ascii")
    assert refusal(signed, junk) is Code.SIGNATURE_KEY
    assert refusal(signed, tmp_path / "missing.pub") is Code.SIGNATURE_KEY
    with pytest.raises(RefusedError) as caught:
        sign(signed, junk)
    assert caught.value.code is Code.SIGNATURE_KEY


def test_an_encrypted_key_needs_its_password(signed, tmp_path):
    private, public = write_keys(tmp_path, b"open")
    with pytest.raises(RefusedError):
        sign(signed, private, tmp_path / "a.sig")
    assert refusal(signed, public, sign(signed, private, tmp_path / "a.sig", password="open").with_name("b.sig")) is (
        Code.SIGNATURE_WRONG
    )
    assert check_signature(signed, public, tmp_path / "a.sig").name == "a.sig"


def test_a_signature_inside_what_it_covers_is_refused(signed, keys):
    with pytest.raises(RefusedError) as caught:
        sign(signed, keys[0], signed.folder / "bundle.sig")
    assert caught.value.code is Code.BUNDLE_OUTPUT
