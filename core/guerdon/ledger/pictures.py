"""Images of a ledger: one file for each content, written once."""

import hashlib
import logging
from collections.abc import Callable
from pathlib import Path

from guerdon.images import LazyImage

log = logging.getLogger(__name__)

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF8", "gif"),
    (b"BM", "bmp"),
    (b"II*\x00", "tif"),
    (b"MM\x00*", "tif"),
)


def extension(encoded: bytes) -> str:
    """Name an image format by its first bytes; ``bin`` if unknown."""
    if encoded[:4] == b"RIFF" and encoded[8:12] == b"WEBP":
        return "webp"
    return next((name for magic, name in _MAGIC if encoded.startswith(magic)), "bin")


class Pictures:
    """Files ``images/<sha256>.<extension>`` under a ledger."""

    def __init__(self, folder: Path, write: Callable[[Path, bytes], None]) -> None:
        self._folder = folder / "images"
        self._write = write
        self._known: dict[str, str | None] = {}

    def store(self, image: LazyImage) -> str | None:
        """Keep the image's bytes and return the file's name; None, with a warning, if it cannot be read."""
        key = self._key(image)
        if key not in self._known:
            self._known[key] = self._keep(image)
        return self._known[key]

    def _keep(self, image: LazyImage) -> str | None:
        try:
            encoded = image.read()
        except ValueError as error:  # DataError, or a path that no file system takes
            log.warning("the ledger keeps no copy of an image: %s", error)
            return None
        name = f"{hashlib.sha256(encoded).hexdigest()}.{extension(encoded)}"
        if not (self._folder / name).exists():
            self._write(self._folder / name, encoded)
        return name

    @staticmethod
    def _key(image: LazyImage) -> str:
        """Identify the content without reading it; a file that changes gets another key."""
        if image.source.startswith("data:"):
            return hashlib.sha256(image.source.encode("utf-8", "replace")).hexdigest()
        try:
            facts = Path(image.source.removeprefix("file://")).stat()
        except (OSError, ValueError):
            return image.source
        return f"{image.source}|{facts.st_mtime_ns}|{facts.st_size}"
