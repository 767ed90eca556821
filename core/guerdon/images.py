"""Images that are opened only when somebody looks at them."""

import base64
import binascii
import io
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from PIL import Image

from guerdon.errors import DataError

MAX_PIXELS = 64_000_000
"""Larger images are refused before they are decoded (decompression bombs)."""


@dataclass(frozen=True, slots=True)
class LazyImage:
    """An image by reference: a local path or a ``data:`` URL. Pickles as that short string."""

    source: str

    def read(self) -> bytes:
        """Return the encoded bytes (PNG, JPEG, ...).

        Raises:
            DataError: the file is missing, the URL is malformed, or its scheme is not supported.
        """
        scheme = urlsplit(self.source).scheme
        if scheme == "data":
            return _decode_data_url(self.source)
        if scheme in ("http", "https", "s3"):
            raise DataError(f"image {self.source!r}: {scheme} is not read here; bring the file next to the manifest")
        try:
            return Path(self.source.removeprefix("file://")).read_bytes()
        except OSError as error:
            raise DataError(f"image {self.source!r} cannot be read: {error.strerror or error}") from error

    def open(self) -> Image.Image:
        """Decode to RGB.

        Raises:
            DataError: the bytes are no image, or more than `MAX_PIXELS` pixels.
        """
        try:
            with Image.open(io.BytesIO(self.read())) as image:
                self._check_size(image.size)
                return image.convert("RGB")
        except DataError:
            raise
        except (OSError, ValueError, Image.DecompressionBombError) as error:
            raise DataError(f"image {self.source[:120]!r} cannot be decoded: {error}") from error

    def size(self) -> tuple[int, int]:
        """Return (width, height) in pixels from the header alone."""
        try:
            with Image.open(io.BytesIO(self.read())) as image:
                return image.size
        except (OSError, ValueError, Image.DecompressionBombError) as error:
            raise DataError(f"image {self.source[:120]!r} cannot be decoded: {error}") from error

    def _check_size(self, size: tuple[int, int]) -> None:
        if size[0] * size[1] > MAX_PIXELS:
            raise DataError(f"image {self.source[:120]!r} has {size[0]}x{size[1]} pixels; at most {MAX_PIXELS}")


def _decode_data_url(url: str) -> bytes:
    head, comma, body = url.partition(",")
    if not comma or not head.endswith(";base64"):
        raise DataError(f"image {url[:60]!r}: a data URL must read data:image/...;base64,...")
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise DataError(f"image {url[:60]!r}: the base64 body is malformed ({error})") from error
