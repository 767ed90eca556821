"""Images by reference: what is read, what is refused, and what travels."""

import base64
import contextlib
import io
import pickle
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from guerdon import DataError, LazyImage
from guerdon.images import MAX_PIXELS, scheme_of


def png(size=(3, 2), colour=(200, 10, 30), mode="RGB") -> bytes:
    target = io.BytesIO()
    Image.new(mode, size, colour).save(target, "PNG")
    return target.getvalue()


def data_url(body: bytes, kind: str = "png") -> str:
    return f"data:image/{kind};base64,{base64.b64encode(body).decode()}"


def huge_png(width: int, height: int) -> bytes:
    """A valid PNG header that promises more pixels than its few bytes hold."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "a b%20.png"
    path.write_bytes(png())
    return path


def test_a_path_is_read_and_decoded_to_rgb(picture):
    image = LazyImage(str(picture))
    assert image.read() == png()
    assert image.size() == (3, 2)
    assert image.open().mode == "RGB"
    assert image.open().getpixel((1, 1)) == (200, 10, 30)


def test_a_file_url_is_decoded_but_a_path_is_taken_as_it_is(picture):
    quoted = str(picture).replace("%", "%25").replace(" ", "%20")
    assert LazyImage(f"file://{quoted}").read() == png()
    assert LazyImage(f"file:{quoted}").read() == png()
    assert LazyImage(str(picture)).read() == png()


@pytest.mark.parametrize("mode", ["L", "RGBA", "P", "1", "CMYK"])
def test_every_mode_becomes_rgb(mode, tmp_path):
    path = tmp_path / "picture.tiff"
    Image.new(mode, (4, 4)).save(path)
    assert LazyImage(str(path)).open().mode == "RGB"


def test_a_data_url_is_read_and_pickles_as_itself():
    image = LazyImage(data_url(png()))
    assert image.size() == (3, 2)
    assert image.open().getpixel((0, 0)) == (200, 10, 30)
    again = pickle.loads(pickle.dumps(image))
    assert again == image
    assert again.open().tobytes() == image.open().tobytes()


def test_pickling_stays_short_after_looking(picture):
    image = LazyImage(str(picture))
    image.open()
    assert len(pickle.dumps(image)) < len(str(picture)) + 100


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("data:image/png,abc", "a data URL must read data:image/...;base64,..."),
        ("data:image/png;base64", "a data URL must read"),
        ("data:image/png;base64,@@@", "the base64 body is malformed"),
        ("data:image/png;base64,YQ=", "the base64 body is malformed"),
        ("https://example.org/a.png", "https is not read here; bring the file next to the manifest"),
        ("S3://bucket/a.png", "s3 is not read here"),
        ("/no/such/picture.png", "cannot be read: No such file or directory"),
        ("/tmp", "cannot be read: Is a directory"),
        ("a\0b.png", "is no path: embedded null byte"),
        ("file://[a.png", "cannot be read: No such file"),
        ("\ud800.png", "is no path"),
    ],
)
def test_what_cannot_be_read_says_why(source, said):
    with pytest.raises(DataError, match="image ") as caught:
        LazyImage(source).read()
    assert said in str(caught.value)


@pytest.mark.parametrize("body", [b"", b"no image", png()[:20], png()[:48]], ids=["empty", "text", "header", "cut"])
def test_bytes_that_are_no_image(body):
    with pytest.raises(DataError, match="cannot be decoded"):
        LazyImage(data_url(body)).open()


@pytest.mark.parametrize(
    "size",
    [(8001, 8000), (10_000, 10_000), (20_000, 20_000), (2**31 - 1, 2**31 - 1)],
    ids=["ours", "Pillow warns", "Pillow refuses", "absurd"],
)
def test_a_bomb_is_refused_by_its_header(size):
    image = LazyImage(data_url(huge_png(*size)))
    for look in (image.open, image.size):
        with pytest.raises(DataError, match=r"pixels|decoded"):
            look()


def test_the_largest_size_that_is_allowed():
    assert LazyImage(data_url(huge_png(8000, MAX_PIXELS // 8000))).size() == (8000, MAX_PIXELS // 8000)


def test_messages_do_not_repeat_a_whole_data_url():
    with pytest.raises(DataError) as caught:
        LazyImage(data_url(b"x" * 10_000)).open()
    assert len(str(caught.value)) < 400


@settings(deadline=None)
@given(st.data())
def test_damaged_bytes_are_an_image_or_a_data_error(data):
    kind = data.draw(st.sampled_from(["PNG", "JPEG", "GIF", "TIFF", "BMP", "WEBP"]))
    target = io.BytesIO()
    Image.new("RGB", (9, 7), (1, 2, 3)).save(target, kind)
    body = bytearray(target.getvalue())
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    image = LazyImage(data_url(bytes(body[: data.draw(st.integers(0, len(body)))])))
    mode = ""
    with contextlib.suppress(DataError):
        mode = image.open().mode
    assert mode in ("RGB", "")


@pytest.mark.parametrize(
    ("source", "scheme"),
    [
        ("a.png", ""),
        ("a:b.png", ""),
        ("dir/data:x", ""),
        ("DATA:image/png;base64,", "data"),
        ("http://x", "http"),
        ("https://x", "https"),
        ("s3://x", "s3"),
        ("file:x", "file"),
        ("c:\\x.png", ""),
    ],
)
def test_scheme_of(source, scheme):
    assert scheme_of(source) == scheme
