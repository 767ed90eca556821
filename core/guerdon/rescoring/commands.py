"""The command ``guerdon score``."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from guerdon.ledger import Ledger
    from guerdon.rescoring.diff import Difference
    from guerdon.rescoring.score import Rescored
    from guerdon.rescoring.sources import Completions, LedgerSamples

Overrides = Annotated[list[str] | None, typer.Argument(help="section.field=value", metavar="[KEY=VALUE]...")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("score")(score)


def score(
    config: Annotated[Path, typer.Argument(help="A run's YAML file: rewards, advantage rule, outcome.")],
    data: Annotated[Path, typer.Argument(help="A run's folder, a ledger, or JSON lines with completions.")],
    overrides: Overrides = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The folder of the new ledger.")] = None,
    diff: Annotated[bool, typer.Option("--diff", help="Compare with the scores that DATA has.")] = False,
    against: Annotated[Path | None, typer.Option(help="Compare with this run or rescoring.")] = None,
    cache: Annotated[Path | None, typer.Option(help="The file of known scores.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Score everything, and keep nothing.")] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that score; by default one a core.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Score completions again, those of a run or of a file, without generating anything.

    Writes a ledger that `guerdon report` and `guerdon reweight` read. The same command goes on where it
    was interrupted. Scores that are known from the same code, fields and inputs are looked up. With
    --diff: which samples changed, whose advantage changes sign, how the order within groups moved;
    the exit code is 1 if a reward with the same code and fields gives another value.

    JSON lines are a manifest's lines with `completion` or `completions`: texts, or objects with
    text and perhaps token_ids, token_count, truncated.
    """
    from guerdon.cache import ScoreCache, default_path
    from guerdon.config import load_config
    from guerdon.rescoring.diff import compare
    from guerdon.rescoring.score import fingerprint, rescore
    from guerdon.rescoring.sources import open_source

    loaded, plugins = load_config(config, overrides or [])
    source = open_source(data)
    older = _older(source, against, wanted=diff)
    mark = hashlib.sha256(json.dumps(fingerprint(loaded, plugins, source)).encode()).hexdigest()[:8]
    folder = output or _beside(data, mark, source)
    with ExitStack() as stack:
        known = None if no_cache else stack.enter_context(ScoreCache(cache or default_path()))
        tick = stack.enter_context(_progress(source.samples()))
        count = workers or len(os.sched_getaffinity(0))
        rescored = rescore(loaded, plugins, source, folder, cache=known, workers=count, progress=tick)
    difference = None if older is None else compare(older, rescored.ledger)
    _show(rescored, difference, as_json=as_json)
    if difference is not None and len(set(difference.reproduced())) > 1:
        raise typer.Exit(1)


def _show(rescored: "Rescored", difference: "Difference | None", *, as_json: bool) -> None:
    from rich.console import Console

    from guerdon.rescoring import render

    if as_json:
        typer.echo(json.dumps(render.as_json(rescored, difference)))
        return
    console = Console()
    render.print_rescored(rescored, console)
    if difference is not None:
        render.print_difference(difference, console)
    folder = rescored.ledger.folder.parent
    console.print(f"wrote {folder}", markup=False, highlight=False, soft_wrap=True)


def _older(source: "LedgerSamples | Completions", against: Path | None, *, wanted: bool) -> "Ledger | None":
    """Return the ledger to compare with."""
    from guerdon.errors import ConfigError
    from guerdon.rescoring.sources import LedgerSamples
    from guerdon.review.run import open_run

    if against is not None:
        return open_run(against).ledger
    if wanted and not isinstance(source, LedgerSamples):
        raise ConfigError("--diff: a file of completions has no scores to compare with; name some with --against RUN")
    return source.ledger if wanted and isinstance(source, LedgerSamples) else None


def _beside(data: Path, mark: str, source: "LedgerSamples | Completions") -> Path:
    """Name a folder beside the data, another one for other rewards or data."""
    from guerdon.rescoring.sources import LedgerSamples

    place = source.ledger.folder.parent.resolve() if isinstance(source, LedgerSamples) else data.resolve()
    return place.with_name(f"{place.name.removesuffix('.jsonl')}-rescored-{mark}")


@contextmanager
def _progress(total: int | None) -> Iterator[Callable[[int], None]]:
    """Show on a terminal how far it is."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("samples", total=total)
        yield lambda samples: bar.advance(task, samples)
