"""What differs between a laptop and a cluster."""

from typing import Any, Protocol

from guerdon.config import RunConfig
from guerdon_trainer.sampling import Sampler


class Backend(Protocol):
    """Ray, the policy's worker class and the rollout engine."""

    policy_worker: Any
    """The Ray actor class of the policy."""

    def start_ray(self, config: RunConfig, environment: dict[str, str]) -> None:
        """Connect to Ray, or start it."""
        ...

    def client(self, experiment: Any) -> Any:
        """Start the rollout engine; return the client that SkyRL syncs weights through."""
        ...

    def sampler(self, experiment: Any, client: Any) -> Sampler:
        """Return how completions are sampled from it."""
        ...


def choose(config: RunConfig) -> Backend:
    """Return the backend that ``runtime.backend`` names."""
    if config.runtime.backend == "cluster":
        from guerdon_trainer.cluster.backend import ClusterBackend

        return ClusterBackend()
    from guerdon_trainer.local.backend import LocalBackend

    return LocalBackend()
