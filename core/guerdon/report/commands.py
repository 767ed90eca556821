"""The commands ``guerdon report`` and ``guerdon reweight``."""

from pathlib import Path
from typing import Annotated

import typer

Run = Annotated[Path, typer.Argument(help="The run's folder, or its ledger.", metavar="RUN")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write the page there.")]
Overrides = Annotated[list[str] | None, typer.Argument(help="section.field=value", metavar="[KEY=VALUE]...")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("report")(report)
    app.command("reweight")(reweight)


Against = Annotated[
    list[str] | None,
    typer.Option(
        help="Another evaluation to compare with, such as base=runs/base; repeatable.", metavar="NAME=RUN[@STEP]"
    ),
]


def report(run: Run, output: Output = None, against: Against = None) -> None:
    """Write a page about a run: one HTML file that opens without network or server.

    It stands in the run's folder as report.html, unless --output says otherwise. With --against,
    the run's first and last evaluation stand beside others: `guerdon evaluate` makes such runs.
    """
    from rich.console import Console

    from guerdon.report.page import write_report

    Console().print(f"wrote {write_report(run, output, against or ())}", markup=False, highlight=False, soft_wrap=True)


def reweight(
    run: Run,
    config: Annotated[Path, typer.Argument(help="A run's YAML file with the same components.", metavar="CONFIG")],
    overrides: Overrides = None,
    output: Output = None,
) -> None:
    """Apply other weights, roles, schedules or another advantage rule to the scores of a run.

    Nothing is scored again, so the components must be those of the run. Prints what changes, and
    writes a page: reweight.html in the run's folder, unless --output says otherwise.
    """
    from rich.console import Console

    from guerdon.config import load_config
    from guerdon.report.reweight import print_reweighting, write_reweighting
    from guerdon.review.reweight import reweight as apply
    from guerdon.review.run import open_run

    opened = open_run(run)
    result = apply(opened, load_config(config, overrides or [])[0])
    console = Console()
    print_reweighting(result, console)
    page = write_reweighting(result, output or opened.folder / "reweight.html")
    console.print(f"wrote {page}", markup=False, highlight=False, soft_wrap=True)
