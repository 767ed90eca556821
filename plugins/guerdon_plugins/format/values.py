"""JSON values as answers: equality, and whether they say anything."""

import json
from typing import Any

from guerdon_plugins.format.content import says_something


def canonical_json(value: Any) -> str:
    """Return one text for equal values: 1 and 1.0 are equal, 1 and true are not, order of keys is free."""
    return json.dumps(_plain(value), sort_keys=True, default=str)


def same_json(a: Any, b: Any) -> bool:
    """Say whether two values are equal as JSON."""
    return bool(a == b) and canonical_json(a) == canonical_json(b)


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return value


def is_hollow(value: Any) -> bool:
    """Say whether every leaf is null or a blank string, or there is none."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list | tuple):
            waiting += item
        elif isinstance(item, str):
            if says_something(item):
                return False
        elif item is not None:
            return False
    return True
