"""The command ``guerdon jobs render``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from guerdon import ConfigError


def render(
    config: Annotated[Path, typer.Argument(metavar="CONFIG")],
    overrides: Annotated[list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="section.field=value")] = None,
    cluster: Annotated[
        Path, typer.Option("--cluster", help="YAML file about the cluster: namespace, instance type, queue, ...")
    ] = Path("cluster.yaml"),
    image: Annotated[str | None, typer.Option(help="NAME@sha256:...; else that file's, or image.json's.")] = None,
    standing: Annotated[bool, typer.Option("--standing", help="A RayCluster that stays, for `jobs submit`.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write there instead of printing.")] = None,
) -> None:
    """Print the manifests of a run for KubeRay on HyperPod: kubectl apply -f takes them."""
    text = _manifests(config, overrides or [], cluster, image, standing=standing)
    if output:
        output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")  # noqa: T201 - for kubectl apply -f -


def dashboards(
    config: Annotated[Path, typer.Argument(metavar="CONFIG")],
    output: Annotated[Path, typer.Argument(metavar="FOLDER")],
    region: Annotated[str, typer.Option(envvar="AWS_REGION", help="Of CloudWatch.")] = "us-east-1",
    topic: Annotated[str | None, typer.Option(help="ARN of the SNS topic that alarms notify.")] = None,
) -> None:
    """Write a run's dashboards for Grafana and CloudWatch, and its alarms."""
    from guerdon.config import load_config
    from guerdon_trainer.deploy.observe import write_dashboards

    for path in write_dashboards(load_config(config)[0], output, region=region, topic=topic):
        print(path)  # noqa: T201 - for the next command


def _manifests(path: Path, overrides: Sequence[str], cluster: Path, image: str | None, *, standing: bool) -> str:
    from guerdon.config import load_config
    from guerdon_trainer.deploy.manifests import render_cluster, render_job
    from guerdon_trainer.deploy.target import load_target
    from guerdon_trainer.jobs.secrets import refuse_keys

    config, plugins = load_config(path, overrides)
    target = load_target(cluster, image)
    if standing:
        return _yaml(render_cluster(config, target))
    files = {path.name: path.read_bytes()}
    for file in plugins.files:
        files[_key(Path(file.path), path)] = file.source
    for name, content in files.items():
        refuse_keys(content.decode("utf-8"), name)
    refuse_keys(" ".join(overrides), "the command line")
    return _yaml(render_job(config, target, files, path.name, overrides))


def _key(file: Path, config: Path) -> str:
    """Return a plugin's key in the ConfigMap, which has no folders."""
    if file.resolve().parent != config.resolve().parent:
        raise ConfigError(f"plugins: {file} must lie beside {config.name}: a ConfigMap has no folders")
    return file.name


def _yaml(manifests: Sequence[dict[str, Any]]) -> str:
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes files within a manifest as they read."""

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)

    Dumper.add_representer(str, text)
    return yaml.dump_all(manifests, Dumper=Dumper, sort_keys=False, width=120)
