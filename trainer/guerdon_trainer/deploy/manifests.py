"""RayJob, RayCluster and the ConfigMap with a run's files, as Kubernetes objects."""

import re
import shlex
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from guerdon import ConfigError
from guerdon.config import RunConfig
from guerdon_trainer.deploy import pods
from guerdon_trainer.deploy.target import Target

API = "ray.io/v1"
CONFIG_LIMIT = 900_000
"""Bytes; Kubernetes takes about a mebibyte in one ConfigMap."""

type Manifest = dict[str, Any]


def render_job(
    config: RunConfig, target: Target, files: Mapping[str, bytes], name: str, overrides: Sequence[str] = ()
) -> list[Manifest]:
    """Return a ConfigMap with the run's files and the RayJob that trains from it.

    A retry is a new cluster with the same command, which resumes: nothing in it removes a checkpoint.

    Args:
        config: the validated run.
        target: the cluster.
        files: the YAML file and its plugins, by their path in the ConfigMap.
        name: the YAML file's key in `files`.
        overrides: ``section.field=value``.

    Raises:
        ConfigError: a path of the run would not be there in the pods, or the files are too large.
    """
    _check_paths(config, target)
    label = object_name(config.run.name)
    entrypoint = shlex.join(["guerdon", "train", f"{pods.CONFIG_MOUNT}/{name}", *overrides])
    spec: Manifest = {
        "entrypoint": entrypoint,
        # The operator submits over HTTP: no further pod that pulls the image, none that Kueue cannot see.
        "submissionMode": "HTTPMode",
        "backoffLimit": target.retries,
        "shutdownAfterJobFinishes": True,
        "ttlSecondsAfterFinished": target.keep_finished_s,
        "rayClusterSpec": _cluster_spec(config, target, f"{label}-config"),
    }
    if target.deadline_s:
        spec["activeDeadlineSeconds"] = target.deadline_s
    return [
        _config_map(f"{label}-config", target, files),
        {"apiVersion": API, "kind": "RayJob", "metadata": _metadata(label, target, config), "spec": spec},
    ]


def render_cluster(config: RunConfig, target: Target) -> list[Manifest]:
    """Return a RayCluster of the run's size that stays, for ``guerdon jobs submit``."""
    label = object_name(config.run.name)
    spec = _cluster_spec(config, target, None)
    return [{"apiVersion": API, "kind": "RayCluster", "metadata": _metadata(label, target, config), "spec": spec}]


def object_name(run: str) -> str:
    """Return the run's name as Kubernetes spells names, short enough for what KubeRay appends."""
    return re.sub(r"[^a-z0-9]+", "-", run.lower()).strip("-")[:40].strip("-") or "run"


def _cluster_spec(config: RunConfig, target: Target, config_map: str | None) -> Manifest:
    runtime = config.runtime
    # SkyRL's policy and vLLM share the devices when they are colocated; otherwise each has its own.
    nodes = runtime.nodes if runtime.colocate else 2 * runtime.nodes
    return {
        "rayVersion": metadata.version("ray"),
        "headGroupSpec": {
            "rayStartParams": {
                "dashboard-host": "0.0.0.0",  # noqa: S104 - within the pod network; the service is no load balancer
                "num-gpus": "0",
                "metrics-export-port": str(pods.METRICS_PORT),
            },
            "template": pods.head(target, config_map),
        },
        "workerGroupSpecs": [
            {
                "groupName": "gpu",
                "replicas": nodes,
                "minReplicas": nodes,
                "maxReplicas": nodes,
                "rayStartParams": {"metrics-export-port": str(pods.METRICS_PORT)},
                "template": pods.worker(target, runtime.gpus_per_node),
            }
        ],
    }


def _metadata(label: str, target: Target, config: RunConfig) -> Manifest:
    labels = {"app.kubernetes.io/name": "guerdon", "guerdon/run": object_name(config.run.name)}
    if target.queue:
        labels["kueue.x-k8s.io/queue-name"] = target.queue
    if target.priority:
        labels["kueue.x-k8s.io/priority-class"] = target.priority
    return {"name": label, "namespace": target.namespace, "labels": labels}


def _config_map(name: str, target: Target, files: Mapping[str, bytes]) -> Manifest:
    if (size := sum(map(len, files.values()))) > CONFIG_LIMIT:
        raise ConfigError(f"configuration and plugins are {size} bytes, a ConfigMap holds {CONFIG_LIMIT}")
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": target.namespace},
        "data": {path: content.decode("utf-8") for path, content in files.items()},
    }


def _check_paths(config: RunConfig, target: Target) -> None:
    if config.runtime.backend != "cluster":
        raise ConfigError(f"runtime.backend is {config.runtime.backend}; pods with GPUs need cluster")
    model = config.model.name_or_path if config.model.revision is None else None
    places = {
        "runtime.output_dir": config.runtime.output_dir,
        "data.train_manifest": config.data.train_manifest,
        "data.eval_manifest": config.data.eval_manifest,
        "model.name_or_path": model,
    }
    for field, path in places.items():
        if path is not None and "://" not in path and not Path(path).is_relative_to(target.mount):
            raise ConfigError(
                f"{field}: {path} is not on {target.mount}, which is all that pods share and keep. Put it there and "
                f"say so, for example as an override: {field}={target.mount}/..."
            )
