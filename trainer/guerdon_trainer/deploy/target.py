"""The cluster that manifests are for: one YAML file beside the runs."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, PositiveInt, ValidationError, field_validator, model_validator

from guerdon import ConfigError
from guerdon.config.problems import describe
from guerdon.config.sections import Section
from guerdon.yaml import load_yaml

IMAGE = re.compile(r"[^\s@]+@sha256:[0-9a-f]{64}")
IMAGE_FILE = "image.json"
"""What ``build.sh`` writes: the pushed image with its digest."""

EFA_DEVICES: Mapping[str, int] = {
    "ml.p5en.48xlarge": 16,
    "ml.p5.48xlarge": 32,
    "ml.p4d.24xlarge": 4,
    "ml.p4de.24xlarge": 4,
}
"""Elastic Fabric Adapters of an instance type with eight GPUs, by AWS's tables of instance types."""

type Label = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]


class Target(Section):
    """Where a run's pods go and what they get."""

    image: str
    """The container image with its digest: ``registry/guerdon@sha256:...``."""

    namespace: Label = "default"
    instance_type: str = Field("ml.p5en.48xlarge", pattern=r"^ml\.[a-z0-9.-]+$")
    """Of the workers, with SageMaker's ``ml.`` before it."""

    head_instance_type: str | None = Field(None, pattern=r"^ml\.[a-z0-9.-]+$")
    """Of the head, which needs no GPU; any healthy node by default."""

    efa_devices: Annotated[int, Field(ge=0)] | None = None
    """Fabric adapters of a worker; known for p4d, p4de, p5 and p5en."""

    worker_cpus: PositiveInt = 160
    worker_memory_gib: PositiveInt = 1600
    head_cpus: PositiveInt = 16
    """Rewards are scored where the driver runs: on the head."""

    head_memory_gib: PositiveInt = 64
    shared_memory_gib: PositiveInt = 200
    """``/dev/shm`` of a worker: Ray's object store and NCCL live there."""

    claim: Label = "fsx-claim"
    """The volume claim that all pods share: models, data, checkpoints."""

    mount: str = Field("/fsx", pattern=r"^/[A-Za-z0-9._/-]+$")
    service_account: Label = "guerdon-trainer"
    """Carries the IAM role (IRSA)."""

    queue: Label | None = None
    """Task governance: Kueue's local queue, such as ``hyperpod-ns-TEAM-localqueue``."""

    priority: Label | None = None
    """Kueue's priority class."""

    topology: str | None = None
    """Keep workers together, such as ``topology.k8s.aws/network-node-layer-2``."""

    secret: Label | None = None
    """A Kubernetes secret whose keys become variables: HF_TOKEN, WANDB_API_KEY."""

    retries: Annotated[int, Field(ge=0, le=20)] = 3
    """New clusters for a run that failed, each of which resumes from the newest checkpoint."""

    deadline_s: PositiveInt | None = None
    """Seconds after which the job is stopped for good."""

    keep_finished_s: PositiveInt = 3600
    """Seconds until a finished job's objects are removed."""

    grace_s: PositiveInt = 120
    """Seconds from SIGTERM to SIGKILL, in which a run saves."""

    @field_validator("image")
    @classmethod
    def _pinned(cls, value: str) -> str:
        if not IMAGE.fullmatch(value):
            raise ValueError("an image needs its digest, registry/name@sha256:<64 hex>; build.sh prints it")
        return value

    @model_validator(mode="after")
    def _knows_its_adapters(self) -> "Target":
        if self.efa_devices is None and self.instance_type not in EFA_DEVICES:
            known = ", ".join(EFA_DEVICES)
            raise ValueError(f"efa_devices is not known for {self.instance_type}, only for {known}; give it, or 0")
        return self

    @property
    def adapters(self) -> int:
        """Fabric adapters of a worker."""
        return EFA_DEVICES[self.instance_type] if self.efa_devices is None else self.efa_devices


def load_target(path: Path, image: str | None = None) -> Target:
    """Read the file; without `image` anywhere, take it from the ``image.json`` beside it.

    Raises:
        ConfigError: names each wrong field.
    """
    data: dict[str, Any] = load_yaml(path)
    beside = path.parent / IMAGE_FILE
    if image is not None:
        data["image"] = image
    elif "image" not in data and beside.is_file():
        data["image"] = _built(beside)
    try:
        return Target.model_validate(data)
    except ValidationError as error:
        raise ConfigError(f"{path} is not valid:\n" + "\n".join(describe(error, data))) from None


def _built(path: Path) -> str:
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["image"])
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} names no image; build.sh writes it") from error
