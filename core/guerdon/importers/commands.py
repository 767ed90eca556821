"""The commands ``guerdon import`` and ``guerdon export``."""

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guerdon.errors import ConfigError

if TYPE_CHECKING:
    from guerdon.importers.rows import Step
    from guerdon.importers.write import Result


class Format(StrEnum):
    """Whose files they are."""

    TRL = "trl"
    VERL = "verl"
    SKYRL = "skyrl"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("import")(import_command)
    app.command("export")(export_command)


def import_command(
    form: Annotated[Format, typer.Argument(help="Whose files they are.", metavar="trl|verl|skyrl")],
    path: Annotated[Path, typer.Argument(help="A file, or the folder of all.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The new run folder.")],
    outcome: Annotated[str | None, typer.Option(help="The component that the run is for.")] = None,
    monitor: Annotated[list[str] | None, typer.Option(help="A component not trained on; repeatable.")] = None,
    weight: Annotated[
        list[str] | None, typer.Option(help="A component's factor in the total; repeatable.", metavar="NAME=WEIGHT")
    ] = None,
    *,
    evaluation: Annotated[bool, typer.Option("--eval", help="The files are evaluations.")] = False,
) -> None:
    """Make a ledger of what another trainer recorded, for report, audit, compare and reweight.

    TRL: completions_*.parquet (log_completions). verl: JSON lines of rollout_data_dir; what its reward
    function returns beside the score is a monitor. SkyRL: dumped evaluations. Advantages are
    recomputed from the scores, as GRPO does.
    """
    from guerdon.importers.write import Plan, write_run

    read = _reader(form)
    monitors = set(monitor or ())
    if form is Format.VERL:
        monitors |= {name for step in read(path) for row in step.rows for name in row.values if name != "score"}
    plan = Plan(
        name=output.resolve().name,
        phase="eval" if evaluation or form is Format.SKYRL else "train",
        outcome=outcome,
        monitors=frozenset(monitors),
        weights=dict(map(_weight, weight or ())),
    )
    _say(write_run(lambda: read(path), plan, output), plan.outcome, output)


class Target(StrEnum):
    """In whose form files are written."""

    TRL = "trl"


def export_command(
    form: Annotated[Target, typer.Argument(help="In whose form.", metavar="trl")],
    run: Annotated[Path, typer.Argument(help="The run's folder, or its ledger.", metavar="RUN")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")],
) -> None:
    """Write a run's training samples as TRL does: a Parquet file a step, a column for each component."""
    from guerdon.importers.export import export_trl
    from guerdon.review import open_run

    typer.echo(f"{output}: {export_trl(open_run(run).ledger, output)} steps in the form of {form}")


def _reader(form: Format) -> "Callable[[Path], Iterator[Step]]":
    from guerdon.importers.skyrl import read_skyrl
    from guerdon.importers.trl import read_trl
    from guerdon.importers.verl import read_verl

    return {Format.TRL: read_trl, Format.VERL: read_verl, Format.SKYRL: read_skyrl}[form]


def _weight(text: str) -> tuple[str, float]:
    name, _, factor = text.rpartition("=")
    try:
        return name, float(factor)
    except ValueError:
        raise ConfigError(f"--weight {text}: write NAME=WEIGHT, such as format=0.2") from None


def _say(result: "Result", outcome: str | None, output: Path) -> None:
    typer.echo(f"{output}: {result.samples} samples of {result.steps} steps, {', '.join(result.components)}")
    if result.compared:
        share = result.agreed / result.compared
        hint = "" if share > 0.99 else "; name the trainer's weights with --weight"
        typer.echo(f"the trainer's advantages have the sign of the recomputed ones in {share:.1%}{hint}")
    if outcome is None:
        typer.echo("no outcome is declared, so the audit cannot judge; name one with --outcome")
