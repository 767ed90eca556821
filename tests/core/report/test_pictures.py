import base64
import io

import pytest
from PIL import Image

from guerdon import DataError
from guerdon.report import pictures
from guerdon.report.pictures import SIDE, album, embed


def save(path, size, kind="PNG", noise=False, mode="RGB"):
    image = Image.effect_noise(size, 90).convert(mode) if noise else Image.new(mode, size)
    image.save(path, kind)
    return path


def decoded(picture):
    head, _, body = picture["url"].partition(",")
    return head, Image.open(io.BytesIO(base64.b64decode(body)))


@pytest.mark.parametrize(("kind", "mime"), [("PNG", "png"), ("JPEG", "jpeg"), ("WEBP", "webp"), ("GIF", "gif")])
def test_small_pictures_are_embedded_as_they_are(tmp_path, kind, mime):
    path = save(tmp_path / "a", (64, 48), kind)
    assert embed(path) == (64, 48, f"image/{mime}", path.read_bytes())


def test_large_pictures_are_made_smaller_and_keep_their_size_in_mind(tmp_path):
    width, height, mime, encoded = embed(save(tmp_path / "a.png", (2000, 1000), noise=True))
    assert (width, height, mime) == (2000, 1000, "image/jpeg")
    assert Image.open(io.BytesIO(encoded)).size == (SIDE, SIDE // 2)


def test_other_formats_are_redrawn(tmp_path):
    _, _, mime, encoded = embed(save(tmp_path / "a.tif", (30, 20), "TIFF"))
    assert mime == "image/jpeg"
    assert Image.open(io.BytesIO(encoded)).size == (30, 20)


def test_what_is_no_picture_is_refused(tmp_path):
    (tmp_path / "a.png").write_text("<svg onload='alert(1)' xmlns='http://www.w3.org/2000/svg'/>")
    with pytest.raises(DataError):
        embed(tmp_path / "a.png")


def test_an_album_counts_what_it_cannot_show(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "MAX_PICTURES", 2)
    for name in "abc":
        save(tmp_path / f"{name}.png", (8, 8))
    found = album(tmp_path, ["a.png", "missing.png", "b.png", "c.png"])
    assert set(found.pictures) == {"a.png", "b.png"}
    assert (found.unreadable, found.left_out) == (1, 1)
    head, image = decoded(found.pictures["a.png"])
    assert head == "data:image/png;base64"
    assert image.size == (8, 8)


def test_an_album_stays_within_its_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "MAX_BYTES", 1000)
    for k in range(5):
        save(tmp_path / f"{k}.png", (20, 20), noise=True)
    found = album(tmp_path, [f"{k}.png" for k in range(5)])
    assert 0 < len(found.pictures) < 5
    assert found.left_out == 5 - len(found.pictures)


@pytest.mark.parametrize("name", ["../outside.png", "/etc/passwd", "a/b.png", ".."])
def test_a_name_that_leads_out_of_the_folder_is_refused(tmp_path, name):
    Image.new("RGB", (4, 4)).save(tmp_path / "outside.png")
    (tmp_path / "images").mkdir()
    found = album(tmp_path / "images", [name])
    assert (found.pictures, found.unreadable) == ({}, 1)
