"""The command ``guerdon rewards check``."""

import json
from pathlib import Path
from typing import Annotated, cast

import typer

from guerdon.errors import ConfigError

KINDS = ("answer", "form", "harm")


def register(app: typer.Typer) -> None:
    """Add the command to those of ``guerdon rewards``."""
    app.command("check")(check)


def check(
    reward: Annotated[str, typer.Argument(help="NAME, file.py, file.py:NAME or package.module:Class.")],
    fields: Annotated[list[str] | None, typer.Argument(metavar="[FIELD=VALUE]...", help="The reward's fields.")] = None,
    samples: Annotated[
        Path | None, typer.Option(help="JSON lines: a manifest's, with completion, wrong, order, earns.")
    ] = None,
    judges: Annotated[str | None, typer.Option(help="answer, form or harm; found out by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check a reward's properties, and show what attacks made from the samples earn. Exit code 1 on a failure.

    A line of --samples is a manifest's line with perhaps `completion` (a right one), `wrong` (a list),
    `order` (from the worst to the best) and `earns` (completion to value). What is missing is built from
    the reference; without --samples, from a sample for each type of reference that guerdon knows.
    """
    from rich.console import Console

    from guerdon.testing import check_reward, default_cases, read_cases
    from guerdon.testing.attacks import Judges
    from guerdon.testing.naming import find_reward
    from guerdon.testing.render import print_report

    if judges not in (None, *KINDS):
        raise ConfigError(f"--judges {judges}: one of {', '.join(KINDS)}")
    found = find_reward(reward, fields or [])
    cases = read_cases(samples) if samples else default_cases()
    report = check_reward(found, cases, cast("Judges | None", judges))
    if as_json:
        print(json.dumps(report.as_json()))  # noqa: T201 - the command's output
    else:
        print_report(report, Console())
    if not report.ok:
        raise typer.Exit(1)
