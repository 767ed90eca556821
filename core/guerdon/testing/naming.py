"""From what a user names to a configured reward."""

import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from guerdon.config.problems import describe
from guerdon.errors import ConfigError, PluginError
from guerdon.plugins import load_plugins
from guerdon.reward import Reward
from guerdon.yaml import parse_yaml


def find_reward(spec: str, fields: Iterable[str] = ()) -> Reward:
    """Return the reward that `spec` names: an installed one, a file's, or a class.

    Args:
        spec: ``name``, ``file.py`` (its only reward), ``file.py:name`` or ``package.module:Class``.
        fields: ``field=value``, the value in YAML.

    Raises:
        ConfigError: no such reward, several where one is meant, or a wrong field.
        PluginError: the file or module cannot be imported.
    """
    cls = _class(spec)
    data = dict(map(_field, fields))
    try:
        return cls.model_validate(data)
    except ValidationError as error:
        lines = "\n".join(describe(error, data))
        raise ConfigError(f"reward {spec}:\n{lines}\nGive fields as field=value") from None


def _field(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.isidentifier():
        raise ConfigError(f"{text!r} must read field=value, such as tag=answer")
    return key, parse_yaml(f"value: {value}", text)["value"]


def _class(spec: str) -> type[Reward]:
    head, colon, name = spec.rpartition(":")
    file = head if colon else name
    if file.endswith(".py"):
        return _of_file(Path(file), name if colon else None)
    return _imported(head, name) if colon else load_plugins().entry(spec).reward


def _of_file(file: Path, name: str | None) -> type[Reward]:
    own = {key: entry.reward for key, entry in load_plugins([file]).rewards.items() if entry.origin == str(file)}
    if name is None and len(own) == 1:
        return next(iter(own.values()))
    if name in own:
        return own[name]
    raise ConfigError(f"{file} registers {', '.join(own) or 'no reward'}; name one as {file}:NAME")


def _imported(module: str, name: str) -> type[Reward]:
    try:
        cls = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise PluginError(f"{module}:{name} cannot be imported: {error}") from error
    if not (isinstance(cls, type) and issubclass(cls, Reward)):
        raise PluginError(f"{module}:{name} is no subclass of guerdon.Reward")
    return cls
