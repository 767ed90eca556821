"""Where each field's value comes from, and what it becomes."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel

from guerdon.config.run import RunConfig
from guerdon.plugins import Plugins

type Row = tuple[str, str, str, str]


def explain(config: RunConfig, plugins: Plugins, overrides: Iterable[str] = ()) -> list[Row]:
    """Return (field, value, source, what it becomes) for every field of a configuration.

    Args:
        config: what `load_config` made of a file and `overrides`.
        plugins: what it loaded; their `explain_config` hooks say what fields become.
        overrides: ``section.field=value``.
    """
    overridden = {change.partition("=")[0] for change in overrides}
    becomes: dict[str, str] = {}
    for answer in plugins.manager.hook.explain_config(config=config):
        becomes |= answer
    return [
        (
            field,
            _short(value),
            "override" if any(_covers(key, field) for key in overridden) else "file" if given else "default",
            becomes.get(field, ""),
        )
        for field, value, given in _fields(config, "")
    ]


def _covers(override: str, field: str) -> bool:
    """Return whether an override sets the field, what it is part of, or part of it."""
    return override == field or field.startswith(f"{override}.") or override.startswith(f"{field}.")


def _fields(model: BaseModel, prefix: str) -> Iterator[tuple[str, Any, bool]]:
    for name in type(model).model_fields:
        value, given = getattr(model, name), name in model.model_fields_set
        path = f"{prefix}{name}"
        if isinstance(value, BaseModel):
            yield from _fields(value, f"{path}.")
        elif isinstance(value, dict) and any(isinstance(entry, BaseModel) for entry in value.values()):
            for key, entry in value.items():
                yield f"{path}.{key}.use", type(entry).name, True
                yield from _fields(entry, f"{path}.{key}.")
        else:
            yield path, value, given


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 80 else text[:77] + "..."
