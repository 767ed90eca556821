"""JSON Schema, checked when configured, and bounded in time for any instance.

Nothing is ever fetched: a ``$ref`` that leaves the schema is refused. Patterns run in RE2. A
budget of work stops schemas whose alternatives refer to themselves, which take exponential time.
"""

import json
import threading
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Protocol

from jsonschema import Draft202012Validator, FormatChecker, SchemaError, ValidationError, validators
from jsonschema.validators import validator_for
from referencing import Registry

from guerdon_plugins.format import keywords
from guerdon_plugins.format.keywords import Keyword
from guerdon_plugins.format.schema_check import check_schema, without_draft

MAX_WORK = 50_000
"""Keywords evaluated and values visited for one instance."""


class TooMuchWorkError(Exception):
    """The instance is too large for the schema to be checked in bounded time."""


class _Budget(threading.local):
    left: int = 0

    def spend(self, instance: Any) -> None:
        """Pay for one keyword on one instance."""
        self.left -= 1 + (len(instance) if isinstance(instance, dict | list) else 0)
        if self.left < 0:
            raise TooMuchWorkError


_budget = _Budget()


class _Validator(Protocol):
    def iter_errors(self, instance: Any) -> Iterable[ValidationError]: ...


class CompiledSchema:
    """A schema that is ready to judge."""

    def __init__(self, schema: Any, validator: _Validator) -> None:
        self.schema = schema
        self._validator = validator

    def fault(self, instance: Any) -> str:
        """Return what is wrong with the instance, with the path to it; empty if it is valid."""
        _budget.left = MAX_WORK
        try:
            error = next(iter(self._validator.iter_errors(instance)), None)
        except TooMuchWorkError:
            return f"too large to be checked: more than {MAX_WORK} steps"
        except RecursionError:
            return "nested too deeply to be checked"
        return f"at {error.json_path[:200]}: {error.message[:300]}" if error else ""

    def may_be(self, instance: Any) -> bool:
        """Say whether an object or array in prose is meant for this schema.

        Where only objects are asked for, an array without objects is prose: ``see [1]``.
        """
        admitted = self.schema.get("type") if isinstance(self.schema, dict) else None
        if admitted is None:
            return True
        kinds = admitted if isinstance(admitted, list) else [admitted]
        if isinstance(instance, dict):
            return True
        return "array" in kinds or any(isinstance(item, dict) for item in instance)


def schema_text(schema: Any) -> str:
    """Return a schema as the text by which it is compiled and cached.

    Raises:
        ValueError: it is not JSON.
    """
    try:
        return json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"the schema is not JSON: {error}") from error


@lru_cache(maxsize=256)
def compile_schema(text: str, *, check_formats: bool) -> CompiledSchema:
    """Check a schema and make it ready; equal texts are compiled once.

    Raises:
        ValueError: it is no valid schema of the draft that it declares, or asks for what is not
            supported here; the message names the place.
    """
    schema = json.loads(text)
    declared = schema.get("$schema") if isinstance(schema, dict) else None
    draft = _draft(declared)
    try:
        draft.check_schema(schema, format_checker=FormatChecker(formats=()))
    except SchemaError as error:
        raise ValueError(f"the schema is invalid at {error.json_path}: {error.message[:300]}") from error
    except RecursionError as error:
        raise ValueError("the schema is nested too deeply") from error
    bare = without_draft(schema)
    check_schema(bare, draft, check_formats=check_formats)
    make: Any = validators.extend
    bounded = make(draft, validators=_bounded(draft.VALIDATORS, check_formats=check_formats))
    compiled = CompiledSchema(bare, bounded(bare, registry=Registry()))
    probes: tuple[Any, ...] = (None, True, 0, "", [], {})
    for probe in probes:
        if compiled.fault(probe).startswith(("too large", "nested too")):
            raise ValueError("the schema refers to itself without end; a $ref must lead into a part of the instance")
    return compiled


def _draft(declared: Any) -> Any:
    """Return the validator class of a draft; jsonschema itself would fall back on the newest one."""
    if declared is None:
        return Draft202012Validator
    unknown: Any = None
    draft = validator_for({"$schema": str(declared)}, default=unknown)
    if draft is None:
        raise ValueError(f"$schema {declared!r} is no draft that jsonschema knows; leave it out for draft 2020-12")
    return draft


def _bounded(known: Mapping[str, Keyword], *, check_formats: bool) -> dict[str, Keyword]:
    replaced = {name: check for name, check in keywords.LINEAR.items() if name in known}
    replaced["format"] = keywords.format_ if check_formats else keywords.annotation
    return {name: _counted(check) for name, check in {**known, **replaced}.items()}


def _counted(check: Keyword) -> Keyword:
    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> Iterable[ValidationError] | None:
        _budget.spend(instance)
        return check(validator, value, instance, schema)

    return counted
