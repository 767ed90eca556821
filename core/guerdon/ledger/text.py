"""Text and JSON that a column can hold, whatever a model or a reward wrote. Nothing here raises."""

import json
from types import MappingProxyType
from typing import Any

from pydantic_core import to_json as encode  # seven times as fast as json on small mappings

from guerdon.scoring.text import clean_text, dump_evidence

MAX_TEXT = 1_000_000
"""Longer texts are cut, in characters."""

MAX_REASON = 4_000
"""Longer reasons are cut, in characters."""

MAX_JSON = 65_536
"""Longer evidence is replaced by its beginning, in characters of JSON."""


def to_json(value: object, limit: int = MAX_JSON) -> str:
    """Encode as JSON; what JSON cannot hold becomes text, and what is too long is cut.

    NaN, infinities, unknown types, cycles and deep nesting are written as strings that say so.
    """
    try:
        text = str(encode(value, inf_nan_mode="strings"), "utf-8")
    except (ValueError, TypeError, RecursionError):
        text = str(encode(_plain(value)), "utf-8")
    if len(text) > limit:
        return str(encode({"cut": len(text), "head": text[: limit // 2]}), "utf-8")
    return text


def optional_json(value: object, limit: int = MAX_JSON) -> str | None:
    """Encode as JSON, an empty mapping as None."""
    if type(value) in (dict, MappingProxyType) and not value:  # a foreign mapping's truth may raise
        return None
    return to_json(value, limit)


def as_text(value: object, limit: int = MAX_TEXT) -> str:
    """Return a text that UTF-8 can hold, cut to `limit`."""
    return clean_text(value if isinstance(value, str) else str(_plain(value)), limit)


def _plain(value: object) -> Any:
    """Copy into JSON's types; a foreign container whose reading raises becomes its type's name."""
    try:
        copied = json.loads(dump_evidence({"value": value}))
        return copied.get("value", copied)  # what is too large comes back as a note
    except Exception as error:  # noqa: BLE001 - a foreign container may raise anything
        return f"<{type(value).__qualname__}: {type(error).__name__}>"
