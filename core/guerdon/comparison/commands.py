"""The command ``guerdon compare``."""

from pathlib import Path
from typing import Annotated

import typer

from guerdon.errors import ConfigError

Sides = Annotated[
    list[str],
    typer.Argument(
        help="Run folders or ledgers, with @STEP and :greedy or :sampled if wanted.", metavar="RUN[@STEP]..."
    ),
]
Slices = Annotated[list[str] | None, typer.Option("--slice", help="A key of the prompts' metadata; repeatable.")]
Outcome = Annotated[str | None, typer.Option("--outcome", help="The component that the runs are for.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare")(compare_command)


def compare_command(
    sides: Sides,
    slices: Slices = None,
    outcome: Outcome = None,
    csv: Annotated[Path | None, typer.Option(help="Write all rows there.")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write all rows there.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page there.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write everything there.")] = None,
) -> None:
    """Compare evaluations on the prompts that they share, such as base, SFT and GRPO.

    One run with several evaluations is compared with itself: its first with its last.
    """
    from rich.console import Console

    from guerdon.comparison import tables
    from guerdon.comparison.compare import compare
    from guerdon.comparison.page import write_page
    from guerdon.comparison.sides import parse_side
    from guerdon.comparison.terminal import print_comparison

    names = [f"{sides[0]}@first", f"{sides[0]}@last"] if len(sides) == 1 and "@" not in sides[0] else sides
    if len(names) < 2:
        raise ConfigError(f"{names[0]} is one evaluation; name another to compare it with")
    found = compare([parse_side(name) for name in names], slices=slices or (), outcome=outcome)
    print_comparison(found, Console(highlight=False))
    writers = ((csv, tables.write_csv), (parquet, tables.write_parquet), (html, write_page), (json, tables.write_json))
    for path, write in writers:
        if path is not None:
            write(found, path)
