"""The JSON Schema of the YAML file, for editors."""

from typing import Any

from pydantic.json_schema import models_json_schema

from guerdon.config.run import RunConfig
from guerdon.plugins import Plugins
from guerdon.reward import Reward

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(plugins: Plugins) -> dict[str, Any]:
    """Return a schema in which each component of ``rewards`` has the fields of the reward it uses.

    The reward is the one that ``use`` names, or, without it, the one named like the component.
    """
    schema = RunConfig.model_json_schema()
    classes = {name: entry.reward for name, entry in plugins.rewards.items()}
    refs, definitions = models_json_schema([(cls, "validation") for cls in classes.values()])
    schema["$schema"] = DIALECT
    schema["$defs"] |= definitions.get("$defs", {})
    choices = {name: _component(schema, name, refs[(cls, "validation")]) for name, cls in classes.items()}
    schema["properties"]["rewards"] = {
        "type": "object",
        "minProperties": 1,
        "description": schema["properties"]["rewards"].get("description", ""),
        "properties": {
            name: {"anyOf": [{"$ref": ref}, _explicit(choices), *_empty(classes[name])]}
            for name, ref in choices.items()
        },
        "additionalProperties": _explicit(choices),
    }
    return schema


def _component(schema: dict[str, Any], name: str, ref: dict[str, Any]) -> str:
    """Add ``use`` to a reward's schema and return where it stands."""
    body = dict(schema["$defs"][ref["$ref"].rpartition("/")[2]])
    body["properties"] = {"use": {"const": name}, **body.get("properties", {})}
    key = f"component_{name}"
    schema["$defs"][key] = body
    return f"#/$defs/{key}"


def _empty(reward: type[Reward]) -> list[dict[str, Any]]:
    """Accept ``length:`` with nothing behind it, where every field has a default."""
    required = any(info.is_required() for info in reward.model_fields.values())
    return [] if required else [{"type": "null"}]


def _explicit(choices: dict[str, str]) -> dict[str, Any]:
    """Accept any reward that is named by ``use``."""
    return {
        "type": "object",
        "required": ["use"],
        "properties": {"use": {"enum": sorted(choices)}},
        "allOf": [
            {"if": {"properties": {"use": {"const": name}}, "required": ["use"]}, "then": {"$ref": ref}}
            for name, ref in choices.items()
        ],
    }
