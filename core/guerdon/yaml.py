"""Reading YAML: safe, and a key that stands twice is refused."""

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from guerdon.errors import ConfigError


class _Loader(yaml.CSafeLoader):
    """SafeLoader that refuses duplicate keys and reads scalars as YAML 1.2 does.

    So 1e-6 is a number, and ``no`` and 2026-01-31 are text: ``mixed_precision: no`` means what it says.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's own name; it copies before it adds
        first: [(tag, pattern) for tag, pattern in resolvers if tag.rpartition(":")[2] not in ("bool", "timestamp")]
        for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: dict[Hashable, int] = {}
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":  # <<: *anchor; the mapping's own keys win
                continue
            key = self.construct_object(key_node, deep=True)
            line = key_node.start_mark.line + 1
            if not isinstance(key, Hashable):
                raise ConfigError(f"line {line}: a key must be a name; found {key!r:.60}")
            if key in seen:
                raise ConfigError(f"key {key!r} stands twice, in lines {seen[key]} and {line}; remove one")
            seen[key] = line
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?[eE][-+]?[0-9]+$"),
    list("-+0123456789"),
)


def load_yaml(path: str | Path) -> dict[str, Any]:
    """Read a mapping from a YAML file.

    Raises:
        ConfigError: no such file, malformed YAML, a duplicate key, or not a mapping.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    return parse_yaml(text, str(path))


def parse_yaml(text: str, origin: str = "YAML") -> dict[str, Any]:
    """Parse a mapping; `origin` names the text in errors."""
    try:
        data = yaml.load(text, Loader=_Loader)  # noqa: S506 - it is a SafeLoader
    except ConfigError as error:
        raise ConfigError(f"{origin}: {error}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{origin} is no valid YAML: {error}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{origin} must be a mapping with the sections run, model, ...; found {type(data).__name__}")
    return data
