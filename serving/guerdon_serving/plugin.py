"""What serving adds to ``guerdon``. Nothing heavy is imported before a command runs."""

from typing import TYPE_CHECKING

from guerdon import hookimpl

if TYPE_CHECKING:
    import typer


@hookimpl
def register_commands(app: "typer.Typer") -> None:
    """Add ``bundle`` and ``serve``."""
    from guerdon_serving.commands import add_commands

    add_commands(app)
