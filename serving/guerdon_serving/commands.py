"""The commands ``guerdon bundle ...``, ``guerdon serve`` and ``guerdon smoke``."""

import json
import os
import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.table import Table

from guerdon import BundleError
from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.sagemaker.commands import deploy
from guerdon_serving.smoke.commands import smoke

bundle_app = typer.Typer(no_args_is_help=True, help="Export, inspect, verify, merge, sign and deploy bundles.")
bundle_app.command("deploy")(deploy)

BundleFolder = Annotated[Path, typer.Argument(help="The bundle's folder.", metavar="BUNDLE")]
BaseFolder = Annotated[Path | None, typer.Option("--base", help="The base's folder, where it is not found by itself.")]


class Level(StrEnum):
    """How deep a verification goes."""

    STATIC = "static"
    LOAD = "load"
    SERVE = "serve"


class MergedAs(StrEnum):
    """What merged weights are cast to."""

    BASE = "base"
    FLOAT32 = "float32"


class EngineName(StrEnum):
    """What runs the model."""

    TRANSFORMERS = "transformers"
    VLLM = "vllm"


class Precision(StrEnum):
    """What is computed in."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"


def add_commands(app: typer.Typer) -> None:
    """Add all to the command line."""
    app.add_typer(bundle_app, name="bundle")
    app.command("serve")(serve)
    app.command("smoke")(smoke)


@bundle_app.command("export")
def export(
    run: Annotated[Path, typer.Argument(help="The run's folder.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The bundle's folder; RUN/bundle by default.")
    ] = None,
    step: Annotated[str | None, typer.Option(help="A checkpoint's step, or `best` by the held-out outcome.")] = None,
    base: BaseFolder = None,
    with_base: Annotated[bool, typer.Option("--with-base", help="Put the base's weights into the bundle.")] = False,
    allow_dirty: Annotated[
        bool, typer.Option("--allow-dirty", help="Accept reward code that is in no commit.")
    ] = False,
    tar: Annotated[Path | None, typer.Option(help="Write a .tar.gz of the bundle as well.")] = None,
) -> None:
    """Export a run's adapter with its whole provenance."""
    offline()
    from guerdon_serving.bundle.archive import pack
    from guerdon_serving.export import export_bundle

    bundle = export_bundle(run, output, step=_step(step), base=base, with_base=with_base, allow_dirty=allow_dirty)
    typer.echo(f"{bundle.folder}  {bundle.id}")
    if tar:
        typer.echo(pack(bundle, tar))


@bundle_app.command("inspect")
def inspect(
    bundle: BundleFolder,
    as_json: Annotated[bool, typer.Option("--json", help="Print bundle.json.")] = False,
) -> None:
    """Show what a bundle says of itself; nothing is verified but bundle.json."""
    from guerdon_serving.bundle.read import open_bundle

    opened = open_bundle(bundle)
    if as_json:
        typer.echo(json.dumps(opened.facts.model_dump(mode="json"), indent=2, sort_keys=True))
        return
    table = Table("", "", title=str(bundle), show_header=False)
    for name, value in _overview(opened):
        table.add_row(name, value)
    Console().print(table)


@bundle_app.command("verify")
def verify(
    bundle: BundleFolder,
    level: Annotated[
        Level, typer.Option(help="static: files and tensors; load: run it; serve: ask a server.")
    ] = Level.LOAD,
    base: BaseFolder = None,
    expected_id: Annotated[str | None, typer.Option("--id", help="The id that it must have, or its beginning.")] = None,
    url: Annotated[str | None, typer.Option(help="The server that level `serve` asks.")] = None,
    model: Annotated[str | None, typer.Option(help="Name to ask the server for.")] = None,
    public_key: Annotated[Path | None, typer.Option(help="It must be signed by this key (PEM).")] = None,
    signature: Annotated[Path | None, typer.Option(help="The signature; BUNDLE.sig by default.")] = None,
) -> None:
    """Verify a bundle; what is wrong is named by a code, with its remedy."""
    offline()
    if public_key:
        from guerdon_serving.bundle.read import open_bundle
        from guerdon_serving.bundle.sign import check_signature

        typer.echo(f"ok: {check_signature(open_bundle(bundle), public_key, signature)} signs it")
    from guerdon_serving.verify import verify_load, verify_static

    if level is Level.SERVE:
        from guerdon_serving.client import verify_serve

        if url is None:
            raise BundleError("level serve needs --url, such as http://127.0.0.1:8080")
        gap = verify_serve(bundle, url, model=model, api_key=os.environ.get("GUERDON_API_KEY"))
        typer.echo(f"ok: {url} answers the probes as recorded (largest difference {gap:.2g})")
    elif level is Level.LOAD:
        loaded = verify_load(bundle, base=base, expected_id=expected_id)
        typer.echo(
            f"ok: {loaded.bundle.id} loads and answers the probes as recorded (largest difference {loaded.gap:.2g})"
        )
    else:
        typer.echo(f"ok: {verify_static(bundle, expected_id=expected_id).id} is whole; it was not loaded")


@bundle_app.command("sign")
def sign(
    bundle: BundleFolder,
    key: Annotated[Path, typer.Option(help="Elliptic private key (PEM); GUERDON_KEY_PASSWORD opens it.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The signature; BUNDLE.sig by default.")] = None,
) -> None:
    """Sign a bundle that verifies; `verify --public-key` checks it."""
    from guerdon_serving.bundle.sign import sign as write
    from guerdon_serving.verify import verify_static

    password = os.environ.get("GUERDON_KEY_PASSWORD")
    typer.echo(write(verify_static(bundle), key, output, password=password))


@bundle_app.command("merge")
def merge(
    bundle: BundleFolder,
    output: Annotated[Path, typer.Option("--output", "-o", help="A new folder for the merged model.")],
    base: BaseFolder = None,
    dtype: Annotated[MergedAs, typer.Option(help="Cast to the base's own dtype, or leave fp32.")] = MergedAs.BASE,
) -> None:
    """Merge the adapter into the base's weights, in fp32, cast once."""
    offline()
    from guerdon_serving.merge import merge_bundle

    report = merge_bundle(bundle, output, base=base, dtype=dtype.value)
    typer.echo(
        f"{output}: {report.modules} matrices merged; the cast undid {report.swallowed_share:.2%} of the updates, "
        f"moved entries by at most {report.cast_error:.2g}, the probes' log-probabilities by {report.probe_gap:.2g}"
    )


@bundle_app.command("plan")
def plan(bundle: BundleFolder) -> None:
    """Say whether vLLM can load the adapter beside its base, why, and with which flags."""
    from guerdon_serving.bundle.plan import vllm_arguments
    from guerdon_serving.bundle.read import open_bundle

    serving = open_bundle(bundle).facts.serving
    typer.echo(serving.mode)
    for reason in serving.reasons:
        typer.echo(f"  {reason}")
    if arguments := vllm_arguments(serving):
        typer.echo(f"vllm serve BASE {' '.join(arguments)} --lora-modules NAME={bundle / 'adapter'}")


def serve(
    bundle: BundleFolder,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 is any free one.", min=0, max=65535)] = 8080,
    base: BaseFolder = None,
    expected_id: Annotated[str | None, typer.Option("--id", help="The id that it must have, or its beginning.")] = None,
    alias: Annotated[str | None, typer.Option(help="Name of the adapter; by default the run's.")] = None,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    dtype: Annotated[
        Precision | None, typer.Option(help="Arithmetic; by default float32, and bfloat16 for vLLM.")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Threads of torch.", min=1)] = None,
    max_rows: Annotated[int, typer.Option(help="Completions of one batch.", min=1)] = 8,
    max_waiting: Annotated[int, typer.Option(help="Further requests that may wait; beyond them 429.", min=0)] = 64,
    deadline: Annotated[float, typer.Option(help="Seconds that a request may take; then 504.", min=0.1)] = 55.0,
    temperature: Annotated[float, typer.Option(help="Of requests that do not say; 0 is greedy.", min=0)] = 0.0,
    bundles: Annotated[Path | None, typer.Option(help="POST /adapters may load bundles below it.")] = None,
    engine: Annotated[EngineName, typer.Option(help="What runs the model.")] = EngineName.TRANSFORMERS,
    vllm_args: Annotated[str, typer.Option(help="Further arguments of vllm serve, as a shell would read them.")] = "",
) -> None:
    """Serve a bundle on its base: OpenAI's chat completions with images, /ping, /invocations, /adapters.

    The environment variable GUERDON_API_KEY, if set, is the key that requests must bear.
    """
    offline()
    from guerdon_serving.server.run import serve as run
    from guerdon_serving.server.settings import Settings

    settings = Settings(
        bundle, base, expected_id, alias, host, port,
        dtype=dtype.value if dtype else _dtype(engine), device=device, threads=threads,
        max_rows=max_rows, max_waiting=max_waiting,
        deadline_s=deadline, temperature=temperature, bundles=bundles,
        api_key=os.environ.get("GUERDON_API_KEY") or None,
        engine=engine.value, vllm_arguments=tuple(shlex.split(vllm_args)),
    )  # fmt: skip
    run(settings, lambda address, model: typer.echo(f"ready: {model} at {address}"))


def offline() -> None:
    """Let no library look for anything on the hub: bundles and bases are on disk. Call before importing torch."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")


def _dtype(engine: EngineName) -> Literal["float32", "bfloat16"]:
    return "bfloat16" if engine is EngineName.VLLM else "float32"


def _step(value: str | None) -> int | Literal["best"] | None:
    if value is None or value == "best":
        return value  # type: ignore[return-value] # mypy does not narrow str to its literal
    if not value.isdecimal():
        raise RefusedError(Code.RUN_STEP, f"--step is {value!r}, neither a number nor best")
    return int(value)


def _overview(opened: Any) -> list[tuple[str, str]]:
    facts = opened.facts
    adapter = facts.adapter
    return [
        ("id", opened.id),
        ("run", f"{facts.run.name}, step {facts.run.step}, seed {facts.run.seed}, for {facts.run.outcome}"),
        ("base", f"{facts.base.repo} at {facts.base.revision}"),
        (
            "adapter",
            f"{adapter.tensors} tensors, rank {adapter.r_max}, {adapter.dtype}, update {adapter.norms.update:g}",
        ),
        ("modules", ", ".join(f"{group} {count}" for group, count in adapter.groups.items() if count)),
        ("rewards", ", ".join(f"{name} ({reward.plugin} {reward.version})" for name, reward in facts.rewards.items())),
        ("data", ", ".join(f"{data.split} {data.name} {data.sha256[:12]}" for data in facts.data)),
        ("serving", f"{facts.serving.mode}: {'; '.join(facts.serving.reasons)}"),
        ("probes", ", ".join(f"{name} {probe.delta:.3g}" for name, probe in facts.probes.items())),
        ("versions", ", ".join(f"{name} {version}" for name, version in facts.run.versions.items())),
    ]
