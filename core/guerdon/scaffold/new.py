"""Writing the start of a reward."""

import keyword
import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from string import Template

from guerdon.errors import ConfigError
from guerdon.plugins import load_plugins

_NAME = re.compile(r"[a-z][a-z0-9_]{0,49}")


def new_package(name: str, folder: Path) -> Path:
    """Write an installable package with one reward, its test and its samples into ``folder/name``.

    Returns:
        The package's folder.

    Raises:
        ConfigError: the name is no reward's name or is taken, or the folder exists.
    """
    words = _words(name)
    package, module = folder / name, words["module"]
    files = {
        "pyproject.toml": "pyproject.toml.txt",
        "README.md": "README.md.txt",
        f"src/{module}/__init__.py": "reward.py.txt",
        f"tests/test_{name}.py": "test.py.txt",
        "tests/gold.jsonl": "gold.jsonl.txt",
    }
    if package.exists():
        raise ConfigError(f"{package} exists; choose another name, or remove it")
    for path, template in files.items():
        file = package / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_filled(template, words), encoding="utf-8")
    (package / f"src/{module}/py.typed").touch()
    return package


def new_file(name: str, folder: Path) -> Path:
    """Write ``folder/name.py`` with one reward, for ``plugins: [./name.py]``.

    Raises:
        ConfigError: the name is no reward's name or is taken, or the file exists.
    """
    words = _words(name)
    path = folder / f"{name}.py"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(_filled("reward.py.txt", words))
    except FileExistsError:
        raise ConfigError(f"{path} exists; choose another name, or remove it") from None
    return path


def _words(name: str) -> Mapping[str, str]:
    """Check the name, and return what stands for it in the templates."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        near = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        hint = f"; try {near}" if _NAME.fullmatch(near) and near != name and not keyword.iskeyword(near) else ""
        raise ConfigError(f"{name!r} is no name for a reward: small letters, digits and _, a letter first{hint}")
    if taken := load_plugins().rewards.get(name):
        raise ConfigError(f"the reward {name!r} is installed already, from {taken.origin}; choose another name")
    return {
        "name": name,
        "module": f"guerdon_{name}",
        "distribution": f"guerdon-{name.replace('_', '-').strip('-')}",
        "class_name": "".join(part.capitalize() for part in name.split("_")),
    }


def _filled(template: str, words: Mapping[str, str]) -> str:
    text = resources.files("guerdon.scaffold").joinpath("template", template).read_text(encoding="utf-8")
    return Template(text).substitute(words)
