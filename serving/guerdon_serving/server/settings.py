"""What a server is started with."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

MAX_BODY_BYTES: Final = 6_291_456
"""SageMaker's limit of a request."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All of ``guerdon serve``'s options."""

    bundle: Path
    base: Path | None = None
    expected_id: str | None = None
    """The id that the bundle must have, or its beginning; a restart on another one refuses."""
    alias: str | None = None
    """Name of the adapter; by default the run's."""
    host: str = "127.0.0.1"
    port: int = 8080
    engine: Literal["transformers", "vllm"] = "transformers"
    dtype: Literal["float32", "bfloat16"] = "float32"
    device: str = "cpu"
    threads: int | None = None
    """Threads of torch; unset: torch's own choice."""
    max_rows: int = 8
    """Completions of one batch."""
    max_waiting: int = 64
    """Requests under way beyond that are answered 429."""
    deadline_s: float = 55.0
    """SageMaker gives up after 60 s; a request that takes longer than this is answered 504."""
    drain_s: int = 28
    """After SIGTERM: seconds for what was accepted. SageMaker kills after 30."""
    temperature: float = 0.0
    """Of requests that do not say."""
    bundles: Path | None = None
    """``POST /adapters`` may load bundles below this folder; unset: from nowhere."""
    max_adapters: int = 16
    max_loras: int = 4
    """vLLM: adapters in one batch."""
    vllm_command: tuple[str, ...] = ("vllm", "serve")
    vllm_arguments: tuple[str, ...] = ()
    """Further arguments of vLLM, such as ``--gpu-memory-utilization 0.8``."""
    api_key: str | None = None
    """If set, every request but ``/ping`` must bear it."""
