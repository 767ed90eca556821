"""The local backend: this machine's CPUs, no CUDA, no HTTP."""

import os
from typing import Any

import ray
from transformers import AutoProcessor

from guerdon.config import RunConfig
from guerdon_trainer.local.engine import GenerateActor, LocalClient, LocalSampler
from guerdon_trainer.local.workers import CpuPolicyWorker

OBJECT_STORE_BYTES = 256 * 1024**2
START_TRIES = 3
"""Ray gives its own processes 30 s to appear, which a busy machine may not keep."""

SPARE_CPUS = 3
"""Logical CPUs beside the policy's: the rollout engine, and SkyRL's short tasks such as removing old
checkpoints, which would wait for ever otherwise."""


class LocalBackend:
    """Ray with logical GPUs, the policy on gloo, transformers' generate in an actor."""

    policy_worker = CpuPolicyWorker

    def start_ray(self, config: RunConfig, environment: dict[str, str]) -> None:
        """Start a Ray of our own, without dashboard."""
        os.environ.setdefault("RAY_enable_worker_prestart", "0")  # idle workers cost seconds of a laptop's CPU
        settings: dict[str, Any] = {
            "address": "local",
            "num_cpus": config.runtime.devices + SPARE_CPUS,
            "num_gpus": config.runtime.devices,
            "object_store_memory": OBJECT_STORE_BYTES,
            "include_dashboard": False,
            "log_to_driver": False,
            "configure_logging": False,
            "runtime_env": {"env_vars": environment},
        }
        for tries_left in reversed(range(START_TRIES)):
            try:
                ray.init(**settings)
            except Exception as error:
                if not tries_left or "timed out during startup" not in str(error):
                    raise
                ray.shutdown()
            else:
                return

    def client(self, experiment: Any) -> LocalClient:
        """Start the actor."""
        path = experiment.cfg.trainer.policy.model.path
        return LocalClient(GenerateActor.options(num_cpus=1).remote(path), path)

    def sampler(self, experiment: Any, client: LocalClient) -> LocalSampler:
        """Render in this process, sample in the actor."""
        return LocalSampler(client.actor, AutoProcessor.from_pretrained(experiment.cfg.trainer.policy.model.path))
