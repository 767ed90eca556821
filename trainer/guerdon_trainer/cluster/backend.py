"""The cluster backend: one GPU to many nodes."""

from typing import Any

import ray
from skyrl.backends.skyrl_train.utils.ppo_utils import sync_registries

from guerdon.config import RunConfig
from guerdon_trainer.cluster.sampler import ClusterSampler
from guerdon_trainer.skyrl.workers import PolicyWorkerMixin


class ClusterBackend:
    """Ray as it is found, SkyRL's FSDP policy, vLLM behind SkyRL's client."""

    policy_worker = ray.remote(num_gpus=1)(PolicyWorkerMixin)

    def start_ray(self, config: RunConfig, environment: dict[str, str]) -> None:
        """Connect to the cluster that RAY_ADDRESS names, or start Ray here."""
        del config
        if not ray.is_initialized():
            ray.init(runtime_env={"env_vars": environment}, log_to_driver=True)
        sync_registries()

    def client(self, experiment: Any) -> Any:
        """Start vLLM's servers as SkyRL does."""
        return experiment._get_new_inference_client()  # noqa: SLF001 - what its own get_inference_client returns

    def sampler(self, experiment: Any, client: Any) -> ClusterSampler:
        """Sample through SkyRL's client."""
        return ClusterSampler(client, experiment.tokenizer)
