"""The summary of a run in the terminal."""

from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from guerdon.report.words import VERDICTS, interval, number, overview, short, statuses
from guerdon.review import Summary, open_run, summarise
from guerdon.review.held_out import Comparison
from guerdon.review.summary import ComponentSummary

INTERVALS = "Intervals are over prompts; each line stands for itself."

COLOURS = {"gained": "green", "lost": "red", "not powered": "yellow"}


def print_summary(run_folder: Path, console: Console) -> None:
    """Print what a run did: components in training, held-out prompts before and after, in plain words.

    Raises:
        LedgerError: the folder holds no ledger, or an empty or damaged one.
    """
    summary = summarise(open_run(run_folder))
    console.print(summary_table(summary))
    if summary.outcome is not None:
        console.print(f"* the outcome: what the run is for. {INTERVALS}\n", markup=False, highlight=False)
    if summary.held_out:
        console.print(held_out_table(summary))
    for line in overview(summary):
        console.print(f"- {escape(line.text)}", style="bold red" if line.warning else None, highlight=False)


def summary_table(summary: Summary) -> Table:
    """Lay out the components: both ends of the training, change, part in the update, statuses."""
    table = Table(
        title=escape(f"{summary.run}: components in training (advantage: {summary.mode})"),
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        title_justify="left",
    )
    ends = [short(window) for window in summary.training] if summary.training else ["first", "last"]
    table.add_column("component")
    for name in ("weight", *ends, "change (95% interval)", "of update"):
        table.add_column(name, justify="right", no_wrap=name.startswith("change"))
    table.add_column("records")
    for one in summary.components:
        table.add_row(*(escape(cell) for cell in _component_row(one, summary.outcome)))
    return table


def _component_row(one: ComponentSummary, outcome: str | None) -> list[str]:
    begin, end = one.weights
    weight = f"{begin:g}" if begin == end else f"{begin:g} to {end:g}"
    weight = "monitor" if one.role == "monitor" else weight
    share = one.share.of_update if one.share else None
    return [
        f"{one.name}*" if one.name == outcome else one.name,
        weight,
        number(one.first.value),
        number(one.last.value),
        interval(one.change),
        "none" if share is None else f"{share:.0%}",
        statuses(one),
    ]


def held_out_table(summary: Summary) -> Table:
    """Lay out the outcome on held-out prompts, with its strict and lenient readings and by modality."""
    before, after = summary.evaluations[0], summary.evaluations[-1]
    title = f"held-out prompts before (step {before}) and after training (step {after})"
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left")
    for name in ("outcome", "decoding", "prompts"):
        table.add_column(name)
    for name in ("before", "after", "change (95% interval)"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict")
    for row in summary.held_out:
        if row.component == summary.outcome and (row.modality is None or row.measure == "value"):
            table.add_row(*_held_out_row(row))
    return table


def _held_out_row(row: Comparison) -> list[str]:
    measure = row.component if row.measure == "value" else f"{row.component}, {row.measure}"
    which = f"{row.difference.prompts}" if row.modality is None else f"{row.difference.prompts} {row.modality}"
    colour = COLOURS.get(row.verdict)
    word = VERDICTS[row.verdict]
    return [
        escape(measure),
        row.sampling,
        escape(which),
        number(row.before.value),
        number(row.after.value),
        interval(row.difference),
        f"[{colour}]{word}[/]" if colour else word,
    ]
