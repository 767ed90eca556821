"""A comparison in the terminal."""

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from guerdon.comparison.cells import (
    HEADS,
    NOTE,
    REGRESSION_HEADS,
    SIGHT_HEADS,
    cells,
    regression_cells,
    shown,
    sight_cells,
)
from guerdon.comparison.compare import Comparison
from guerdon.comparison.verdict import conclusion

NUMERIC = ("n", "prompts", "before", "after", "change (95%)", "p", "detects")

WIDTHS = {"component": 9, "verdict": 7}

REGRESSIONS = 5

ANSWER = 160
"""Characters of an answer."""


def print_comparison(found: Comparison, console: Console) -> None:
    """Print a table for each contrast with its verdict, and the largest regressions from first to last side."""
    console.print(
        f"{found.prompts} prompts on all sides, {found.sampling} decoding, {found.left_out} left out", markup=False
    )
    for contrast in found.contrasts:
        title = f"{contrast.before} against {contrast.after}"
        console.print(_table(title, HEADS, (cells(row, found.outcome) for row in shown(contrast))))
        console.print(f"[bold]Verdict:[/] {escape(conclusion(contrast, found.outcome))}\n")
    if found.sight:
        console.print(_table("the outcome without pictures (shuffled or blank)", SIGHT_HEADS, sight_cells(found)))
    last = found.contrasts[-1]
    if last.regressions:
        title = f"largest regressions, {last.before} against {last.after}"
        console.print(_table(title, REGRESSION_HEADS, regression_cells(last, ANSWER)[:REGRESSIONS]))
    console.print(NOTE, markup=False)


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(title=escape(title), box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title_justify="left")
    for head in heads:
        numeric = head in NUMERIC
        table.add_column(
            head,
            justify="right" if numeric else "left",
            no_wrap=numeric or head == "component",
            min_width=WIDTHS.get(head),
        )
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    return table
