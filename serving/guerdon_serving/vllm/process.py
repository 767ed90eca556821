"""The subprocess: started for this server alone, and ended with it."""

import os
import secrets
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import httpx

from guerdon_serving.bundle.plan import vllm_arguments
from guerdon_serving.bundle.schema import ServingFacts
from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.server.settings import Settings

BASE_NAME: Final = "base"
MAX_TOP: Final = 20
"""Top log-probabilities that a request may ask for."""
MAX_IMAGES: Final = 32
START_S: Final = 1800.0
"""Loading and compiling a large model takes minutes."""
END_S: Final = 10.0


class Process:
    """A running ``vllm serve``. It listens on this machine alone and asks for a key made for this run."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], url: str, key: str) -> None:
        self.url, self.key = url, key
        try:
            # A session of its own: a terminal's Ctrl-C reaches this server alone, which drains before it ends vLLM.
            self._popen = subprocess.Popen(list(command), env=dict(environment), start_new_session=True)  # noqa: S603
        except OSError as error:
            raise RefusedError(Code.ENGINE_START, f"{command[0]} does not start: {error.strerror or error}") from error

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._popen.poll() is None

    def wait_until_ready(self, seconds: float = START_S) -> None:
        """Wait for ``/health``.

        Raises:
            RefusedError: it ended, or is not ready in time.
        """
        deadline = time.monotonic() + seconds
        with httpx.Client(base_url=self.url, timeout=5) as http:
            while time.monotonic() < deadline:
                if not self.alive:
                    raise RefusedError(
                        Code.ENGINE_START, f"vllm serve ended with {self._popen.returncode}; its log says why"
                    )
                try:
                    if http.get("/health").status_code == 200:
                        return
                except httpx.HTTPError:
                    pass
                time.sleep(0.1)
        raise RefusedError(Code.ENGINE_START, f"vllm serve was not ready within {seconds:g} s")

    def stop(self) -> None:
        """End it, by force if it does not go."""
        self._popen.terminate()
        try:
            self._popen.wait(END_S)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()


def start_process(settings: Settings, base: Path, plan: ServingFacts) -> Process:
    """Start vLLM on a base, for adapters up to the plan's rank.

    Raises:
        RefusedError: the plan is to merge, or the command does not start.
    """
    if plan.mode == "merge":
        raise RefusedError(
            Code.ENGINE_PLAN, f"vLLM cannot load this adapter beside its base: {'; '.join(plan.reasons)}"
        )
    port, key = _free_port(), secrets.token_hex(16)
    command = [*settings.vllm_command, *arguments(settings, base, plan, port)]
    return Process(command, environment(os.environ, key), f"http://127.0.0.1:{port}", key)


def arguments(settings: Settings, base: Path, plan: ServingFacts, port: int) -> list[str]:
    """Return what follows ``vllm serve``.

    ``--generation-config vllm`` keeps the base's generation_config.json from changing sampling that the
    request leaves open; log-probabilities are raw: of the whole vocabulary, at temperature 1, before the bias
    that forbids tokens.
    """
    return [
        str(base),
        *("--host", "127.0.0.1", "--port", str(port)),
        *("--served-model-name", BASE_NAME),
        *vllm_arguments(plan),
        *("--max-loras", str(settings.max_loras), "--max-cpu-loras", str(settings.max_adapters + 1)),
        *("--dtype", settings.dtype, "--generation-config", "vllm"),
        *("--logprobs-mode", "raw_logprobs", "--max-logprobs", str(MAX_TOP)),
        *("--limit-mm-per-prompt", f'{{"image": {MAX_IMAGES}, "video": 0}}'),
        *settings.vllm_arguments,
    ]


def environment(inherited: Mapping[str, str], key: str) -> dict[str, str]:
    """Return vLLM's environment: offline, silent to its makers, adapters at run time, the key out of sight."""
    return {
        **inherited,
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "1",
        "VLLM_API_KEY": key,
    }


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port
