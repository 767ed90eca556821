"""The command ``guerdon bundle deploy``."""

import json
from pathlib import Path
from typing import Annotated

import typer

from guerdon import BundleError


def deploy(
    bundle: Annotated[Path, typer.Argument(help="The bundle's folder.", metavar="BUNDLE")],
    name: Annotated[str, typer.Option(help="Name of the endpoint.")],
    image: Annotated[str, typer.Option(help="The serving image in ECR.")],
    role: Annotated[str, typer.Option(help="ARN of the execution role.")],
    base_data: Annotated[str, typer.Option(help="S3 prefix with the base's files.")],
    bundle_data: Annotated[str, typer.Option(help="S3 prefix with the bundle's folder.")],
    adapter_data: Annotated[str, typer.Option(help="S3 address of the bundle as .tar.gz.")],
    instance_type: Annotated[str, typer.Option(help="Machine.")] = "ml.g6e.2xlarge",
    instances: Annotated[int, typer.Option(help="How many.", min=1)] = 1,
    engine: Annotated[str, typer.Option(help="vllm or transformers.")] = "vllm",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Build and check the requests; send nothing.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A folder for one JSON file each.")] = None,
) -> None:
    """Build the requests that bring a bundle onto a SageMaker endpoint, checked against botocore's description.

    Nothing is sent: each file suits ``aws sagemaker COMMAND --cli-input-json file://FILE``.
    """
    from guerdon_serving.sagemaker.requests import Target, build_requests
    from guerdon_serving.sagemaker.validate import check_requests
    from guerdon_serving.verify import verify_static

    if not dry_run:
        raise BundleError("guerdon sends nothing to AWS itself: give --dry-run, and send the requests with aws")
    target = Target(name, image, role, base_data, bundle_data, adapter_data, instance_type, instances, engine=engine)
    requests = build_requests(verify_static(bundle), target)
    check_requests(requests)
    for number, request in enumerate(requests, 1):
        text = json.dumps(request.parameters, indent=2) + "\n"
        if output is None:
            typer.echo(f"# aws sagemaker {request.command}\n{text}")
            continue
        output.mkdir(parents=True, exist_ok=True)
        file = output / f"{number}-{request.command}.json"
        file.write_text(text, encoding="utf-8")
        typer.echo(f"aws sagemaker {request.command} --cli-input-json file://{file}")
