"""The verdict: its schema, and reading one from what the judge wrote."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator

from guerdon_plugins.parsing.json_text import read_json, strip_fence

MAX_RATIONALE = 2000
"""Characters of a rationale that are kept."""


class BadVerdictError(ValueError):
    """What the judge wrote is no verdict."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict that holds."""

    score: int
    rationale: str


@lru_cache(maxsize=16)
def verdict_schema(low: int, high: int) -> Mapping[str, Any]:
    """Return the JSON schema of a verdict, in the subset that strict structured outputs take."""
    return {
        "type": "object",
        "properties": {
            "nonce": {"type": "string"},
            "rationale": {"type": "string"},
            "score": {"type": "integer", "minimum": low, "maximum": high},
        },
        "required": ["nonce", "rationale", "score"],
        "additionalProperties": False,
    }


def read_verdict(text: str, nonce: str, scale: tuple[int, int]) -> Judgement:
    """Read a verdict: one JSON object by the schema, bare or in one fence, that repeats the nonce.

    Raises:
        BadVerdictError: says what is wrong.
    """
    found = read_json(text)
    if found.fault and (inside := strip_fence(text)) is not None:
        found = read_json(inside.text)
    if found.fault:
        raise BadVerdictError(f"it is no JSON object alone: {found.fault}")
    problem = next(iter(_validator(*scale).iter_errors(found.value)), None)
    if problem is not None:
        raise BadVerdictError(f"it is not by the schema: {problem.message[:200]}")
    if not secrets.compare_digest(found.value["nonce"].encode("utf-8", "replace"), nonce.encode()):
        raise BadVerdictError("it does not repeat the nonce, so it may have been copied from the completion")
    return Judgement(int(found.value["score"]), found.value["rationale"][:MAX_RATIONALE])


@lru_cache(maxsize=16)
def _validator(low: int, high: int) -> Draft202012Validator:
    return Draft202012Validator(verdict_schema(low, high))
