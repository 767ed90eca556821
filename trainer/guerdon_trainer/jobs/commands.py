"""The commands ``guerdon jobs ...``."""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from guerdon import RunError
from guerdon_trainer.deploy.commands import dashboards, render

if TYPE_CHECKING:
    from guerdon_trainer.jobs.client import Job

app = typer.Typer(no_args_is_help=True, help="Run on a Ray cluster: submit, follow, stop, reconnect.")
app.command("render")(render)
app.command("dashboards")(dashboards)

Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        envvar="RAY_API_SERVER_ADDRESS",
        help="http://HOST:8265, sagemaker_ray://CLUSTER/NAMESPACE, ...; passed to Ray's client as it is.",
    ),
]
Identifier = Annotated[str, typer.Argument(metavar="JOB", help="A job's id, as `guerdon jobs list` prints it.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("submit")
def submit(
    config: Annotated[Path, typer.Argument(metavar="CONFIG")],
    overrides: Annotated[list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="section.field=value")] = None,
    address: Address = None,
    working_dir: Annotated[
        Path | None, typer.Option(help="The folder that travels; CONFIG's own by default.", file_okay=False)
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option("--env", metavar="NAME", help="A variable of this environment that the job gets; repeatable."),
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Print the log; exit with the job's code.")] = False,
) -> None:
    """Submit a run; submitted again after it ended, it resumes.

    Values named with --env reach the job, and whoever may use the cluster's dashboard can read them
    there: prefer the pods' service account and secrets.
    """
    from guerdon_trainer.jobs.client import connect
    from guerdon_trainer.jobs.submission import prepare
    from guerdon_trainer.jobs.submission import submit as send

    submission = prepare(config, overrides or [], folder=working_dir, env=env or [])
    name = _reaching(address, lambda: send(connect(address), submission))
    _say(f"submitted {name}: {submission.entrypoint}")
    if follow:
        _follow(address, name)
    else:
        _say(f"follow it with `guerdon jobs logs {name} --follow`")


@app.command("status")
def status(job: Identifier, address: Address = None, as_json: AsJson = False) -> None:
    """Print a job's state; exit with its code once it has ended, with 0 while it runs."""
    from guerdon_trainer.jobs.client import connect
    from guerdon_trainer.jobs.client import job as ask

    found = _reaching(address, lambda: ask(connect(address), job))
    if as_json:
        print(json.dumps(asdict(found), indent=2))  # noqa: T201
    else:
        _say(" ".join([found.id, found.status, _time(found), " ".join(found.message.split())]).rstrip())
    raise typer.Exit(found.code or 0)


@app.command("logs")
def logs(
    job: Identifier,
    address: Address = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Until it ends; exit with its code.")] = False,
) -> None:
    """Print a job's log."""
    from guerdon_trainer.jobs.client import connect
    from guerdon_trainer.jobs.client import job as ask

    if follow:
        _follow(address, job)

    def read() -> str:
        client = connect(address)
        ask(client, job)
        return str(client.get_job_logs(job))

    _write(_reaching(address, read))


@app.command("stop")
def stop(job: Identifier, address: Address = None) -> None:
    """Stop a job: SIGTERM first, so that it can save."""
    from guerdon_trainer.jobs.client import connect
    from guerdon_trainer.jobs.client import stop as ask

    _reaching(address, lambda: ask(connect(address), job))
    _say(f"asked {job} to stop; `guerdon jobs status {job}` tells when it has")


@app.command("list")
def list_(
    address: Address = None,
    run: Annotated[str | None, typer.Option(help="Only jobs of this run.name.")] = None,
    as_json: AsJson = False,
) -> None:
    """List jobs, oldest first."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from guerdon_trainer.jobs.client import connect, list_jobs

    found = [job for job in _reaching(address, lambda: list_jobs(connect(address))) if run in (None, job.run)]
    if as_json:
        print(json.dumps([asdict(job) for job in found], indent=2))  # noqa: T201
        return
    table = Table("job", "run", "status", "code", "time")
    for job in found:
        code = "" if job.code is None else str(job.code)
        table.add_row(escape(job.id), escape(job.run or "-"), job.status, code, _time(job))
    Console().print(table)


def _follow(address: str | None, job: str) -> None:
    """Print the log to its end and leave with the job's exit code."""
    from guerdon_trainer.jobs.client import connect
    from guerdon_trainer.jobs.log import follow

    try:
        ended = follow(lambda: connect(address), job, _write)
    except KeyboardInterrupt:
        _say(f"\n{job} goes on; `guerdon jobs logs {job} --follow` reconnects, `guerdon jobs stop {job}` ends it")
        raise typer.Exit(130) from None
    _say(f"{job} {ended.status} {_time(ended)}")
    raise typer.Exit(ended.code or 0)


def _reaching[T](address: str | None, ask: Callable[[], T]) -> T:
    try:
        return ask()
    except RunError:
        raise
    except (OSError, RuntimeError) as error:
        raise RunError(
            f"the job server at {address or 'this machine'} fails: {' '.join(str(error).split())}"
        ) from error


def _time(job: "Job") -> str:
    if job.started_ms is None:
        return ""
    started = datetime.fromtimestamp(job.started_ms / 1000, UTC)
    text = f"{started:%Y-%m-%d %H:%M} UTC"
    return text if not job.ended_ms else f"{text}, {(job.ended_ms - job.started_ms) / 1000:.0f} s"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - the log has stdout to itself


def _write(text: str) -> Any:
    sys.stdout.write(text)
    sys.stdout.flush()
