"""Pictures from requests: data URLs of three formats, bounded before anything is decoded."""

import base64
import struct
import zlib

import pytest
from PIL import Image

from guerdon import DataError
from guerdon_serving.server.pictures import MAX_IMAGES, MAX_PIXELS, decode_pictures


def png(width, height, rows=b""):
    """A PNG whose header may claim anything."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def url(body, kind="png"):
    return f"data:image/{kind};base64,{base64.b64encode(body).decode()}"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_pictures_become_rgb(as_data_url, kind, mode):
    image, again = decode_pictures([as_data_url(Image.new(mode, (9, 5)), kind)] * 2)
    assert (image.size, image.mode) == ((9, 5), "RGB")
    assert again.tobytes() == image.tobytes()


def test_transparency_and_palettes_are_flattened(as_data_url):
    for mode in ("RGBA", "P", "LA"):
        assert decode_pictures([as_data_url(Image.new(mode, (4, 4)))])[0].mode == "RGB"


@pytest.mark.parametrize("size", [(20_000, 20_000), (65_000, 300), (2**31 - 1, 2**31 - 1), (9500, 9500)])
def test_decompression_bombs_are_refused_by_their_header(size):
    with pytest.raises(DataError, match=r"pixels together|damaged"):
        decode_pictures([url(png(*size))])


def test_many_pictures_together_are_bounded(as_data_url):
    one = as_data_url(Image.new("L", (2048, 2048)))
    assert len(decode_pictures([one] * 4)) == 4
    with pytest.raises(DataError, match=f"at most {MAX_PIXELS}"):
        decode_pictures([one] * 5)
    with pytest.raises(DataError, match=f"at most {MAX_IMAGES}"):
        decode_pictures([as_data_url(Image.new("L", (1, 1)))] * (MAX_IMAGES + 1))


@pytest.mark.parametrize(
    "source",
    [
        "https://example.com/x.png",
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "/etc/passwd",
        "s3://bucket/x.png",
        "data:text/plain;base64,eA==",
        "data:image/png,eA==",
        "data:image/png;base64,%%%",
        "data:image/png;base64,",
        url(b"GIF89a" + b"\0" * 30, "gif"),
        url(b"<svg xmlns='http://www.w3.org/2000/svg'/>", "svg+xml"),
        url(b"%!PS-Adobe-3.0 EPSF-3.0", "eps"),
        url(png(8, 8)[:40]),
        url(png(8, 8)),
    ],
)
def test_anything_else_is_refused(source):
    with pytest.raises(DataError):
        decode_pictures([source])
