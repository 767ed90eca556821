"""Rendered manifests: KubeRay's schema where it is at hand, and rules that hold everywhere."""

import functools
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from guerdon import ConfigError
from guerdon.config import build_config
from guerdon_trainer.deploy import render_cluster, render_job
from guerdon_trainer.deploy.manifests import object_name
from guerdon_trainer.deploy.target import Target

IMAGE = f"1.dkr.ecr.us-west-2.amazonaws.com/guerdon-trainer@sha256:{'a1' * 32}"
CRDS = os.environ.get("GUERDON_CRDS")
"""Folder with KubeRay's ``ray.io_rayjobs.yaml`` and ``ray.io_rayclusters.yaml`` (ray-project/kuberay, Apache-2.0)."""

FULL = {
    "queue": "hyperpod-ns-vision-localqueue",
    "priority": "training-priority",
    "topology": "topology.k8s.aws/network-node-layer-2",
    "secret": "guerdon-keys",
    "deadline_s": 86400,
    "head_instance_type": "ml.m5.8xlarge",
}


def run(**sections):
    data: dict[str, Any] = {
        "run": {"name": "Chart_QA.v1"},
        "model": {"name_or_path": "/fsx/models/m"},
        "runtime": {
            "backend": "cluster",
            "nodes": 2,
            "gpus_per_node": 8,
            "per_device_batch_size": 4,
            "output_dir": "/fsx/runs",
        },
        "data": {"train_manifest": "/fsx/data/train.jsonl", "eval_manifest": "s3://bucket/eval.jsonl"},
        "outcome": "answer",
        "rewards": {"answer": {"use": "correctness"}},
    }
    for name, fields in sections.items():
        data[name] = {**data[name], **fields}
    return build_config(data)[0]


def target(**fields):
    return Target.model_validate({"image": IMAGE, "namespace": "hyperpod-ns-vision"} | fields)


FILES = {"run.yaml": b"run: {name: x}\n"}


@pytest.fixture(params=[{}, FULL], ids=["least", "full"])
def job(request):
    return render_job(run(), target(**request.param), FILES, "run.yaml", ["runtime.steps=9"])[1]


@pytest.fixture(params=[{}, FULL], ids=["least", "full"])
def cluster(request):
    (manifest,) = render_cluster(run(), target(**request.param))
    return manifest


def pods(manifest):
    spec = manifest["spec"].get("rayClusterSpec", manifest["spec"])
    return spec["headGroupSpec"]["template"], spec["workerGroupSpecs"][0]["template"]


@functools.cache
def schema(kind):
    """KubeRay's schema of a kind in v1, closed: a field that it does not name is wrong."""
    if CRDS is None:
        pytest.skip("GUERDON_CRDS names no folder with KubeRay's resource definitions")
    text = (Path(CRDS) / f"ray.io_{kind}.yaml").read_text(encoding="utf-8")
    definition = yaml.load(text, Loader=yaml.CSafeLoader)
    (version,) = (each for each in definition["spec"]["versions"] if each["name"] == "v1")
    closed = version["schema"]["openAPIV3Schema"]
    close(closed)
    closed["properties"]["metadata"] = {"type": "object"}
    return closed


def close(node):
    """Close every object that names its properties, and take Kubernetes' int-or-string for what it is."""
    if isinstance(node, list):
        for each in node:
            close(each)
    elif isinstance(node, dict):
        if node.pop("x-kubernetes-int-or-string", False):
            node.pop("anyOf", None)
            node["type"] = ["integer", "string"]
        if isinstance(node.get("properties"), dict) and "additionalProperties" not in node:
            node["additionalProperties"] = False
        for each in node.values():
            close(each)


def problems(manifest, kind):
    return [error.message for error in jsonschema.Draft202012Validator(schema(kind)).iter_errors(manifest)]


def test_a_job_is_what_kuberay_takes(job):
    assert problems(job, "rayjobs") == []


def test_a_cluster_is_what_kuberay_takes(cluster):
    assert problems(cluster, "rayclusters") == []


def test_the_closed_schema_sees_misspelt_fields(cluster):
    group = cluster["spec"]["workerGroupSpecs"][0]
    group["replcas"] = group.pop("replicas")
    group["template"]["spec"]["containers"][0]["imagePullPolcy"] = "Always"
    found = " ".join(problems(cluster, "rayclusters"))
    assert "replcas" in found
    assert "imagePullPolcy" in found


def test_v1_and_no_suspend(job, cluster):
    assert job["apiVersion"] == cluster["apiVersion"] == "ray.io/v1"
    assert "suspend" not in job["spec"]
    assert "suspend" not in job["spec"]["rayClusterSpec"]
    assert "suspend" not in cluster["spec"]
    assert job["spec"]["shutdownAfterJobFinishes"] is True


def test_one_command_that_trains_and_removes_nothing(job):
    assert job["spec"]["entrypoint"] == "guerdon train /etc/guerdon/run.yaml runtime.steps=9"
    assert not set(job["spec"]["entrypoint"]) & set(";&|\n\\$`#")
    assert job["spec"]["backoffLimit"] == 3
    hooks = [pod["spec"]["containers"][0]["lifecycle"]["preStop"] for pod in pods(job)]
    assert hooks == [{"exec": {"command": ["/bin/sh", "-c", "ray stop"]}}] * 2
    assert "rm " not in yaml.safe_dump(job)


def test_pods_stay_on_healthy_nodes_of_their_type(job):
    head, worker = (pod["spec"]["nodeSelector"] for pod in pods(job))
    for selector in (head, worker):
        assert selector["sagemaker.amazonaws.com/node-health-status"] == "Schedulable"
    assert worker["node.kubernetes.io/instance-type"] == "ml.p5en.48xlarge"


def test_workers_have_gpus_fabric_and_shared_memory(job):
    head, worker = pods(job)
    container = worker["spec"]["containers"][0]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "8"
    assert container["resources"]["limits"]["vpc.amazonaws.com/efa"] == "16"
    told = {entry["name"]: entry.get("value") for entry in container["env"]}
    assert (told["FI_PROVIDER"], told["FI_EFA_USE_DEVICE_RDMA"], told["FI_EFA_FORK_SAFE"]) == ("efa", "1", "1")
    assert told["NCCL_SOCKET_IFNAME"] == "^docker,lo,veth"
    assert {"name": "memory", "mountPath": "/dev/shm"} in container["volumeMounts"]
    assert "nvidia.com/gpu" not in head["spec"]["containers"][0]["resources"]["limits"]


def test_every_pod_knows_its_image_shares_the_volume_and_is_not_root(job):
    for pod in pods(job):
        container = pod["spec"]["containers"][0]
        assert container["image"] == IMAGE
        assert {"name": "GUERDON_IMAGE", "value": IMAGE} in container["env"]
        assert {"name": "shared", "mountPath": "/fsx"} in container["volumeMounts"]
        assert {"name": "shared", "persistentVolumeClaim": {"claimName": "fsx-claim"}} in pod["spec"]["volumes"]
        assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
        assert pod["spec"]["serviceAccountName"] == "guerdon-trainer"
        (host,) = (entry for entry in container["env"] if entry["name"] == "HYPERPOD_JMA_HOST")
        assert host["valueFrom"] == {"fieldRef": {"fieldPath": "status.hostIP"}}


def test_memory_of_dev_shm_fits_into_the_pod(job):
    for pod in pods(job):
        (memory,) = (volume for volume in pod["spec"]["volumes"] if volume["name"] == "memory")
        limit = pod["spec"]["containers"][0]["resources"]["limits"]["memory"]
        assert memory["emptyDir"]["medium"] == "Memory"
        assert int(memory["emptyDir"]["sizeLimit"][:-2]) < int(limit[:-2])


def test_metrics_are_exported(job):
    spec = job["spec"]["rayClusterSpec"]
    for group in (spec["headGroupSpec"], spec["workerGroupSpecs"][0]):
        assert group["rayStartParams"]["metrics-export-port"] == "8080"


def test_task_governance():
    manifest = render_job(run(), target(**FULL), FILES, "run.yaml")[1]
    labels = manifest["metadata"]["labels"]
    assert labels["kueue.x-k8s.io/queue-name"] == "hyperpod-ns-vision-localqueue"
    assert labels["kueue.x-k8s.io/priority-class"] == "training-priority"
    annotations = pods(manifest)[1]["metadata"]["annotations"]
    assert annotations == {"kueue.x-k8s.io/podset-required-topology": "topology.k8s.aws/network-node-layer-2"}


def test_the_configuration_travels_in_a_config_map():
    config_map, job = render_job(run(), target(), FILES | {"ours.py": b"x = 1\n"}, "run.yaml")
    assert config_map["data"] == {"run.yaml": "run: {name: x}\n", "ours.py": "x = 1\n"}
    (volume,) = (each for each in pods(job)[0]["spec"]["volumes"] if each["name"] == "config")
    assert volume["configMap"]["name"] == config_map["metadata"]["name"]


def test_a_policy_and_vllm_apart_need_twice_the_nodes():
    manifest = render_job(run(runtime={"colocate": False}), target(), FILES, "run.yaml")[1]
    assert manifest["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["replicas"] == 4


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"runtime": {"output_dir": "/tmp/runs"}}, r"runtime\.output_dir: /tmp/runs is not on /fsx"),
        ({"data": {"train_manifest": "train.jsonl"}}, r"data\.train_manifest: train\.jsonl is not on /fsx"),
        ({"model": {"name_or_path": "/models/m"}}, r"model\.name_or_path: /models/m is not on /fsx"),
        ({"runtime": {"backend": "local", "nodes": 1}}, r"runtime\.backend is local"),
    ],
)
def test_what_pods_would_not_find_is_refused(sections, message):
    with pytest.raises(ConfigError, match=message):
        render_job(run(**sections), target(), FILES, "run.yaml")


def test_a_hub_model_comes_through_the_shared_cache():
    config = run(model={"name_or_path": "org/model", "revision": "0a" * 20})
    job = render_job(config, target(), FILES, "run.yaml")[1]
    assert {"name": "HF_HOME", "value": "/fsx/huggingface"} in pods(job)[1]["spec"]["containers"][0]["env"]


def test_too_much_for_a_config_map():
    with pytest.raises(ConfigError, match="a ConfigMap holds 900000"):
        render_job(run(), target(), {"run.yaml": b"x" * 1_000_000}, "run.yaml")


@pytest.mark.parametrize(
    ("name", "spelt"),
    [("Chart_QA.v1", "chart-qa-v1"), ("a" * 99, "a" * 40), ("x" * 39 + "--y", "x" * 39), ("__", "run")],
)
def test_names_as_kubernetes_spells_them(name, spelt):
    assert object_name(name) == spelt
