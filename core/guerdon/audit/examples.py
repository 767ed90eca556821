"""Samples that show what an alarm is about."""

from collections.abc import Sequence
from dataclasses import replace

from guerdon.audit.reading import AlarmName
from guerdon.audit.run import Audit, Finding
from guerdon.ledger import Ledger

COUNT = 3
"""Examples of an alarm."""

WINDOW = 20
"""Examples come from so many steps at most, the last ones."""

ORDERS: dict[AlarmName, str] = {
    "proxy_without_outcome": "p.value DESC NULLS LAST, g.value ASC NULLS LAST",
    "over_optimisation": "s.total DESC NULLS LAST, g.value ASC NULLS LAST",
    "kl": "abs(s.trainer_logprob) DESC NULLS LAST",
    "length": "s.total DESC NULLS LAST, s.token_count {direction}",
    "correlation": "s.total DESC NULLS LAST, g.value ASC NULLS LAST",
    "failures": "p.status IN ('error', 'timeout') DESC",
    "blind": "g.value DESC NULLS LAST",
}
"""Which samples show an alarm best: `p` is the record of its component, `g` that of the outcome."""

QUERY = """
    SELECT s.step, s.sample_id FROM samples s
    LEFT JOIN records p ON p.component = {component} AND (p.phase, p.sampling, p.step, p.sample_id)
        = (s.phase, s.sampling, s.step, s.sample_id)
    LEFT JOIN records g ON g.component = {outcome} AND (g.phase, g.sampling, g.step, g.sample_id)
        = (s.phase, s.sampling, s.step, s.sample_id)
    WHERE s.phase = '{phase}' AND s.step > {after}
    ORDER BY {order}, s.step DESC, s.sample_id LIMIT {count}
"""


def with_examples(found: Audit, ledger: Ledger, outcome: str | None) -> Audit:
    """Add examples to the alarms in force."""
    return replace(found, findings=tuple(_with(one, found, ledger, outcome) for one in found.findings))


def _with(one: Finding, found: Audit, ledger: Ledger, outcome: str | None) -> Finding:
    if one.state != "alarm":
        return one
    growth = one.reading.evidence.get("growth", 1.0)
    order = ORDERS[one.alarm].format(direction="DESC" if growth > 1 else "ASC")
    blind = one.alarm == "blind"
    after = -1 if one.alarm == "failures" or blind else found.looks[-1] - WINDOW
    query = QUERY.format(
        component=_quoted(one.reading.component),
        outcome=_quoted(outcome),
        phase="blind" if blind else "train",
        after=after,
        order=order,
        count=COUNT,
    )
    rows: Sequence[dict[str, object]] = ledger.sql(query).to_pylist()
    return replace(one, examples=tuple(f"step {row['step']}: {row['sample_id']}" for row in rows))


def _quoted(name: str | None) -> str:
    return "NULL" if name is None else "'" + name.replace("'", "''") + "'"
