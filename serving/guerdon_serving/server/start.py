"""From a bundle on disk to an engine that answers, by transformers or by vLLM."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from guerdon_serving.server.settings import Settings

if TYPE_CHECKING:
    from guerdon_serving.backend import Backend
    from guerdon_serving.bundle.read import Bundle
    from guerdon_serving.model.prompting import Prompter


@dataclass(frozen=True, slots=True)
class Started:
    """An engine with the first adapter on it."""

    backend: "Backend"
    bundle: "Bundle"
    prompter: "Prompter"
    seconds: Mapping[str, float]
    """What it took: ``hash`` the files, ``load`` the base, ``probe`` the adapter on it."""


def start_backend(settings: Settings) -> Started:
    """Verify and load the first bundle.

    Raises:
        RefusedError: it is not what it must be.
    """
    return _start_vllm(settings) if settings.engine == "vllm" else _start_transformers(settings)


def _start_transformers(settings: Settings) -> Started:
    import torch

    from guerdon_serving.engine import Engine
    from guerdon_serving.verify import verify_load

    if settings.threads:
        torch.set_num_threads(settings.threads)
    loaded = verify_load(
        settings.bundle,
        base=settings.base,
        expected_id=settings.expected_id,
        dtype=settings.dtype,
        device=settings.device,
    )
    engine = Engine(loaded.policy, max_rows=settings.max_rows, dtype=settings.dtype)
    return Started(engine, loaded.bundle, loaded.prompter, loaded.seconds)


def _start_vllm(settings: Settings) -> Started:
    from guerdon_serving.vllm.start import start_vllm

    backend, bundle, prompter, seconds = start_vllm(settings)
    return Started(backend, bundle, prompter, seconds)
