"""One digest for the code that a reward runs."""

import hashlib
import inspect
import platform
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from guerdon.plugins import Plugins
from guerdon.reward import Reward

_FOREIGN = frozenset({"builtins", "abc", "typing", "pydantic", "guerdon"})
"""Packages that are told apart by their version."""

_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def code_digest(reward: type[Reward], plugins: Plugins | None) -> str:
    """Return the sha256 of all code that scores depend on, hexadecimal.

    That is every file of the packages that define the class and its bases, data files such as
    rules included; of an inline file, the file. Of guerdon, Python and whatever else the
    plugin's distribution requires, the versions count. What an inline file imports from beside
    it is not seen.
    """
    digest = hashlib.sha256()
    for cls in inspect.getmro(reward):
        if cls.__module__.partition(".")[0] not in _FOREIGN:
            digest.update(f"{cls.__module__}.{cls.__qualname__}\0".encode())
            _add_module(digest, cls, plugins)
    for line in _environment(reward, plugins):
        digest.update(f"{line}\0".encode())
    return digest.hexdigest()


def _add_module(digest: "hashlib._Hash", cls: type, plugins: Plugins | None) -> None:
    for file in plugins.files if plugins is not None else ():
        if file.module_name == cls.__module__:
            digest.update(file.source)
            return
    for path in _files(cls):
        digest.update(f"{path.name}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())


def _files(cls: type) -> Iterator[Path]:
    """Return the files of the top-level package that defines the class, in a fixed order."""
    package = sys.modules.get(cls.__module__.partition(".")[0])
    folders = list(getattr(package, "__path__", ()))
    if not folders:
        yield Path(inspect.getfile(cls))
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if "__pycache__" not in path.parts and path.is_file():
                yield path


def _environment(reward: type[Reward], plugins: Plugins | None) -> Iterator[str]:
    """Name Python, and the version of every installed distribution that the plugin's own requires."""
    yield platform.python_version()
    known = plugins.rewards.get(reward.name) if plugins is not None else None
    for name in dict.fromkeys(["guerdon", *([known.origin] if known is not None else [])]):
        for required in [name, *_requirements(name)]:
            if version := _version(required):
                yield f"{required}=={version}"


@lru_cache(maxsize=64)
def _requirements(distribution: str) -> list[str]:
    try:
        listed = metadata.requires(distribution) or []
    except (metadata.PackageNotFoundError, ValueError):  # an inline file's origin is its path
        return []
    return sorted({match[0] for line in listed if (match := _REQUIREMENT.match(line))})


@lru_cache(maxsize=512)
def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except (metadata.PackageNotFoundError, ValueError):
        return None
