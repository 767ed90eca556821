"""One tar file: the same bytes for the same bundle, and nothing but plain files comes out."""

import io
import tarfile

import pytest

from guerdon_serving.bundle.archive import pack, unpack
from guerdon_serving.bundle.read import check_files
from guerdon_serving.codes import Code, RefusedError


def test_a_bundle_comes_out_as_it_went_in(bundle, tmp_path):
    pack(bundle, tmp_path / "b.tar.gz")
    again = unpack(tmp_path / "b.tar.gz", tmp_path / "out")
    check_files(again)
    assert again.id == bundle.id
    assert pack(again, tmp_path / "c.tar.gz").read_bytes() == (tmp_path / "b.tar.gz").read_bytes()


def entry(name, kind=tarfile.REGTYPE, link="", body=b"x"):
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, len(body) if kind == tarfile.REGTYPE else 0
    return info, body


@pytest.mark.parametrize(
    "member",
    [
        entry("../escaped"),
        entry("base/../../escaped"),
        entry("/tmp/escaped"),
        entry("link", tarfile.SYMTYPE, "/etc/passwd"),
        entry("hard", tarfile.LNKTYPE, "bundle.json"),
        entry("device", tarfile.CHRTYPE),
        entry("pipe", tarfile.FIFOTYPE),
    ],
    ids=lambda member: member[0].name,
)
def test_what_could_escape_is_refused(bundle, tmp_path, member):
    pack(bundle, tmp_path / "b.tar.gz")
    info, body = member
    with tarfile.open(tmp_path / "bad.tar", "w") as bad, tarfile.open(tmp_path / "b.tar.gz") as good:
        for each in good:
            bad.addfile(each, good.extractfile(each))
        bad.addfile(info, io.BytesIO(body))
    with pytest.raises(RefusedError) as caught:
        unpack(tmp_path / "bad.tar", tmp_path / "deep" / "out")
    assert caught.value.code is Code.ARCHIVE_UNSAFE
    assert not list(tmp_path.rglob("escaped"))
    assert not (tmp_path / "deep" / "out").exists()


def test_a_damaged_archive_and_a_folder_in_the_way_are_refused(bundle, tmp_path):
    packed = pack(bundle, tmp_path / "b.tar.gz")
    packed.write_bytes(packed.read_bytes()[:-500])
    with pytest.raises(RefusedError) as damaged:
        unpack(packed, tmp_path / "out")
    with pytest.raises(RefusedError) as occupied:
        unpack(packed, tmp_path)
    assert (damaged.value.code, occupied.value.code) == (Code.ARCHIVE_UNSAFE, Code.BUNDLE_OUTPUT)


def test_too_many_files_are_refused(tmp_path):
    with tarfile.open(tmp_path / "many.tar", "w") as many:
        for number in range(1001):
            many.addfile(tarfile.TarInfo(f"f{number}"))
    with pytest.raises(RefusedError) as caught:
        unpack(tmp_path / "many.tar", tmp_path / "out")
    assert caught.value.code is Code.ARCHIVE_UNSAFE
