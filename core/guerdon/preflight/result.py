"""What a preflight found."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was looked at."""

    check: str
    seen: str
    refusals: tuple[str, ...] = ()
    """What must be mended before training, each with its place."""

    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Preflight:
    """All that was looked at."""

    rows: Sequence[Row]

    @property
    def ok(self) -> bool:
        """Tell whether nothing is refused."""
        return not any(row.refusals for row in self.rows)

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {"ok": self.ok, "rows": [asdict(row) for row in self.rows]}
