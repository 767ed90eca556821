"""Files and their digests, and the one JSON form that has a digest of its own."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from guerdon_serving.bundle.schema import FileFacts
from guerdon_serving.codes import Code, RefusedError

MODEL_SUFFIXES: Final = frozenset({".json", ".safetensors", ".jinja", ".txt", ".model", ".tiktoken"})
"""What a model folder is loaded from; anything else in it (README.md, pictures) is not part of it."""

CODE_SUFFIXES: Final = frozenset(
    {".py", ".pyc", ".so", ".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".sh", ".h5", ".npz"}
)
"""Code, and formats that run code when they are loaded."""


def canonical(data: Any) -> bytes:
    """Return JSON with sorted keys, no spaces, UTF-8, one newline at the end.

    Raises:
        ValueError: the data hold NaN or infinity.
    """
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def digest(data: bytes) -> str:
    """Return the sha256, hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def file_facts(path: Path, name: str) -> FileFacts:
    """Return size and sha256 of a file under the name that it has in the bundle."""
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return FileFacts(path=name, size=path.stat().st_size, sha256=sha256)


def list_digest(files: Iterable[FileFacts]) -> str:
    """Return ``sha256:<hex>`` of a list of files: the identity of a base that has no commit."""
    return f"sha256:{digest(canonical([file.model_dump() for file in files]))}"


def model_files(folder: Path) -> list[Path]:
    """List the files of a model folder, sorted by name, links followed (a hub cache is made of them)."""
    return sorted(path for path in folder.iterdir() if path.suffix in MODEL_SUFFIXES and path.is_file())


def read_json(path: Path, code: Code) -> Any:
    """Read a JSON object.

    Raises:
        RefusedError: with `code`; the file is missing or no JSON object.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RefusedError(code, f"{path} cannot be read ({error})") from error
    if not isinstance(data, dict):
        raise RefusedError(code, f"{path} holds {type(data).__name__}, not an object")
    return data
