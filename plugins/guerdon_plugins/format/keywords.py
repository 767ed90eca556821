"""Keywords of JSON Schema whose stock implementation is not linear, or not the same on every run."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

from jsonschema import ValidationError

from guerdon_plugins.format.string_formats import has_format
from guerdon_plugins.format.values import canonical_json
from guerdon_plugins.parsing.linear import matches

type Keyword = Callable[..., Iterable[ValidationError] | None]
"""Takes the validator, the keyword's value, the instance and the schema around the keyword."""


def pattern(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    """``pattern``, in RE2."""
    if isinstance(instance, str) and not matches(pattern, instance, "search"):
        yield ValidationError(f"{instance[:100]!r} does not match {pattern!r}")


def pattern_properties(
    validator: Any, patterns: dict[str, Any], instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    """``patternProperties``, in RE2."""
    if not isinstance(instance, dict):
        return
    for pattern, subschema in patterns.items():
        for key, value in instance.items():
            if matches(pattern, key, "search"):
                yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """``additionalProperties``, in RE2 and in the instance's order."""
    if not isinstance(instance, dict):
        return
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extra = [k for k in instance if k not in named and not any(matches(p, k, "search") for p in patterns)]
    if isinstance(allowed, dict):
        for key in extra:
            yield from validator.descend(instance[key], allowed, path=key)
    elif not allowed and extra:
        yield ValidationError(f"{', '.join(repr(key[:100]) for key in extra[:5])} not allowed by the schema")


def unique_items(_validator: Any, wanted: bool, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    """``uniqueItems``, by one canonical text for equal values (1 and 1.0 are equal, 1 and true are not)."""
    if wanted and isinstance(instance, list) and len({canonical_json(item) for item in instance}) < len(instance):
        yield ValidationError("an item stands twice")


def multiple_of(_validator: Any, step: float, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    """``multipleOf`` on the decimals as they are written: 19.99 is a multiple of 0.01."""
    if isinstance(instance, bool) or not isinstance(instance, int | float):
        return
    if (Fraction(repr(instance)) / Fraction(repr(step))).denominator != 1:
        yield ValidationError(f"{instance!r} is not a multiple of {step!r}")


def format_(_validator: Any, name: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    """``format``, enforced."""
    if isinstance(instance, str) and not has_format(name, instance):
        yield ValidationError(f"{instance[:100]!r} is no {name}")


def annotation(_validator: Any, _value: Any, _instance: Any, _schema: Any) -> Iterable[ValidationError]:
    """Check nothing: without ``check_formats``, ``format`` only annotates, as the drafts say."""
    return ()


LINEAR: dict[str, Keyword] = {
    "pattern": pattern,
    "patternProperties": pattern_properties,
    "additionalProperties": additional_properties,
    "uniqueItems": unique_items,
    "multipleOf": multiple_of,
}
"""What replaces the stock keywords of every draft that has them."""
