"""A report as tables."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from guerdon.testing.report import Payout, Report

JUDGES = {
    "answer": "it tells right from wrong answers: none of these may be paid like the right one",
    "form": "it judges the form, not the answer: only attacks on the form count",
    "harm": "it only penalises, so nothing can be earned: only what the samples call wrong counts",
    "nothing": "it pays everything the same",
}


def print_report(report: Report, console: Console) -> None:
    """Print what was checked and what each attack earns."""
    abstained = f", and abstains on {report.abstained}" if report.abstained else ""
    console.print(f"[bold]{escape(report.reward)}[/bold] scores {report.samples} samples{abstained}")
    table = Table("", "property", "seen")
    for finding in report.findings:
        table.add_row(_mark(ok=finding.ok), escape(finding.check), escape(finding.detail))
    console.print(table)
    console.print(JUDGES[report.judges], highlight=False)
    payouts = Table("", "attack", "pays at most", "right one", "completion")
    for payout in report.payouts:
        shown = escape(repr(payout.completion[:60])) if payout.pays > 0 or not payout.ok else ""
        payouts.add_row(_verdict(payout), escape(payout.attack), f"{payout.pays:.4g}", f"{payout.right:.4g}", shown)
    console.print(payouts)
    failures = report.failures()
    console.print("ok" if not failures else f"{len(failures)} failures", style="green" if not failures else "red")


def _mark(*, ok: bool) -> str:
    return "[green]ok[/green]" if ok else "[red]FAILS[/red]"


def _verdict(payout: Payout) -> str:
    return _mark(ok=payout.ok) if payout.counts else "-"
