"""The command ``guerdon rewards new``."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to those of ``guerdon rewards``."""
    app.command("new")(new)


def new(
    name: Annotated[str, typer.Argument(help="What YAML will call it: small letters, digits and _.")],
    file: Annotated[bool, typer.Option("--file", help="One file for `plugins:`, not a package.")] = False,
    into: Annotated[Path, typer.Option(help="The folder to write into.")] = Path(),
) -> None:
    """Write the start of a reward: a package NAME/ with a test and samples, or with --file NAME.py.

    Nothing is overwritten.
    """
    from rich.console import Console

    from guerdon.scaffold import new_file, new_package

    console = Console(soft_wrap=True, highlight=False)
    if file:
        path = new_file(name, into)
        steps = [f"guerdon rewards check {path}", f"in the run's YAML file: plugins: [./{path.name}]"]
    else:
        path = new_package(name, into)
        steps = [f"pip install -e {path}", f"pytest {path}", "guerdon rewards list"]
    console.print(f"wrote {path}", markup=False)
    for step in steps:
        console.print(f"  next: {step}", markup=False)
