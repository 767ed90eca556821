"""Pictures for the page: small enough to embed, in formats that browsers draw without running anything."""

import base64
import io
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from guerdon.errors import DataError
from guerdon.images import LazyImage

log = logging.getLogger(__name__)

MAX_PICTURES = 400
MAX_BYTES = 12_000_000
"""All embedded pictures together, before base64."""

SIDE = 640
"""Larger pictures are drawn smaller, in pixels of the longer side; boxes still count in the original's."""

KEPT_BYTES = 60_000
"""Smaller files of a safe format are embedded as they are."""

MIME = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "GIF": "image/gif"}


@dataclass(frozen=True, slots=True)
class Album:
    """Embedded pictures."""

    pictures: dict[str, dict[str, Any]]
    """By file name: width and height of the original in pixels, and a ``data:`` URL."""

    unreadable: int
    left_out: int
    """Pictures beyond the bounds."""


def album(folder: Path, names: Iterable[str]) -> Album:
    """Embed pictures of a ledger's folder ``images``, in order, within the bounds."""
    pictures: dict[str, dict[str, Any]] = {}
    unreadable = left_out = size = 0
    for name in names:
        if len(pictures) >= MAX_PICTURES or size >= MAX_BYTES:
            left_out += 1
            continue
        try:
            width, height, mime, encoded = embed(_inside(folder, name))
        except DataError as error:
            log.warning("the page leaves a picture out: %s", error)
            unreadable += 1
            continue
        size += len(encoded)
        url = f"data:{mime};base64,{base64.b64encode(encoded).decode()}"
        pictures[name] = {"width": width, "height": height, "url": url}
    return Album(pictures, unreadable, left_out)


def _inside(folder: Path, name: str) -> Path:
    """Return a picture's path; a name that leads out of the folder is refused."""
    if Path(name).name != name:
        raise DataError(f"the picture {name!r} is not named as a file of {folder}")
    return folder / name


def embed(path: Path) -> tuple[int, int, str, bytes]:
    """Return a picture's original width and height, MIME type, and bytes of at most moderate size.

    Raises:
        DataError: it cannot be read or decoded.
    """
    source = LazyImage(str(path))
    encoded = source.read()
    picture = source.open()
    width, height = picture.size
    mime = _format(encoded)
    if mime and len(encoded) <= KEPT_BYTES and max(width, height) <= 2 * SIDE:
        return width, height, mime, encoded
    picture.thumbnail((SIDE, SIDE))
    target = io.BytesIO()
    picture.save(target, "JPEG", quality=80)
    return width, height, "image/jpeg", target.getvalue()


def _format(encoded: bytes) -> str | None:
    with Image.open(io.BytesIO(encoded)) as image:
        return MIME.get(image.format or "")
