"""The command ``guerdon smoke``."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guerdon import ConfigError

if TYPE_CHECKING:
    from guerdon_serving.smoke.result import Check

DEFAULT_LADDER = "1,4,16"


def smoke(
    url: Annotated[str, typer.Argument(help="The server, such as http://127.0.0.1:8080.", metavar="URL")],
    model: Annotated[str | None, typer.Option(help="The candidate; by default what the server serves.")] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(help="A model that it may not be worse than: NAME, or NAME=URL on another server; repeatable."),
    ] = None,
    data: Annotated[list[Path] | None, typer.Option(help="A manifest of your own prompts; repeatable.")] = None,
    builtin: Annotated[bool, typer.Option(help="Ask guerdon's own prompts too.")] = True,
    config: Annotated[Path | None, typer.Option(help="A run's YAML file, whose rewards judge the answers.")] = None,
    ladder: Annotated[str, typer.Option(help="Requests at a time, rung by rung.")] = DEFAULT_LADDER,
    requests: Annotated[int, typer.Option(help="Requests on each rung.", min=1)] = 24,
    max_tokens: Annotated[int, typer.Option(help="Limit of a completion.", min=1)] = 64,
    wait: Annotated[float, typer.Option(help="Seconds that the server may take to become ready.", min=0)] = 600.0,
    deadline: Annotated[float, typer.Option(help="Seconds that an answer may take.", min=0.1)] = 60.0,
    swap: Annotated[
        list[str] | None, typer.Option(help="A bundle below the server's --bundles, to load under load; repeatable.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the report as JSON.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write it as JUnit's XML.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write it as a page.")] = None,
) -> None:
    """Examine a served model before it goes live; exit 1 if anything failed or it got worse.

    Asks text, one image, several images and your own prompts, alone and many at a time, breaks off,
    changes adapters under load, and compares the model with others as they are served. The environment
    variable GUERDON_API_KEY is the server's key.
    """
    from guerdon_serving.smoke.run import smoke as run
    from guerdon_serving.smoke.settings import SmokeSettings
    from guerdon_serving.smoke.write import as_html, as_json, as_junit

    settings = SmokeSettings(
        url.rstrip("/"), model, dict(_rival(text, url.rstrip("/")) for text in against or ()), data or (),
        builtin, config, _rungs(ladder), requests, max_tokens, wait, deadline, swap or (),
        os.environ.get("GUERDON_API_KEY") or None,
    )  # fmt: skip
    report = run(settings, _tell)
    for file, form in ((json_file, as_json), (junit, as_junit), (html, as_html)):
        if file is not None:
            file.write_text(form(report), encoding="utf-8")
            typer.echo(f"wrote {file}")
    failed = sum(check.status == "failed" for check in report.checks)
    typer.echo(f"{failed} of {len(report.checks)} checks failed" if failed else f"passed: {len(report.checks)} checks")
    if not report.passed:
        raise typer.Exit(1)


def _tell(check: "Check") -> None:
    typer.echo(f"{check.status:8} {check.name}: {check.detail}")


def _rival(text: str, url: str) -> tuple[str, str]:
    name, _, other = text.partition("=")
    return name, other.rstrip("/") or url


def _rungs(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ConfigError(f"--ladder {text!r} must be numbers with commas, such as {DEFAULT_LADDER}") from None
