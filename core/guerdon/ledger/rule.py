"""The rule that a part was computed by, kept in the file's metadata next to the rows."""

import json
import math
from dataclasses import dataclass
from typing import Any

from guerdon.advantage import AdvantageConfig
from guerdon.errors import LedgerError
from guerdon.ledger.batch import LedgerBatch
from guerdon.ledger.schema import SCHEMA_VERSION

METADATA_KEY = b"guerdon"


@dataclass(frozen=True, slots=True)
class ComponentRule:
    """What the advantages depend on for one component, besides its values."""

    name: str
    role: str
    weight: float
    min_spread: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Rule:
    """What the advantages of a batch depend on, besides the rows."""

    advantage: AdvantageConfig
    components: tuple[ComponentRule, ...]
    outcome: str | None


def rule_of(batch: LedgerBatch) -> Rule:
    """Take the rule from a batch."""
    matrix = batch.matrix
    fields = batch.rule.model_dump(include=set(AdvantageConfig.model_fields))
    return Rule(
        AdvantageConfig.model_validate(fields),
        tuple(
            ComponentRule(
                name,
                "train" if matrix.trained_on[k] else "monitor",
                float(matrix.weights[k]),
                float(matrix.min_spread[k]),
                float(matrix.low[k]),
                float(matrix.high[k]),
            )
            for k, name in enumerate(matrix.components)
        ),
        None if matrix.outcome is None else matrix.components[matrix.outcome],
    )


def dump_rule(rule: Rule | None) -> bytes:
    """Encode as JSON, with the version of the schema; an infinite bound becomes null."""
    data: dict[str, Any] = {"schema": SCHEMA_VERSION}
    if rule is not None:
        data["advantage"] = rule.advantage.model_dump(mode="json")
        data["outcome"] = rule.outcome
        data["components"] = [
            {
                "name": component.name,
                "role": component.role,
                "weight": component.weight,
                "min_spread": component.min_spread,
                "low": component.low if math.isfinite(component.low) else None,
                "high": component.high if math.isfinite(component.high) else None,
            }
            for component in rule.components
        ]
    return json.dumps(data).encode()


def check_schema(metadata: bytes | None, origin: str) -> dict[str, Any]:
    """Return the metadata of a part.

    Raises:
        LedgerError: the file is no part of a ledger, or of another version's.
    """
    if metadata is None:
        raise LedgerError(f"{origin} is no part of a guerdon ledger; remove it from the folder")
    data: dict[str, Any] = json.loads(metadata)
    if data.get("schema") != SCHEMA_VERSION:
        raise LedgerError(
            f"{origin} has ledger schema {data.get('schema')}, this guerdon reads {SCHEMA_VERSION}; "
            "read it with the version that wrote it (run.json names it)"
        )
    return data


def load_rule(metadata: bytes | None, origin: str) -> Rule:
    """Read back what `dump_rule` wrote."""
    data = check_schema(metadata, origin)
    components = tuple(
        ComponentRule(
            item["name"],
            item["role"],
            item["weight"],
            item["min_spread"],
            -math.inf if item["low"] is None else item["low"],
            math.inf if item["high"] is None else item["high"],
        )
        for item in data["components"]
    )
    return Rule(AdvantageConfig.model_validate(data["advantage"]), components, data["outcome"])
