"""Looking for samples in the whole ledger, page by page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field, FiniteFloat

from guerdon.ledger import Ledger
from guerdon.report.rows import Rows, read_rows
from guerdon.report.selection import GroupKey, Selection

SIZE = 20
"""Groups on a page."""

FOUND = """
    WITH hits AS (
        SELECT s.phase, s.sampling, s.step, s.group_id, s.sample_id FROM samples s {records} WHERE {conditions}
    ), by_group AS (
        SELECT phase, sampling, step, group_id, count(*) AS samples, list(sample_id) AS ids FROM hits GROUP BY ALL
    )
    SELECT *, count(*) OVER () AS groups, (sum(samples) OVER ())::BIGINT AS hits FROM by_group
    ORDER BY step DESC, phase, sampling, group_id LIMIT {size} OFFSET {offset}
"""

RECORDS = "SEMI JOIN (SELECT * FROM records WHERE {conditions}) r USING (phase, sampling, step, sample_id)"

EVALUATIONS = """
    SELECT DISTINCT phase, sampling, step, group_id FROM samples WHERE phase = 'eval' AND group_id IN ({names})
"""


class Search(BaseModel, frozen=True, extra="forbid"):
    """What to look for; everything that is given must hold."""

    phase: Literal["train", "eval", "blind"] | None = None
    sampling: Literal["sampled", "greedy"] | None = None
    step: int | None = Field(None, ge=0, le=2**31 - 1)
    component: str | None = Field(None, max_length=200)
    """Whose record `status`, `low` and `high` are about; any if none is given."""

    status: Literal["ok", "abstain", "error", "timeout"] | None = None
    low: FiniteFloat | None = None
    high: FiniteFloat | None = None
    text: str | None = Field(None, max_length=500)
    """In prompt, completion or the sample's id, in upper or lower case."""

    sample: str | None = Field(None, max_length=1000)
    """One sample's id."""

    page: int = Field(0, ge=0, le=10_000_000)

    def samples(self) -> str:
        """Return the condition on the table of samples."""
        parts = [f"s.{name} = {_quoted(value)}" for name in ("phase", "sampling") if (value := getattr(self, name))]
        if self.step is not None:
            parts.append(f"s.step = {self.step}")
        if self.sample is not None:
            parts.append(f"s.sample_id = {_quoted(self.sample)}")
        if self.text:
            wanted = _quoted(self.text.lower())
            columns = ("s.completion", "s.prompt", "s.sample_id")
            parts.append(f"({' OR '.join(f'contains(lower({column}), {wanted})' for column in columns)})")
        return " AND ".join(parts) or "true"

    def records(self) -> str | None:
        """Return the condition on the table of records, None if any will do."""
        parts = [
            f"{column} {sign} {_quoted(value) if isinstance(value, str) else repr(value)}"
            for column, sign, value in (
                ("component", "=", self.component),
                ("status", "=", self.status),
                ("value", ">=", self.low),
                ("value", "<=", self.high),
            )
            if value is not None
        ]
        return " AND ".join(parts) if parts and parts != [f"component = {_quoted(self.component or '')}"] else None


@dataclass(frozen=True, slots=True)
class Found:
    """One page of what was found: whole groups, in which some samples match."""

    rows: Rows
    matches: tuple[str, ...]
    """Of this page, as ``phase/sampling/step/sample_id``."""

    groups: int
    """On all pages."""

    hits: int
    """Samples that match, on all pages."""


def find(ledger: Ledger, search: Search) -> Found:
    """Look for samples, those of the last steps first.

    Raises:
        LedgerError: the ledger is damaged.
    """
    records = search.records()
    query = FOUND.format(
        records=RECORDS.format(conditions=records) if records else "",
        conditions=search.samples(),
        size=SIZE,
        offset=search.page * SIZE,
    )
    rows = ledger.sql(query).to_pylist()
    chosen = frozenset((*map(_key, rows), *_evaluations(ledger, rows)))
    groups, hits = (rows[0]["groups"], rows[0]["hits"]) if rows else (0, 0)
    return Found(
        rows=read_rows(ledger, Selection(chosen, groups, 0, 0)),
        matches=tuple(_matches(rows)),
        groups=groups,
        hits=hits,
    )


def _evaluations(ledger: Ledger, rows: Sequence[dict[str, Any]]) -> Iterator[GroupKey]:
    """Return the same held-out prompts at all evaluations, so that they stand side by side."""
    names = sorted({row["group_id"] for row in rows if row["phase"] == "eval"})
    if names:
        query = EVALUATIONS.format(names=", ".join(map(_quoted, names)))
        yield from map(_key, ledger.sql(query).to_pylist())


def _matches(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        for name in row["ids"]:
            yield f"{row['phase']}/{row['sampling']}/{row['step']}/{name}"


def _key(row: dict[str, Any]) -> GroupKey:
    return GroupKey(row["phase"], row["sampling"], row["step"], row["group_id"])


def _quoted(text: str) -> str:
    """Write a text as SQL does; a NUL, which no text of a ledger holds, is replaced."""
    return "'" + text.replace("\0", "\ufffd").replace("'", "''") + "'"
