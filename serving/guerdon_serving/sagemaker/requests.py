"""The requests that bring a bundle into service: a base on an endpoint, the adapter as a component on it."""

import re
from dataclasses import dataclass
from typing import Any, Final

from guerdon import ConfigError
from guerdon_serving.bundle.read import Bundle
from guerdon_serving.codes import Code, RefusedError

VARIANT: Final = "main"
CHANNEL: Final = "base"
CHANNEL_FOLDER: Final = f"/opt/ml/additional-model-data-sources/{CHANNEL}"
"""Where SageMaker puts an additional data source."""
MAX_NAME: Final = 63


@dataclass(frozen=True, slots=True)
class Target:
    """Where a bundle goes."""

    name: str
    """Of the endpoint; everything else is named after it."""
    image: str
    """The serving image in ECR."""
    role: str
    """ARN of the execution role."""
    base_data: str
    """S3 prefix that holds the base's files, uncompressed."""
    bundle_data: str
    """S3 prefix that holds the bundle's folder, which the container starts with."""
    adapter_data: str
    """S3 address of the bundle as tar.gz, which becomes the adapter's component."""
    instance_type: str = "ml.g6e.2xlarge"
    instances: int = 1
    accelerators: int = 1
    memory_mb: int = 32768
    startup_s: int = 1800
    """For the container to answer ``/ping``; loading a large base takes minutes."""
    download_s: int = 1800
    """For 16 GB from S3."""
    engine: str = "vllm"


@dataclass(frozen=True, slots=True)
class Request:
    """One call of SageMaker's interface."""

    operation: str
    """As botocore names it, such as ``CreateModel``."""
    parameters: dict[str, Any]

    @property
    def command(self) -> str:
        """The command of ``aws sagemaker`` that sends it."""
        return re.sub(r"(?<!^)([A-Z])", r"-\1", self.operation).lower()


def build_requests(bundle: Bundle, target: Target) -> list[Request]:
    """Return the requests in the order in which they must be sent.

    Raises:
        ConfigError: a name that does not fit.
        RefusedError: vLLM was asked for, and the adapter must be merged.
    """
    plan = bundle.facts.serving
    if target.engine == "vllm" and plan.mode == "merge":
        raise RefusedError(Code.ENGINE_PLAN, f"the plan is to merge: {'; '.join(plan.reasons)}")
    names = {part: f"{target.name}-{part}" for part in ("model", "config", "base")}
    names["adapter"] = f"{target.name}-{bundle.digest12}"
    if longest := [name for name in names.values() if len(name) > MAX_NAME]:
        raise ConfigError(f"{longest[0]!r} has {len(longest[0])} characters, at most {MAX_NAME}; shorten --name")
    return [
        Request("CreateModel", _model(bundle, target, names["model"])),
        Request("CreateEndpointConfig", _endpoint_config(target, names["config"])),
        Request("CreateEndpoint", {"EndpointName": target.name, "EndpointConfigName": names["config"]}),
        Request("CreateInferenceComponent", _base_component(target, names)),
        Request("CreateInferenceComponent", _adapter_component(target, names)),
    ]


def _model(bundle: Bundle, target: Target, name: str) -> dict[str, Any]:
    environment = {
        "GUERDON_BASE": CHANNEL_FOLDER,
        "GUERDON_ENGINE": target.engine,
        "GUERDON_BUNDLE_ID": bundle.id,
    }
    container = {
        "Image": target.image,
        "ModelDataSource": {"S3DataSource": _prefix(target.bundle_data)},
        "AdditionalModelDataSources": [{"ChannelName": CHANNEL, "S3DataSource": _prefix(target.base_data)}],
        "Environment": environment,
    }
    return {"ModelName": name, "ExecutionRoleArn": target.role, "PrimaryContainer": container}


def _prefix(uri: str) -> dict[str, str]:
    return {"S3Uri": uri.rstrip("/") + "/", "S3DataType": "S3Prefix", "CompressionType": "None"}


def _endpoint_config(target: Target, name: str) -> dict[str, Any]:
    variant = {
        "VariantName": VARIANT,
        "InstanceType": target.instance_type,
        "InitialInstanceCount": target.instances,
        "ModelDataDownloadTimeoutInSeconds": target.download_s,
        "ContainerStartupHealthCheckTimeoutInSeconds": target.startup_s,
        "RoutingConfig": {"RoutingStrategy": "LEAST_OUTSTANDING_REQUESTS"},
    }
    return {"EndpointConfigName": name, "ExecutionRoleArn": target.role, "ProductionVariants": [variant]}


def _base_component(target: Target, names: dict[str, str]) -> dict[str, Any]:
    specification = {
        "ModelName": names["model"],
        "StartupParameters": {
            "ModelDataDownloadTimeoutInSeconds": target.download_s,
            "ContainerStartupHealthCheckTimeoutInSeconds": target.startup_s,
        },
        "ComputeResourceRequirements": {
            "NumberOfAcceleratorDevicesRequired": target.accelerators,
            "MinMemoryRequiredInMb": target.memory_mb,
        },
    }
    return {
        "InferenceComponentName": names["base"],
        "EndpointName": target.name,
        "VariantName": VARIANT,
        "Specification": specification,
        "RuntimeConfig": {"CopyCount": target.instances},
    }


def _adapter_component(target: Target, names: dict[str, str]) -> dict[str, Any]:
    """Describe the adapter: it runs in the base's container, so it asks for no resources of its own."""
    return {
        "InferenceComponentName": names["adapter"],
        "EndpointName": target.name,
        "Specification": {
            "BaseInferenceComponentName": names["base"],
            "Container": {"ArtifactUrl": target.adapter_data},
        },
    }
