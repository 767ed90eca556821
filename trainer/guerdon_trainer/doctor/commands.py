"""The command ``guerdon doctor``."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guerdon import RunError

if TYPE_CHECKING:
    from guerdon_trainer.doctor.compare import Mismatch
    from guerdon_trainer.doctor.facts import Facts, Questions


def doctor(
    config: Annotated[Path | None, typer.Argument(help="Also compare this run's plugin files and model.")] = None,
    ray: Annotated[
        str | None,
        typer.Option("--ray", metavar="ADDR", help="HOST:6379 of a Ray cluster, or auto; else this machine."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare driver, libraries, image and plugins of all nodes; exit 1 where they differ."""
    from guerdon_trainer.doctor.compare import compare

    nodes = _facts(ray, _questions(config))
    mismatches = compare(nodes)
    if as_json:
        print(json.dumps({"nodes": nodes, "differ": [mismatch.field for mismatch in mismatches]}, indent=2))  # noqa: T201
    else:
        _show(nodes, mismatches)
    if mismatches:
        raise typer.Exit(1)


def _questions(path: Path | None) -> "Questions":
    from guerdon.config import load_config
    from guerdon_trainer.doctor.facts import Questions

    if path is None:
        return Questions()
    config, plugins = load_config(path)
    return Questions(plugins.files, config.model.name_or_path if config.model.revision is None else None)


def _facts(address: str | None, questions: "Questions") -> "Mapping[str, Facts]":
    """Ask the cluster at an address, or this machine alone."""
    from guerdon_trainer.doctor.facts import gather
    from guerdon_trainer.doctor.nodes import ask_nodes

    if address is None:
        return {"this machine": gather(questions)}
    import ray

    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False, ignore_reinit_error=True)
    except (ConnectionError, RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise RunError(f"--ray {address}: no Ray cluster can be reached there: {reason}") from error
    try:
        return ask_nodes(questions)
    finally:
        ray.shutdown()


def _show(nodes: "Mapping[str, Facts]", mismatches: "list[Mismatch]") -> None:
    """Print fields by nodes, what differs in red; names of the odd ones below."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from guerdon_trainer.doctor.compare import describe

    differ = {mismatch.field: mismatch.odd for mismatch in mismatches}
    table = Table("field", *map(escape, nodes))
    for field in dict.fromkeys(field for facts in nodes.values() for field in facts):
        values = [escape(facts.get(field, "absent") or "-") for facts in nodes.values()]
        marked = zip(nodes, values, strict=True)
        cells = [f"[red]{value} <[/red]" if node in differ.get(field, ()) else value for node, value in marked]
        table.add_row(f"[red]{escape(field)}[/red]" if field in differ else escape(field), *cells)
    console = Console(highlight=False)
    console.print(table)
    if not mismatches:
        console.print("all the same" if len(nodes) > 1 else "one machine, nothing to compare")
    for mismatch in mismatches:
        console.print(f"differs: {describe(mismatch).strip()}", markup=False, soft_wrap=True)
