"""The command ``guerdon preflight``."""

import json
from pathlib import Path
from typing import Annotated

import typer


def preflight(
    config: Path,
    overrides: Annotated[list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="section.field=value")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Look at the data and rewards of CONFIG before training. Exit code 1 if anything is refused.

    Every line is parsed and every picture opened; prompts are counted in tokens; each reward scores
    a right completion, built from the reference, and wrong ones; prompts that stand in both
    manifests are found. No weights are loaded.
    """
    from rich.console import Console

    from guerdon.config import load_config
    from guerdon.preflight.render import print_preflight
    from guerdon_trainer.preflight.look import look

    loaded, _ = load_config(config, overrides or [])
    found = look(loaded)
    if as_json:
        print(json.dumps(found.as_json()))  # noqa: T201 - the command's output
    else:
        print_preflight(found, Console())
    if not found.ok:
        raise typer.Exit(1)
