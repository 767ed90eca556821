"""From a bundle on disk to a vLLM that serves it."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from guerdon_serving.bundle.base import check_base, find_base
from guerdon_serving.server.settings import Settings
from guerdon_serving.verify import verify_static
from guerdon_serving.vllm.engine import VllmEngine
from guerdon_serving.vllm.process import start_process

if TYPE_CHECKING:
    from guerdon_serving.bundle.read import Bundle
    from guerdon_serving.model.prompting import Prompter


def start_vllm(settings: Settings) -> "tuple[VllmEngine, Bundle, Prompter, Mapping[str, float]]":
    """Verify the bundle and its base, start vLLM, load the adapter and ask the probes.

    Returns:
        engine, bundle, prompter, and what it took: ``hash``, ``load``, ``probe`` in seconds.

    Raises:
        RefusedError: the bundle or base is not what it must be, vLLM does not start, or the probes disagree.
    """
    begin = time.perf_counter()
    bundle = verify_static(settings.bundle, expected_id=settings.expected_id)
    base = find_base(bundle.facts.base, bundle.folder, settings.base)
    check_base(bundle.facts.base, base)
    hashed = time.perf_counter()
    process = start_process(settings, base, bundle.facts.serving)
    try:
        process.wait_until_ready()
    except BaseException:
        process.stop()
        raise
    ready = time.perf_counter()
    rank = bundle.facts.serving.max_lora_rank or 0
    engine = VllmEngine(process, bundle.facts.tokenizer, max_rank=rank, dtype=settings.dtype)
    try:
        prompter = engine.attach(bundle).result()
    except BaseException:
        engine.stop()
        raise
    probed = time.perf_counter()
    return engine, bundle, prompter, {"hash": hashed - begin, "load": ready - hashed, "probe": probed - ready}
