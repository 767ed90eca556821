"""The command line: few verbs; knobs live in YAML."""

import inspect
import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from guerdon.errors import GuerdonError

app = typer.Typer(name="guerdon", no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)
config_app = typer.Typer(no_args_is_help=True, help="Look at configurations.")
rewards_app = typer.Typer(no_args_is_help=True, help="Look at rewards.")
app.add_typer(config_app, name="config")
app.add_typer(rewards_app, name="rewards")

Plugin = Annotated[list[Path] | None, typer.Option("--plugin", help="A Python file with rewards; repeatable.")]
Overrides = Annotated[list[str] | None, typer.Argument(help="section.field=value", metavar="[KEY=VALUE]...")]


@config_app.command("schema")
def config_schema(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write there instead of printing.")] = None,
    plugin: Plugin = None,
) -> None:
    """Print the JSON Schema of the YAML file, installed rewards included."""
    from guerdon.config.schema import json_schema
    from guerdon.plugins import load_plugins

    text = json.dumps(json_schema(load_plugins(plugin or [])), indent=2)
    if output:
        output.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)


@config_app.command("explain")
def config_explain(config: Path, overrides: Overrides = None) -> None:
    """Show each field: its value, where that comes from, and what it becomes in SkyRL."""
    from guerdon.config import advice, load_config
    from guerdon.config.explain import explain

    loaded, plugins = load_config(config, overrides or [])
    table = Table("field", "value", "from", "becomes", title=str(config))
    for row in explain(loaded, plugins, overrides or []):
        table.add_row(*map(escape, row))
    console = Console()
    console.print(table)
    for line in advice(loaded):
        console.print(f"advice: {line}", highlight=False, markup=False)


@rewards_app.command("list")
def rewards_list(plugin: Plugin = None) -> None:
    """List installed rewards with origin, version and code hash, and plugins that fail to load."""
    from guerdon.plugins import load_plugins

    plugins = load_plugins(plugin or [])
    table = Table("reward", "origin", "version", "code", "summary")
    for name, entry in sorted(plugins.rewards.items()):
        summary = (entry.reward.__doc__ or "").strip().partition("\n")[0]
        table.add_row(name, escape(entry.origin), entry.version, entry.code_hash[:12], escape(summary))
    Console().print(table)
    for failure in plugins.failures:
        print(f"failed to load: {failure.entry_point} of {failure.origin}: {failure.error}", file=sys.stderr)
    if plugins.failures:
        raise typer.Exit(1)


@rewards_app.command("explain")
def rewards_explain(name: str, plugin: Plugin = None) -> None:
    """Print what a reward judges, its range, and its fields."""
    from guerdon.plugins import load_plugins

    entry = load_plugins(plugin or []).entry(name)
    console = Console()
    console.print(f"[bold]{name}[/bold]  from {escape(entry.origin)} {entry.version}\n")
    console.print(inspect.cleandoc(entry.reward.__doc__ or ""), markup=False, highlight=False, soft_wrap=True)
    low, high = entry.reward.value_range
    console.print(f"\nvalues from {low:g} to {high:g}\n")
    table = Table("field", "default", "meaning")
    for field, info in entry.reward.model_fields.items():
        default = "required" if info.is_required() else repr(info.get_default(call_default_factory=True))
        table.add_row(field, escape(default), escape(info.description or ""))
    console.print(table)


def build() -> typer.Typer:
    """Return the command line with every command: core's, then those of plugins."""
    from guerdon.audit.commands import register as audit
    from guerdon.comparison.commands import register as compare
    from guerdon.importers.commands import register as importers
    from guerdon.plugins import load_plugins
    from guerdon.report.commands import register as report
    from guerdon.rescoring.commands import register as score
    from guerdon.scaffold.commands import register as scaffold
    from guerdon.testing.commands import register as check
    from guerdon.view.commands import register as view

    for register in (report, audit, compare, score, view, importers):
        register(app)
    for register in (scaffold, check):
        register(rewards_app)
    load_plugins().manager.hook.register_commands(app=app)
    return app


def main() -> None:
    """Run the command line; an error of ours is a message, not a traceback."""
    try:
        build()()
    except GuerdonError as error:
        print(f"guerdon: {error}", file=sys.stderr)
        raise SystemExit(2) from None
