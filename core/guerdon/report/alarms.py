"""The audit's alarms for the page: what each says, since when, and samples that show it."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from guerdon.audit.commands import audit_run
from guerdon.audit.output import TITLES
from guerdon.audit.run import Finding
from guerdon.ledger import Ledger
from guerdon.report.plain import plain
from guerdon.report.selection import GroupKey
from guerdon.report.words import Line
from guerdon.review import Run

_EXAMPLE = re.compile(r"step (?P<step>\d+): (?P<sample>.*)", re.DOTALL)

QUERY = """
    SELECT phase, sampling, step, sample_id, group_id FROM samples
    WHERE phase = '{phase}' AND (step, sample_id) IN ({wanted})
"""


def read_alarms(run: Run) -> tuple[dict[str, Any], frozenset[GroupKey]]:
    """Audit a run.

    Returns:
        The audit as JSON holds it, alarms in force first, and the groups of its examples.

    Raises:
        LedgerError: the ledger is empty or damaged.
    """
    found = audit_run(run.ledger.folder)
    groups: set[GroupKey] = set()
    ranks = {"alarm": 0, "quiet": 1, "not judged": 2}
    findings = []
    for one in sorted(found.findings, key=lambda one: ranks[one.state]):
        examples = list(_examples(one, run.ledger))
        groups.update(group for _, group in examples)
        findings.append(_finding(one, [key for key, _ in examples]))
    verdict = {"steps": found.steps, "looks": len(found.looks), "verdict": found.verdict, "findings": findings}
    return verdict, frozenset(groups)


def alarm_lines(audit: Mapping[str, Any]) -> list[Line]:
    """Say in a sentence of the overview which alarms are in force, if any is."""
    raised = [one for one in audit["findings"] if one["state"] == "alarm"]
    if not raised:
        return []
    named = "; ".join(f"{one['title']}, raised at step {one['raised']}" for one in raised)
    return [Line(f"The audit has {len(raised)} {'alarm' if len(raised) == 1 else 'alarms'} in force: {named}.", True)]


def _finding(one: Finding, examples: list[str]) -> dict[str, Any]:
    return {
        "title": TITLES[one.alarm],
        "state": one.state,
        "text": one.reading.text,
        "component": one.reading.component,
        "onset": one.reading.onset,
        "raised": one.raised,
        "first_raised": one.first_raised,
        "evidence": plain(dict(one.reading.evidence)),
        "examples": examples,
    }


def _examples(one: Finding, ledger: Ledger) -> Iterable[tuple[str, GroupKey]]:
    """Return the examples as the page's addresses, in their order, each with its group."""
    matches = [match for text in one.examples if (match := _EXAMPLE.fullmatch(text))]
    if not matches:
        return
    wanted = ", ".join(f"({match['step']}, {_quoted(match['sample'])})" for match in matches)
    phase = "blind" if one.alarm == "blind" else "train"
    rows = ledger.sql(QUERY.format(phase=phase, wanted=wanted)).to_pylist()
    by_name = {(row["step"], row["sample_id"]): row for row in rows}
    for match in matches:
        if row := by_name.get((int(match["step"]), match["sample"])):
            group = GroupKey(row["phase"], row["sampling"], row["step"], row["group_id"])
            yield f"{group.phase}/{group.sampling}/{group.step}/{row['sample_id']}", group


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
