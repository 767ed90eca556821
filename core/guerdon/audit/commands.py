"""The command ``guerdon audit``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from guerdon.audit.run import Audit

EXITS = {"alarm": 1, "clean": 0, "cannot judge": 2}

Run = Annotated[Path, typer.Argument(help="The run's folder, or its ledger.", metavar="RUN")]
Json = Annotated[Path | None, typer.Option("--json", help="Write all alarms with their evidence there.")]
JUnit = Annotated[Path | None, typer.Option("--junit", help="Write a JUnit report there.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("audit")(audit_command)


def audit_command(run: Run, json_file: Json = None, junit: JUnit = None) -> None:
    """Look for reward hacking and other trouble in a run, finished or not.

    Exits with 1 if an alarm is in force, with 0 if none is, with 2 if that cannot be judged.
    """
    from rich.console import Console

    from guerdon.audit.output import print_audit, write_json, write_junit

    found = audit_run(run)
    print_audit(found, Console(highlight=False))
    if json_file is not None:
        write_json(found, json_file)
    if junit is not None:
        write_junit(found, junit)
    raise typer.Exit(EXITS[found.verdict])


def audit_run(folder: Path) -> "Audit":
    """Audit a run's folder, or its ledger.

    Raises:
        LedgerError: there is no ledger, or an empty or damaged one.
    """
    from guerdon.audit.examples import with_examples
    from guerdon.audit.read import read_history
    from guerdon.audit.run import audit
    from guerdon.review.run import open_run

    run = open_run(folder)
    history = read_history(run)
    return with_examples(audit(history), run.ledger, history.outcome)
