"""Records as bytes: which may be kept, and how they are written and read back."""

import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pydantic_core import from_json, to_json  # seven times as fast as json on small mappings

from guerdon.score import Record, Status
from guerdon.scoring.policy import MIXED

_GROUP_WORDS = (MIXED, "its group abstains;")
"""How a reason begins that speaks of the sample's siblings, which may be others next time."""


def keepable(column: Sequence[Record]) -> bool:
    """Tell whether one component's records of a group follow from the samples alone.

    Kept are scores, abstentions and errors that the completion caused. Failures of the
    infrastructure are not, nor timeouts, which depend on the machine.
    """
    return all(
        record.status is not Status.TIMEOUT
        and record.cause != "infrastructure"
        and not record.reason.startswith(_GROUP_WORDS)
        for record in column
    )


def dump_record(record: Record, salt: bytes) -> bytes:
    """Write what a record says, with a checksum over it and `salt`, the key that it is kept under."""
    body = to_json(
        [
            record.status,
            record.value,
            record.reason,
            dict(record.evidence),
            dict(record.metrics),
            record.cause,
            record.masks,
        ]
    )
    return zlib.crc32(body, zlib.crc32(salt)).to_bytes(4, "big") + body


def load_record(entry: bytes, salt: bytes, sample_id: str, component: str) -> Record | None:
    """Read what `dump_record` wrote; None for anything damaged. Its latency is 0."""
    body = entry[4:]
    if zlib.crc32(body, zlib.crc32(salt)).to_bytes(4, "big") != entry[:4]:
        return None
    status, value, reason, evidence, metrics, cause, masks = _fields(body)
    return Record(sample_id, component, status, value, reason, evidence, metrics, cause, 0.0, masks)


@lru_cache(maxsize=4096)
def _fields(body: bytes) -> tuple[Any, ...]:
    """Decode; many records say the same. What comes back is shared, and records are not to be changed."""
    status, *rest = from_json(body)
    return Status(status), *rest
