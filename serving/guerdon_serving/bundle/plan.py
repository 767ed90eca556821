"""Whether vLLM can load the adapter beside the base, or only merged weights are right."""

import math
from collections.abc import Mapping
from typing import Any, Final

from guerdon_serving.bundle.schema import AdapterFacts, ServingFacts

VLLM_RANKS: Final = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""The values that vLLM takes for ``max_lora_rank``."""


def plan_serving(adapter: AdapterFacts, config: Mapping[str, Any]) -> ServingFacts:
    """Choose, with reasons.

    Each reason is something that vLLM was seen to ignore without a word: adapters in the vision
    tower, ``alpha_pattern``, a scaling of its own for some modules (``rank_pattern``).
    """
    rank = next((rank for rank in VLLM_RANKS if rank >= adapter.r_max), None)
    tower = adapts_tower(adapter)
    reasons = [
        reason
        for applies, reason in (
            (rank is None, f"rank {adapter.r_max} is above {VLLM_RANKS[-1]}, the largest that vLLM takes"),
            (tower, "vLLM ignores adapters in the vision tower"),
            (bool(adapter.groups["lm_head"]), "vLLM does not load an adapter of lm_head beside the base's head"),
            (_own_scalings(adapter, config), "some modules have a scaling of their own, which vLLM ignores"),
        )
        if applies
    ]
    if reasons:
        return ServingFacts(mode="merge", max_lora_rank=None, tower=tower, reasons=reasons)
    return ServingFacts(
        mode="dynamic",
        max_lora_rank=rank,
        tower=False,
        reasons=["plain LoRA in the language model, one scaling for all modules"],
    )


def adapts_tower(adapter: AdapterFacts) -> bool:
    """Say whether modules of the vision tower are adapted, its mergers included."""
    return any(adapter.groups[group] for group in ("visual", "merger", "deepstack"))


def vllm_arguments(serving: ServingFacts) -> list[str]:
    """Return the flags of ``vllm serve`` that the plan asks for."""
    if serving.mode == "merge":
        return []
    return ["--enable-lora", "--max-lora-rank", str(serving.max_lora_rank)]


def _own_scalings(adapter: AdapterFacts, config: Mapping[str, Any]) -> bool:
    rank = math.sqrt(config["r"]) if config["use_rslora"] else config["r"]
    return any(not math.isclose(module.scaling, config["lora_alpha"] / rank) for module in adapter.modules.values())
