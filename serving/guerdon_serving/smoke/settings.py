"""What an endpoint is asked to show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from guerdon import ConfigError


@dataclass(frozen=True, slots=True)
class SmokeSettings:
    """All of ``guerdon smoke``'s options."""

    url: str
    model: str | None = None
    """The candidate; unset: what the server serves by default."""
    against: Mapping[str, str] = field(default_factory=dict)
    """Models that it may not be worse than, with the URL of the server that has each."""
    data: Sequence[Path] = ()
    """Manifests of the user's own prompts."""
    builtin: bool = True
    """Ask the prompts that come with guerdon too."""
    config: Path | None = None
    """A run's YAML file: its rewards judge the answers. Unset: ``correctness``."""
    ladder: Sequence[int] = (1, 4, 16)
    """Requests at a time, rung by rung."""
    requests: int = 24
    """Requests on each rung."""
    max_tokens: int = 64
    """Limit of every completion."""
    wait_s: float = 600.0
    """How long the server may take to become ready."""
    deadline_s: float = 60.0
    """How long an answer may take: SageMaker gives up after 60 s."""
    swap: Sequence[str] = ()
    """Folders of bundles, as ``POST /adapters`` names them: loaded in turn under load."""
    api_key: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be asked for.

        Raises:
            ConfigError: names the option.
        """
        if not self.url.startswith(("http://", "https://")):
            raise ConfigError(f"{self.url!r} is no http address, such as http://127.0.0.1:8080")
        if not self.ladder or min(self.ladder) < 1 or self.requests < 1:
            raise ConfigError(f"--ladder {list(self.ladder)} and --requests {self.requests} must be 1 or more")
        if not (self.builtin or self.data):
            raise ConfigError("--no-builtin leaves no prompts to ask; give some with --data")
