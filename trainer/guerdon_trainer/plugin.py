"""The trainer's commands and its answers to ``guerdon config explain``."""

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guerdon import PluginError, Plugins, hookimpl
from guerdon.config import RunConfig
from guerdon_trainer.doctor.commands import doctor
from guerdon_trainer.jobs.commands import app as jobs
from guerdon_trainer.preflight.commands import preflight

if TYPE_CHECKING:
    from rich.console import Console

INSTALL = "pip install 'guerdon[trainer]'"
NEEDS = ("skyrl", "ray", "torch", "transformers", "peft", "loguru")


@hookimpl
def register_commands(app: typer.Typer) -> None:
    """Add the commands that train, and look at what is to be trained with."""
    app.command("train")(train)
    app.command("evaluate")(evaluate)
    app.command("demo")(demo)
    app.command("doctor")(doctor)
    app.command("preflight")(preflight)
    app.add_typer(jobs, name="jobs")


@hookimpl
def explain_config(config: RunConfig) -> Mapping[str, str]:
    """Say what each field becomes in SkyRL."""
    from guerdon_trainer.skyrl_settings import explain

    return explain(config)


def train(
    config: Path,
    overrides: Annotated[list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="section.field=value")] = None,
) -> None:
    """Train as CONFIG says; the same command resumes an interrupted run."""
    _train(config, overrides or [])


def evaluate(
    config: Path,
    overrides: Annotated[list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="section.field=value")] = None,
    adapter: Annotated[
        Path | None, typer.Option(help="Folder of a LoRA adapter; none evaluates the model itself.")
    ] = None,
) -> None:
    """Sample and score the held-out prompts of CONFIG without training: the base, or the model after SFT.

    The ledger lies below runtime.output_dir, in a folder of its own: give another run.name.
    """
    from rich.console import Console

    from guerdon.report.terminal import print_summary
    from guerdon_trainer.launch import evaluate as run

    console = Console()
    loaded, plugins = _load(config, overrides or [], console)
    folder = run(loaded, plugins, adapter)
    print_summary(folder.path, console)
    console.print(f"ledger: {folder.ledger}", highlight=False, markup=False, soft_wrap=True)


def demo(
    output: Annotated[Path, typer.Option(help="Folder for data, model and run.")] = Path("runs/demo"),
    steps: Annotated[int | None, typer.Option(min=1, help="Training steps; the configuration's by default.")] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    hacked: Annotated[bool, typer.Option("--hacked", help="Pay form and brevity, only watch the answer.")] = False,
    overrides: Annotated[list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="section.field=value")] = None,
) -> None:
    """Train a small vision-language model on real pictures with five rewards, on this machine's CPU."""
    from rich.console import Console

    from guerdon_trainer.quickstart.demo import CONFIG, HACKED, prepare

    paid = (
        "Form and brevity are paid, answer and boxes only watched" if hacked else "Five rewards judge every completion"
    )
    Console().print(
        "GRPO on easy-VQA: a small Qwen3-VL that can answer after SFT, but not reliably.\n"
        f"{paid}: answer, boxes, shape, brief, safe.",
        highlight=False,
    )
    config = prepare(output, seed=seed, source=HACKED if hacked else CONFIG)
    changes = [f"run.seed={seed}", *([f"runtime.steps={steps}", f"runtime.eval_interval={steps}"] if steps else [])]
    run = _train(config, [*changes, f"runtime.output_dir={json.dumps(str(output))}", *(overrides or [])])
    _finish(run, output / "data" / "eval.jsonl")


def _finish(run: Path, manifest: Path) -> None:
    """Write the report, export the bundle, serve it and ask one question."""
    from rich.console import Console

    from guerdon.report.page import write_report
    from guerdon_trainer.quickstart.finish import ask, guerdon, held_out_picture, served

    console = Console(soft_wrap=True, highlight=False)
    console.print(f"report:  {write_report(run)}", markup=False)
    guerdon("bundle", "export", str(run), "--output", str(run / "bundle"), "--allow-dirty")
    console.print(f"bundle:  {run / 'bundle'}", markup=False)
    with served(run / "bundle") as url:
        answered = ask(url, run.name, held_out_picture(manifest))
    console.print(f"served as {answered.model}, asked about a held-out picture:", markup=False)
    console.print(f"  question  {answered.question}", markup=False)
    console.print(f"  answer    {answered.answer}", markup=False)
    console.print(f"  truth     {answered.truth}", markup=False)


def _train(path: Path, overrides: list[str]) -> Path:
    from rich.console import Console

    console = Console()
    config, plugins = _load(path, overrides, console)
    from guerdon.report.terminal import print_summary
    from guerdon_trainer.launch import train as run
    from guerdon_trainer.progress import TerminalProgress

    components = tuple(config.rewards)
    with TerminalProgress(
        console, steps=config.runtime.steps, components=components, outcome=config.outcome
    ) as progress:
        folder = run(config, plugins, [progress])
    print_summary(folder.path, console)
    console.print(f"adapter: {folder.adapter}", highlight=False, markup=False, soft_wrap=True)
    return folder.path


def _load(path: Path, overrides: list[str], console: "Console") -> tuple[RunConfig, Plugins]:
    """Read the configuration, print advice, and say what is not installed."""
    from guerdon.config import advice, load_config

    config, plugins = load_config(path, overrides)
    for line in advice(config):
        console.print(f"advice: {line}", highlight=False, markup=False, soft_wrap=True)
    missing = [name for name in NEEDS if importlib.util.find_spec(name) is None]
    if missing:
        raise PluginError(f"training needs {', '.join(missing)}, which is not installed: {INSTALL}")
    return config, plugins
