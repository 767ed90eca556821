"""The command ``guerdon view``."""

import os
import secrets
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

import typer

from guerdon.errors import ConfigError

INSTALL = "guerdon view needs fastapi and uvicorn: pip install 'guerdon[view]'"

Run = Annotated[Path, typer.Argument(help="The run's folder, or its ledger.", metavar="RUN")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("view")(view)


def view(
    run: Run,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 is any free one.", min=0, max=65535)] = 8081,
) -> None:
    """Show a run's page from a live server, for large ledgers and runs in progress; it only reads.

    On an address that other machines reach, requests must bear a token: GUERDON_VIEW_TOKEN, or one
    made up and printed within the address.
    """
    from rich.console import Console

    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise ConfigError(INSTALL)
    from guerdon.review import open_run
    from guerdon.view.guard import is_loopback
    from guerdon.view.serve import serve

    name = open_run(run).name
    token = os.environ.get("GUERDON_VIEW_TOKEN") or (None if is_loopback(host) else secrets.token_urlsafe())

    def ready(address: str) -> None:
        shown = f"{address}?{urlencode({'token': token})}" if token else address
        Console().print(f"{name} at {shown}", markup=False, highlight=False, soft_wrap=True)

    serve(run, host, port, token, ready)
