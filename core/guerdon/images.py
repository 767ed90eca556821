"""Images that are opened only when somebody looks at them."""

import base64
import binascii
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from guerdon.errors import DataError

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PIXELS = 64_000_000
"""Larger images are refused before they are decoded (decompression bombs)."""

_SCHEME = re.compile(r"(data|file|https?|s3):", re.IGNORECASE)


def scheme_of(source: str) -> str:
    """Return the URL scheme of an image's source in lower case, or an empty string for a path."""
    match = _SCHEME.match(source)
    return match[1].lower() if match else ""


@dataclass(frozen=True, slots=True)
class LazyImage:
    """An image by reference: a local path, a ``file:`` or a ``data:`` URL. Pickles as that string."""

    source: str

    def read(self) -> bytes:
        """Return the encoded bytes (PNG, JPEG, ...).

        Raises:
            DataError: the file is missing, the URL is malformed, or its scheme is not supported.
        """
        scheme = scheme_of(self.source)
        if scheme == "data":
            return _decode_data_url(self.source)
        if scheme in ("http", "https", "s3"):
            raise DataError(f"image {self.source!r}: {scheme} is not read here; bring the file next to the manifest")
        path = unquote(self.source[len("file:") :].removeprefix("//")) if scheme == "file" else self.source
        try:
            return Path(path).read_bytes()
        except OSError as error:
            raise DataError(f"image {self.source!r} cannot be read: {error.strerror or error}") from error
        except ValueError as error:  # a null byte or a lone surrogate
            raise DataError(f"image {self.source!r} is no path: {error}") from error

    def open(self) -> "Image":
        """Decode to RGB.

        Raises:
            DataError: the bytes are no image, or more than `MAX_PIXELS` pixels.
        """
        with self._header() as image:
            return image.convert("RGB")

    def size(self) -> tuple[int, int]:
        """Return (width, height) in pixels from the header alone.

        Raises:
            DataError: as `open`.
        """
        with self._header() as image:
            return image.size

    @contextmanager
    def _header(self) -> Iterator["Image"]:
        """Parse the header; pixels are decoded only when somebody touches them."""
        from PIL import Image

        body = self.read()
        try:
            with Image.open(io.BytesIO(body)) as image:
                self._check_size(image.size)
                yield image
        except DataError:
            raise
        except Exception as error:  # on malformed bytes a decoder may raise anything: SyntaxError, struct.error
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
