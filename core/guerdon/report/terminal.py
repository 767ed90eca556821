"""The summary of a run in the terminal."""

from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from guerdon.report.words import VERDICTS, bracketed, number, overview, short, statuses
from guerdon.review import Summary, open_run, summarise
from guerdon.review.held_out import SAMPLINGS, Comparison
from guerdon.review.summary import ComponentSummary

NOTE = "Intervals are over prompts, each for itself. Update: share in the advantages trained on."

COLOURS = {"gained": "green", "lost": "red", "not powered": "yellow"}


def print_summary(run_folder: Path, console: Console) -> None:
    """Print what a run did: components in training, held-out prompts before and after, in plain words.

    Raises:
        LedgerError: the folder holds no ledger, or an empty or damaged one.
    """
    summary = summarise(open_run(run_folder))
    console.print(summary_table(summary))
    if summary.outcome is not None:
        console.print(f"* the outcome: what the run is for. {NOTE}\n", markup=False, highlight=False)
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
    for name in ("weight", *ends, "change (95%)", "update"):
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
        bracketed(one.change),
        "none" if share is None else f"{share:.0%}",
        statuses(one),
    ]


def held_out_table(summary: Summary) -> Table:
    """Lay out held-out prompts: the outcome with its readings and by modality, then the other components."""
    before, after = summary.evaluations[0], summary.evaluations[-1]
    title = f"held-out prompts before (step {before}) and after training (step {after})"
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left")
    table.add_column("component")
    table.add_column("prompts", no_wrap=True)
    for name in ("before", "after", "change (95%)"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for sampling in SAMPLINGS:
        rows = [row for row in summary.held_out if row.sampling == sampling and _is_shown(row, summary.outcome)]
        if rows:
            table.add_row(f"[bold]{sampling}[/]")
        for row in rows:
            table.add_row(*_held_out_row(row, summary.outcome))
        table.add_section()
    return table


def _is_shown(row: Comparison, outcome: str | None) -> bool:
    """Leave out readings by modality, and other components that are the same for every prompt on both sides."""
    if row.component == outcome:
        return row.modality is None or row.measure == "value"
    return row.modality is None and bool(row.before.standard_error or row.after.standard_error)


def _held_out_row(row: Comparison, outcome: str | None) -> list[str]:
    name = f"{row.component}*" if row.component == outcome else row.component
    measure = name if row.measure == "value" else f"  {row.measure}"
    which = f"{row.difference.prompts}" if row.modality is None else f"{row.difference.prompts} {row.modality}"
    colour = COLOURS.get(row.verdict)
    word = VERDICTS[row.verdict]
    return [
        escape(measure),
        escape(which),
        number(row.before.value),
        number(row.after.value),
        bracketed(row.difference),
        f"[{colour}]{word}[/]" if colour else word,
    ]
