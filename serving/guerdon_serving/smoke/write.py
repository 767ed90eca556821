"""The report as JSON, as JUnit's XML and as a page."""

import html
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree as ET

from guerdon_serving.smoke.result import Check, SmokeReport

STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#1b1f24}
table{border-collapse:collapse;width:100%;margin:.5rem 0 2rem}
td,th{border-bottom:1px solid #d8dee4;padding:.3rem .6rem;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}
.ok{color:#116329}.failed{color:#a40e26;font-weight:600}.skipped{color:#57606a}
"""


def as_json(report: SmokeReport) -> str:
    """Return everything; a number that is not finite is null."""
    return json.dumps({"passed": report.passed, **_plain(asdict(report))}, indent=2, ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def as_junit(report: SmokeReport) -> str:
    """Return one test case for each check."""
    counts = {status: sum(check.status == status for check in report.checks) for status in ("failed", "skipped")}
    suite = ET.Element(
        "testsuite",
        name="guerdon smoke",
        tests=str(len(report.checks)),
        failures=str(counts["failed"]),
        skipped=str(counts["skipped"]),
        time=f"{sum(check.seconds for check in report.checks):.3f}",
    )
    for check in report.checks:
        group, _, name = check.name.partition(".")
        case = ET.SubElement(suite, "testcase", classname=f"smoke.{group}", name=name, time=f"{check.seconds:.3f}")
        detail = _printable(check.detail)
        if check.status == "failed":
            ET.SubElement(case, "failure", message=detail)
        elif check.status == "skipped":
            ET.SubElement(case, "skipped", message=detail)
        else:
            ET.SubElement(case, "system-out").text = detail
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(suite, encoding="unicode") + "\n"


def _printable(text: str) -> str:
    """Replace what XML 1.0 cannot hold: an answer may contain anything."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def as_html(report: SmokeReport) -> str:
    """Return one page that needs no network and runs no script."""
    verdict = "passed" if report.passed else "failed"
    mark = "ok" if report.passed else "failed"
    parts = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>smoke: {verdict}</title><style>{STYLE}</style>',
        f'<h1>Smoke test: <span class="{mark}">{verdict}</span></h1>',
        f"<p>{_text(report.model)} at {_text(report.url)}<br>bundle {_text(report.bundle or 'not named')}</p>",
        _checks(report.checks),
        _rungs(report),
        _comparisons(report),
        _answers(report),
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _text(value: Any) -> str:
    return html.escape(str(value))


def _table(title: str, heads: Sequence[str], rows: Sequence[str]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th>{_text(name)}</th>" for name in heads)
    return f"<h2>{_text(title)}</h2><table><tr>{head}</tr>{''.join(rows)}</table>"


def _row(*cells: Any) -> str:
    shown = (
        f'<td class="n">{cell:.4g}</td>' if isinstance(cell, int | float) else f"<td>{_text(cell)}</td>"
        for cell in cells
    )
    return f"<tr>{''.join(shown)}</tr>"


def _checks(checks: Sequence[Check]) -> str:
    rows = [
        f'<tr><td class="{check.status}">{check.status}</td><td>{_text(check.name)}</td>'
        f'<td>{_text(check.detail)}</td><td class="n">{check.seconds:.2f}</td></tr>'
        for check in checks
    ]
    return _table("Checks", ("", "check", "found", "s"), rows)


def _rungs(report: SmokeReport) -> str:
    heads = ("at a time", "requests", "failed", "429", "p50 s", "p90 s", "p99 s", "first p50 s", "tokens/s", "req/s")
    rows = [
        _row(r.concurrency, r.requests, r.failed, r.refused, r.p50_s, r.p90_s, r.p99_s, r.first_p50_s, r.tokens_per_s,
             r.requests_per_s)
        for r in report.rungs
    ]  # fmt: skip
    return _table("Load", heads, rows)


def _comparisons(report: SmokeReport) -> str:
    heads = ("against", "component", "prompts of", "candidate", "other", "difference", "interval", "verdict")
    rows = [
        _row(
            c.model,
            c.component + ("" if c.judged else " (shown only)"),
            c.modality or "all kinds",
            c.candidate.value,
            c.other.value,
            c.difference.value,
            f"{c.difference.low:+.3f} to {c.difference.high:+.3f}",
            c.verdict,
        )
        for c in report.comparisons
    ]
    return _table("Comparison on the same prompts, greedy", heads, rows)


def _answers(report: SmokeReport) -> str:
    models = list(report.answers[0]["answers"]) if report.answers else []
    rows = [
        _row(
            row["id"],
            row["reference"] if row["reference"] is not None else "",
            *(f"{row['answers'][model][:200]} ({_score(row['scores'][model])})" for model in models),
        )
        for row in report.answers
    ]
    return _table("Answers (score)", ("prompt", "reference", *models), rows)


def _score(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"
