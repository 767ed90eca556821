"""What is refused in a schema before it judges anything."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import specification_with

from guerdon_plugins.format.string_formats import FORMATS
from guerdon_plugins.parsing.linear import check_pattern

MAX_SUBSCHEMAS = 5000
"""Schemas within the schema."""


def without_draft(schema: Any) -> Any:
    """Return the schema without ``$schema``, which makes jsonschema fall back on its stock classes."""
    if not isinstance(schema, dict):
        return schema
    return {key: value for key, value in schema.items() if key != "$schema"}


def check_schema(schema: Any, draft: Any, *, check_formats: bool) -> None:
    """Refuse what cannot be judged in linear time, or would pass silently.

    Raises:
        ValueError: an unresolvable or outer ``$ref``, a pattern that RE2 refuses, a format that
            nobody checks, a misspelt keyword, a second ``$schema``.
    """
    specification = specification_with(draft.META_SCHEMA["$schema"])
    root: Resource[Any] = Resource.from_contents(schema, default_specification=specification)
    registry = Registry().with_resource(root.id() or "", root).crawl()
    known = _keywords(draft)
    for count, (resource, resolver) in enumerate(_walk(root, registry.resolver(root.id() or ""))):
        if count == MAX_SUBSCHEMAS:
            raise ValueError(f"the schema has more than {MAX_SUBSCHEMAS} parts")
        part = resource.contents
        if not isinstance(part, dict):
            continue
        _check_spelling(part, known)
        _check_references(part, resolver)
        _check_patterns(part)
        if check_formats and isinstance(part.get("format"), str) and part["format"] not in FORMATS:
            raise ValueError(f"check_formats cannot check {part['format']!r}; it knows {', '.join(sorted(FORMATS))}")


def _walk(root: Resource[Any], resolver: Any) -> Iterator[tuple[Resource[Any], Any]]:
    waiting = [(root, resolver)]
    while waiting:
        resource, resolver = waiting.pop()
        yield resource, resolver
        waiting.extend((inner, resolver.in_subresource(inner)) for inner in resource.subresources())


def _keywords(draft: Any) -> set[str]:
    documented = {"$schema", "$id", "$defs", "definitions", "title", "description", "default", "examples", "example"}
    return {*draft.VALIDATORS, *draft.META_SCHEMA.get("properties", {}), *documented}


def _check_spelling(part: dict[str, Any], known: set[str]) -> None:
    for key in part:
        if key in known or key.startswith(("x-", "$")):
            continue
        if near := get_close_matches(key, known, n=1, cutoff=0.85):
            raise ValueError(f"the schema's keyword {key!r} would be ignored; {near[0]!r} is meant?")


def _check_references(part: dict[str, Any], resolver: Any) -> None:
    if "$schema" in part:
        raise ValueError("$schema stands in a part of the schema; declare the draft once, at the root")
    for key in ("$ref", "$dynamicRef", "$recursiveRef"):
        if not isinstance(part.get(key), str):
            continue
        try:
            resolver.lookup(part[key])
        except Unresolvable as error:
            raise ValueError(
                f"{key} {part[key]!r} does not resolve within the schema; nothing is fetched: copy it into $defs"
            ) from error


def _check_patterns(part: dict[str, Any]) -> None:
    patterns = [part["pattern"]] if isinstance(part.get("pattern"), str) else []
    if isinstance(part.get("patternProperties"), dict):
        patterns += part["patternProperties"]
        if "unevaluatedProperties" in part:
            raise ValueError("unevaluatedProperties next to patternProperties is not linear; use additionalProperties")
    for pattern in patterns:
        check_pattern(pattern)
