"""Pictures from requests: data URLs only, small enough, of few formats. Nothing is ever fetched."""

import io
from collections.abc import Sequence
from typing import Final

from PIL import Image

from guerdon import DataError, LazyImage

FORMATS: Final = ("PNG", "JPEG", "WEBP")
MAX_IMAGES: Final = 32
MAX_PIXELS: Final = 16_777_216
"""Of all pictures of a request together, before any is decoded: 4096 x 4096 pixels take 50 MB as RGB."""


def decode_pictures(urls: Sequence[str]) -> list[Image.Image]:
    """Decode to RGB, in order.

    Raises:
        DataError: too many or too large (decompression bombs), another format, no data URL, or damaged.
    """
    if len(urls) > MAX_IMAGES:
        raise DataError(f"the request holds {len(urls)} images, at most {MAX_IMAGES}")
    bodies = [_body(url) for url in urls]
    pixels = sum(width * height for width, height in map(_size, bodies))
    if pixels > MAX_PIXELS:
        raise DataError(f"the images have {pixels} pixels together, at most {MAX_PIXELS}; send them smaller")
    return [_decode(body) for body in bodies]


def _body(url: str) -> bytes:
    if not url.startswith("data:image/"):
        raise DataError(f"image {url[:60]!r}: only data URLs are taken (data:image/png;base64,...); nothing is fetched")
    return LazyImage(url).read()


def _size(body: bytes) -> tuple[int, int]:
    try:
        with Image.open(io.BytesIO(body), formats=FORMATS) as image:
            return image.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise DataError(f"an image is none of {', '.join(FORMATS)}, or damaged: {error}") from error


def _decode(body: bytes) -> Image.Image:
    try:
        with Image.open(io.BytesIO(body), formats=FORMATS) as image:
            return image.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise DataError(f"an image cannot be decoded: {error}") from error
