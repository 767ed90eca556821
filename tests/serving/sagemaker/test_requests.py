"""Requests to SageMaker: built from a bundle, held to botocore's description, and taken by its stubbed client."""

import dataclasses
import json

import boto3
import pytest
import typer
from botocore.stub import Stubber
from typer.testing import CliRunner

from guerdon import BundleError, ConfigError
from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.commands import add_commands
from guerdon_serving.sagemaker.requests import CHANNEL_FOLDER, Target, build_requests
from guerdon_serving.sagemaker.validate import check_requests

TARGET = Target(
    name="chart-qa",
    image="123456789012.dkr.ecr.eu-central-1.amazonaws.com/guerdon-serve:0.1.0",
    role="arn:aws:iam::123456789012:role/sagemaker",
    base_data="s3://models/qwen3-vl-8b",
    bundle_data="s3://models/chart-qa/bundle",
    adapter_data="s3://models/chart-qa/bundle.tar.gz",
)
ARN = "arn:aws:sagemaker:eu-central-1:123456789012:x/chart-qa"
RESPONSES = {
    "CreateModel": {"ModelArn": ARN},
    "CreateEndpointConfig": {"EndpointConfigArn": ARN},
    "CreateEndpoint": {"EndpointArn": ARN},
    "CreateInferenceComponent": {"InferenceComponentArn": ARN},
}


def test_every_request_is_one_that_sagemaker_takes(bundle):
    requests = build_requests(bundle, TARGET)
    check_requests(requests)
    client = boto3.client("sagemaker", region_name="eu-central-1", aws_access_key_id="x", aws_secret_access_key="y")
    with Stubber(client) as stubber:
        for request in requests:
            method = request.command.replace("-", "_")
            stubber.add_response(method, RESPONSES[request.operation], request.parameters)
            getattr(client, method)(**request.parameters)
        stubber.assert_no_pending_responses()
    client.close()


def test_the_adapter_is_a_component_on_the_bases(bundle):
    model, config, endpoint, base, adapter = (request.parameters for request in build_requests(bundle, TARGET))
    container = model["PrimaryContainer"]
    assert container["Environment"] == {
        "GUERDON_BASE": CHANNEL_FOLDER, "GUERDON_ENGINE": "vllm", "GUERDON_BUNDLE_ID": bundle.id,
    }  # fmt: skip
    sources = [container["ModelDataSource"], *container["AdditionalModelDataSources"]]
    assert [source["S3DataSource"]["CompressionType"] for source in sources] == ["None", "None"]
    assert [source["S3DataSource"]["S3Uri"][-1] for source in sources] == ["/", "/"]
    variant = config["ProductionVariants"][0]
    assert (
        variant["ContainerStartupHealthCheckTimeoutInSeconds"] == variant["ModelDataDownloadTimeoutInSeconds"] == 1800
    )
    assert endpoint["EndpointConfigName"] == config["EndpointConfigName"]
    assert base["Specification"]["ModelName"] == model["ModelName"]
    assert adapter["Specification"] == {
        "BaseInferenceComponentName": base["InferenceComponentName"],
        "Container": {"ArtifactUrl": TARGET.adapter_data},
    }
    assert adapter["InferenceComponentName"] == f"chart-qa-{bundle.digest12}"
    assert "RuntimeConfig" not in adapter


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("role", "me", "ExecutionRoleArn"),
        ("instance_type", "ml.g99.huge", "InstanceType"),
        ("base_data", "/local/path", "S3Uri"),
        ("adapter_data", "bundle.tar.gz", "ArtifactUrl"),
        ("image", "", "Image"),
        ("image", "two words", "Image"),
        ("startup_s", 59, "ContainerStartupHealthCheckTimeoutInSeconds"),
        ("startup_s", 3601, "ContainerStartupHealthCheckTimeoutInSeconds"),
        ("memory_mb", 1, "MinMemoryRequiredInMb"),
        ("instances", "one", "InitialInstanceCount"),
        ("name", "chart_qa", "EndpointName"),
    ],
)
def test_what_sagemaker_would_refuse_is_refused_here(bundle, field, value, said):
    with pytest.raises(ConfigError, match=said):
        check_requests(build_requests(bundle, dataclasses.replace(TARGET, **{field: value})))


def test_names_fit(bundle):
    with pytest.raises(ConfigError, match="at most 63"):
        build_requests(bundle, dataclasses.replace(TARGET, name="a" * 60))


def test_a_plan_to_merge_does_not_go_to_vllm(bundle):
    plan = bundle.facts.serving.model_copy(update={"mode": "merge", "reasons": ["the tower is adapted"]})
    other = dataclasses.replace(bundle, facts=bundle.facts.model_copy(update={"serving": plan}))
    with pytest.raises(RefusedError, match="the tower is adapted") as caught:
        build_requests(other, TARGET)
    assert caught.value.code is Code.ENGINE_PLAN
    check_requests(build_requests(other, dataclasses.replace(TARGET, engine="transformers")))


def test_the_command_writes_what_aws_takes_and_sends_nothing(bundle, tmp_path):
    app = typer.Typer()
    add_commands(app)
    options = {
        "--name": TARGET.name, "--image": TARGET.image, "--role": TARGET.role, "--base-data": TARGET.base_data,
        "--bundle-data": TARGET.bundle_data, "--adapter-data": TARGET.adapter_data,
    }  # fmt: skip
    arguments = ["bundle", "deploy", str(bundle.folder), *(text for pair in options.items() for text in pair)]
    result = CliRunner().invoke(app, [*arguments, "--dry-run", "-o", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    files = sorted((tmp_path / "out").iterdir())
    assert [file.name for file in files] == [
        "1-create-model.json", "2-create-endpoint-config.json", "3-create-endpoint.json",
        "4-create-inference-component.json", "5-create-inference-component.json",
    ]  # fmt: skip
    written = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    assert written == [request.parameters for request in build_requests(bundle, TARGET)]
    assert isinstance(CliRunner().invoke(app, arguments).exception, BundleError)
