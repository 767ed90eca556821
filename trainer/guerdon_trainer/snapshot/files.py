"""A model folder's files: their digests, whether any is missing, and whether any is code."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from guerdon import RunError

CONFIG = "config.json"
INDEX = ".safetensors.index.json"
LOADED = frozenset({".json", ".safetensors", ".jinja", ".txt", ".model", ".tiktoken", ".py", ".bin", ".pt"})
"""Suffixes of what a model is loaded from; a README or a picture beside it is not part of it."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model folder."""

    path: str
    """Relative to the folder."""

    size: int
    """Bytes."""

    sha256: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A base model on this machine's disk."""

    repo: str
    """The hub's name, or the folder that the configuration names."""

    commit: str | None
    """40 hex digits; None for a local folder."""

    path: Path
    files: tuple[ModelFile, ...]

    def record(self) -> dict[str, Any]:
        """Return it as JSON data for ``run.json``."""
        return {
            "repo": self.repo,
            "commit": self.commit,
            "path": str(self.path),
            "files": [asdict(file) for file in self.files],
        }


def take_stock(folder: Path) -> tuple[ModelFile, ...]:
    """Digest what a model is loaded from, sorted by path; links are followed, as a hub cache is made of them.

    Reads all of it: about a second for each gigabyte, or less.
    """
    return tuple(_facts(path, folder) for path in _files(folder) if path.suffix in LOADED)


def missing_files(folder: Path) -> list[str]:
    """Return what a model needs and the folder lacks: configuration, or weights that an index names."""
    if not (folder / CONFIG).is_file():
        return [CONFIG]
    shards = {name for index in folder.glob(f"*{INDEX}") for name in _shards(index)}
    if not shards and not any(folder.glob("*.safetensors")):
        return ["*.safetensors"]
    return sorted(name for name in shards if not (folder / name).is_file())


def refuse_code(folder: Path, name: str) -> None:
    """Refuse a model that brings Python of its own, which SkyRL would run unasked.

    SkyRL 0.4.0 loads every model with ``trust_remote_code=True``, whatever it is told.

    Raises:
        RunError: names the files.
    """
    files = _files(folder)
    code = [str(path.relative_to(folder)) for path in files if path.suffix == ".py"]
    maps = [str(path.relative_to(folder)) for path in files if path.suffix == ".json" and _has_auto_map(path)]
    if not code and not maps:
        return
    found = [*code, *(f"auto_map in {path}" for path in maps)]
    raise RunError(
        f"model.name_or_path {name} carries code of its own ({', '.join(found)}). "
        "Read it, then allow it by name with model.trust_remote_code: true, or choose a model without"
    )


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not _hidden(path, folder))


def _hidden(path: Path, folder: Path) -> bool:
    """Return whether it lies in what git or the hub's client keep beside a model."""
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _facts(path: Path, folder: Path) -> ModelFile:
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return ModelFile(path.relative_to(folder).as_posix(), path.stat().st_size, sha256)


def _shards(index: Path) -> Iterator[str]:
    weight_map = _json(index).get("weight_map", {})
    yield from {str(name) for name in weight_map.values()} if isinstance(weight_map, dict) else ()


def _has_auto_map(path: Path) -> bool:
    return "auto_map" in _json(path)


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RunError(f"{path} is no JSON: {error}; the model's copy is damaged, fetch it again") from error
    return data if isinstance(data, dict) else {}
