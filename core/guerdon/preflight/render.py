"""A preflight as a table."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from guerdon.preflight.result import Preflight

SHOWN = 5
"""Messages of one kind that are printed; the JSON has them all."""


def print_preflight(found: Preflight, console: Console) -> None:
    """Print a line for each check, then what is refused and what is warned of."""
    table = Table("", "check", "seen")
    for row in found.rows:
        table.add_row(_mark(len(row.refusals), len(row.warnings)), escape(row.check), escape(row.seen))
    console.print(table)
    for kind, style in (("refused", "red"), ("warning", "yellow")):
        for row in found.rows:
            messages = row.refusals if kind == "refused" else row.warnings
            for message in messages[:SHOWN]:
                console.print(f"{kind}: {message}", style=style, markup=False, highlight=False, soft_wrap=True)
            if len(messages) > SHOWN:
                more = f"{kind}: {row.check}: {len(messages) - SHOWN} more; --json lists all"
                console.print(more, style=style, markup=False, highlight=False, soft_wrap=True)
    count = sum(len(row.refusals) for row in found.rows)
    console.print("ready to train" if found.ok else f"{count} refusals", style="green" if found.ok else "red")


def _mark(refusals: int, warnings: int) -> str:
    if refusals:
        return f"[red]{refusals} refused[/red]"
    return f"[yellow]{warnings} warned[/yellow]" if warnings else "[green]ok[/green]"
