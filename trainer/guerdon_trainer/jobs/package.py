"""The working folder of a job: what travels, and what stays."""

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guerdon import ConfigError

LIMIT_BYTES = 400 * 2**20
"""Ray keeps a package of at most 500 MiB in its own store (GCS_STORAGE_MAX_SIZE); zipping may not shrink pictures."""

STAYS = frozenset({"__pycache__", "node_modules", "build", "dist"})
"""Folders that never travel; nor do hidden names, environments and folders of runs."""


@dataclass(frozen=True, slots=True)
class Travelling:
    """A file of the configuration that must be in the working folder."""

    field: str
    path: Path
    """Absolute, not resolved: a link inside the folder travels as its content."""


@contextlib.contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """Copy what travels of a working folder to a temporary one, which Ray uploads as it is.

    Hidden files (`.env`, `.git`, `.aws`), environments, and folders of runs stay.

    Raises:
        ConfigError: more than Ray takes; the largest files are named.
    """
    files = travelling_files(folder)
    _check_size(files, folder)
    with tempfile.TemporaryDirectory(prefix="guerdon-job-") as temporary:
        for file in files:
            target = Path(temporary) / file.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        yield Path(temporary)


def travelling_files(folder: Path) -> list[Path]:
    """Return the files of a working folder that travel, sorted."""
    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        here = Path(place)
        folders[:] = sorted(name for name in folders if not _stays(here / name))
        found += [here / name for name in sorted(files) if not name.startswith(".") and (here / name).is_file()]
    return found


def check_inside(config: Path, data: Mapping[str, Any], folder: Path) -> None:
    """Refuse a configuration whose relative files do not travel.

    Absolute manifests and models are the cluster's own, as on a shared file system; plugins always
    travel.

    Args:
        config: the YAML file.
        data: what it holds, overrides applied, paths as they are written.
        folder: the working folder.

    Raises:
        ConfigError: names the field, the file and the remedy.
    """
    needed = [Travelling("the configuration", config.absolute()), *_referred(data, config.absolute().parent)]
    files = set(travelling_files(folder))
    for item in needed:
        path = Path(os.path.normpath(item.path))
        if not path.is_relative_to(folder):
            raise ConfigError(
                f"{item.field}: {path} lies outside the working folder {folder} and would not travel. "
                "Move it in, choose a wider --working-dir, or give an absolute path on the cluster"
            )
        if path not in files and not path.is_dir():
            raise ConfigError(
                f"{item.field}: {path} does not travel: it is missing, hidden, or in a folder that stays "
                f"({', '.join(sorted(STAYS))}, environments, runs)"
            )


def _referred(data: Mapping[str, Any], folder: Path) -> Iterator[Travelling]:
    for plugin in data.get("plugins") or ():
        if Path(plugin).is_absolute():
            raise ConfigError(f"plugins: {plugin} is absolute; write it relative to the configuration, so it travels")
        yield Travelling("plugins", folder / plugin)
    section = data.get("data") or {}
    for name in ("train_manifest", "eval_manifest"):
        value = section.get(name)
        if isinstance(value, str) and "://" not in value and not Path(value).is_absolute():
            manifest = folder / value
            yield Travelling(f"data.{name}", manifest)
            yield from _pictures(manifest, f"data.{name}")
    model = (data.get("model") or {}).get("name_or_path", "")
    if model.startswith(".") or (not Path(model).is_absolute() and (folder / model).is_dir()):
        yield Travelling("model.name_or_path", folder / model)


def _pictures(manifest: Path, field: str) -> Iterator[Travelling]:
    """Yield the relative pictures of a manifest; what is wrong with its lines, training tells."""
    if not manifest.is_file():
        return
    for number, line in enumerate(manifest.read_text(encoding="utf-8").split("\n"), 1):
        for image in _images(line):
            if "://" not in image and not image.startswith(("data:", "/")):
                yield Travelling(f"{field}, line {number}", manifest.parent / image)


def _images(line: str) -> list[str]:
    try:
        messages = json.loads(line)["messages"] if line.strip() else []
    except (ValueError, TypeError, KeyError):
        return []
    parts = [part for message in messages if isinstance(message.get("content"), list) for part in message["content"]]
    return [part["image"] for part in parts if isinstance(part.get("image"), str)]


def _stays(folder: Path) -> bool:
    return (
        folder.name.startswith(".")
        or folder.name in STAYS
        or (folder / "pyvenv.cfg").is_file()
        or ((folder / "run.json").is_file() and (folder / "ledger").is_dir())
    )


def _check_size(files: list[Path], folder: Path) -> None:
    sizes = {file: file.stat().st_size for file in files}
    total = sum(sizes.values())
    if total <= LIMIT_BYTES:
        return
    largest = sorted(sizes, key=lambda file: -sizes[file])[:3]
    named = ", ".join(f"{file.relative_to(folder)} ({sizes[file] / 2**20:.0f} MiB)" for file in largest)
    raise ConfigError(
        f"the working folder {folder} holds {total / 2**20:.0f} MiB; at most {LIMIT_BYTES // 2**20} MiB travel. "
        f"The largest: {named}. Put models and data on the cluster's file system and give absolute paths"
    )
