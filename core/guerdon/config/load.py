"""From a file and ``key=value`` overrides to a `RunConfig`, with errors that name the field."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from guerdon.config.problems import describe
from guerdon.config.run import RunConfig
from guerdon.errors import ConfigError
from guerdon.plugins import Plugins, load_plugins
from guerdon.yaml import load_yaml, parse_yaml

MAY_CHANGE_ON_RESUME = frozenset(
    {
        ("runtime", "steps"),
        ("runtime", "output_dir"),
        ("runtime", "checkpoint_interval"),
        ("runtime", "keep_checkpoints"),
        ("runtime", "eval_interval"),
        ("runtime", "scoring_workers"),
        ("runtime", "nodes"),
        ("runtime", "gpus_per_node"),
        ("runtime", "per_device_batch_size"),
        ("runtime", "gradient_accumulation_steps"),
    }
)
"""Fields that do not make it another run. The last four only spread the same batches over devices."""


PATHS = (("data", "train_manifest"), ("data", "eval_manifest"), ("model", "name_or_path"))
"""What may lie elsewhere on another machine, and for a job always does; its content is held by digest instead."""


def load_config(path: str | Path, overrides: Iterable[str] = ()) -> tuple[RunConfig, Plugins]:
    """Read a YAML file, apply overrides, load its plugins and validate.

    Relative paths of plugins, manifests and a local model are taken from the file's folder.

    Args:
        path: the YAML file.
        overrides: ``section.field=value``, the value in YAML.

    Raises:
        ConfigError: names each wrong field by its full path, with what was found.
        PluginError: a file under ``plugins`` cannot be loaded.
    """
    data = raw_config(path, overrides)
    _resolve_paths(data, Path(path).resolve().parent)
    return build_config(data, str(path))


def raw_config(path: str | Path, overrides: Iterable[str] = ()) -> dict[str, Any]:
    """Read a YAML file and apply overrides; nothing is validated, and paths are as they are written.

    Raises:
        ConfigError: the file cannot be read, is no mapping, or an override has no place in it.
    """
    data = load_yaml(path)
    for override in overrides:
        _apply(data, override)
    return data


def build_config(data: Mapping[str, Any], origin: str = "configuration") -> tuple[RunConfig, Plugins]:
    """Validate a mapping; `origin` names it in errors."""
    files = data.get("plugins") or []
    if not isinstance(files, list) or not all(isinstance(file, str) for file in files):
        raise ConfigError(f"{origin}: plugins must be a list of Python files; found {files!r}")
    plugins = load_plugins(files)
    try:
        return RunConfig.model_validate(data, context={"plugins": plugins}), plugins
    except ValidationError as error:
        raise ConfigError(f"{origin} is not valid:\n" + "\n".join(describe(error, data))) from None


def dump_config(config: RunConfig) -> dict[str, Any]:
    """Return the resolved configuration as JSON data that `build_config` reads back."""
    data = config.model_dump(mode="json")
    for name, reward in config.rewards.items():
        data["rewards"][name] = {"use": reward.name, **data["rewards"][name]}
    return data


def identity(config: RunConfig) -> str:
    """Return the sha256 of all fields that make it this run; a resumed run must have the same."""
    data = dump_config(config)
    for section, name in MAY_CHANGE_ON_RESUME:
        data[section].pop(name, None)
    data["batches"] = [config.prompts_per_step, config.mini_batch_prompts]
    for section, name in PATHS:
        data[section][name] = _file_name(data[section][name])
    data["plugins"] = [_file_name(path) for path in data["plugins"]]
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _file_name(path: str | None) -> str | None:
    """Return the last part of a path; a hub name or a URL stays whole."""
    return Path(path).name if path and Path(path).is_absolute() else path


def _apply(data: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key:
        raise ConfigError(f"override {override!r} must read section.field=value")
    target = data
    *parents, last = key.split(".")
    if parents and parents[0] == "skyrl":
        parents, last = ["skyrl"], key.removeprefix("skyrl.")
    for part in parents:
        if target.get(part) is None:  # `brief:` alone stands for a component with its defaults
            target[part] = {}
        target = target[part]
        if not isinstance(target, dict):
            raise ConfigError(f"override {override!r}: {part} is a value, not a section")
    target[last] = parse_yaml(f"value: {text}", f"override {override!r}")["value"]


def _resolve_paths(data: dict[str, Any], folder: Path) -> None:
    if isinstance(data.get("plugins"), list):
        data["plugins"] = [str(folder / file) if isinstance(file, str) else file for file in data["plugins"]]
    section = data.get("data")
    if isinstance(section, dict):
        for name in ("train_manifest", "eval_manifest"):
            if isinstance(section.get(name), str) and "://" not in section[name]:
                section[name] = str(folder / section[name])
    model = data.get("model")
    path = model.get("name_or_path") if isinstance(model, dict) else None
    if isinstance(model, dict) and isinstance(path, str) and (path.startswith(".") or (folder / path).is_dir()):
        model["name_or_path"] = str(folder / path)
