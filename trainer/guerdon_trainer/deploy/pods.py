"""The pods of a cluster: one head, which drives and scores, and workers with GPUs."""

from typing import Any

from guerdon_trainer.deploy.target import Target
from guerdon_trainer.folder import IMAGE

HEALTHY = {"sagemaker.amazonaws.com/node-health-status": "Schedulable"}
"""HyperPod's label: pods stay off nodes that fail its health checks."""

CONFIG_MOUNT = "/etc/guerdon"

FABRIC = {
    "FI_PROVIDER": "efa",
    "FI_EFA_USE_DEVICE_RDMA": "1",
    "FI_EFA_FORK_SAFE": "1",
    "NCCL_SOCKET_IFNAME": "^docker,lo,veth",
}
"""NCCL over the Elastic Fabric Adapter."""

METRICS_PORT = 8080


def head(target: Target, config: str | None) -> dict[str, Any]:
    """Return the pod template of the head; `config` names the ConfigMap with the run's files."""
    limits = {"cpu": str(target.head_cpus), "memory": f"{target.head_memory_gib}Gi"}
    selector = HEALTHY | ({"node.kubernetes.io/instance-type": n} if (n := target.head_instance_type) else {})
    ports = {"gcs": 6379, "dashboard": 8265, "client": 10001, "metrics": METRICS_PORT}
    return _template(target, "ray-head", limits, selector, ports, config)


def worker(target: Target, gpus: int) -> dict[str, Any]:
    """Return the pod template of a worker with `gpus` devices."""
    limits = {
        "cpu": str(target.worker_cpus),
        "memory": f"{target.worker_memory_gib}Gi",
        "nvidia.com/gpu": str(gpus),
    }
    if target.adapters:
        limits["vpc.amazonaws.com/efa"] = str(target.adapters)
    selector = HEALTHY | {"node.kubernetes.io/instance-type": target.instance_type}
    template = _template(target, "ray-worker", limits, selector, {"metrics": METRICS_PORT}, None)
    if target.topology:
        template["metadata"] = {"annotations": {"kueue.x-k8s.io/podset-required-topology": target.topology}}
    return template


def _template(
    target: Target,
    name: str,
    limits: dict[str, str],
    selector: dict[str, str],
    ports: dict[str, int],
    config: str | None,
) -> dict[str, Any]:
    pod: dict[str, Any] = {
        "serviceAccountName": target.service_account,
        "terminationGracePeriodSeconds": target.grace_s,
        "nodeSelector": selector,
        "securityContext": {"runAsNonRoot": True, "runAsUser": 1000, "runAsGroup": 1000, "fsGroup": 1000},
        "containers": [_container(target, name, limits, ports, with_config=config is not None)],
        "volumes": _volumes(
            target, config, target.shared_memory_gib if _has_gpus(limits) else target.head_memory_gib // 4
        ),
    }
    if _has_gpus(limits):
        pod["tolerations"] = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
    return {"spec": pod}


def _container(
    target: Target, name: str, limits: dict[str, str], ports: dict[str, int], *, with_config: bool
) -> dict[str, Any]:
    container: dict[str, Any] = {
        "name": name,
        "image": target.image,
        "imagePullPolicy": "IfNotPresent",
        "env": _environment(target, fabric="vpc.amazonaws.com/efa" in limits),
        "ports": [{"name": port, "containerPort": number} for port, number in ports.items()],
        "resources": {"requests": dict(limits), "limits": dict(limits)},
        "lifecycle": {"preStop": {"exec": {"command": ["/bin/sh", "-c", "ray stop"]}}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"], "add": ["IPC_LOCK"]}},
        "volumeMounts": [{"name": "shared", "mountPath": target.mount}, {"name": "memory", "mountPath": "/dev/shm"}],  # noqa: S108 - the pod's own
    }
    if target.secret:
        container["envFrom"] = [{"secretRef": {"name": target.secret}}]
    if with_config:
        container["volumeMounts"].append({"name": "config", "mountPath": CONFIG_MOUNT, "readOnly": True})
    return container


def _environment(target: Target, *, fabric: bool) -> list[dict[str, Any]]:
    values = {
        IMAGE: target.image,
        "HF_HOME": f"{target.mount}/huggingface",
        "RAY_USAGE_STATS_ENABLED": "0",
        **(FABRIC if fabric else {}),
    }
    told = [{"name": name, "value": value} for name, value in values.items()]
    host = {"name": "HYPERPOD_JMA_HOST", "valueFrom": {"fieldRef": {"fieldPath": "status.hostIP"}}}
    return [*told, host]


def _has_gpus(limits: dict[str, str]) -> bool:
    return "nvidia.com/gpu" in limits


def _volumes(target: Target, config: str | None, shared_gib: int) -> list[dict[str, Any]]:
    memory = {"medium": "Memory", "sizeLimit": f"{shared_gib}Gi"}
    volumes: list[dict[str, Any]] = [
        {"name": "shared", "persistentVolumeClaim": {"claimName": target.claim}},
        {"name": "memory", "emptyDir": memory},
    ]
    if config is not None:
        volumes.append({"name": "config", "configMap": {"name": config}})
    return volumes
