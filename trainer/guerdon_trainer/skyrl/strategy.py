"""Checkpoints that hold what is trained, and fit any number of ranks.

SkyRL's own save writes each rank's shard of the whole model: 18 GB for an adapter of 0.2 GB on an 8B base, readable
only by as many ranks as wrote it. With LoRA the base never changes, so the adapter, its optimizer and the scheduler
are enough. They are gathered whole, and each rank takes its shard when it loads.
"""

import json
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from safetensors.torch import load_file, save_file
from skyrl.backends.skyrl_train.distributed.fsdp_strategy import FSDPStrategy
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)

GATHERED = StateDictOptions(full_state_dict=True, cpu_offload=True, ignore_frozen_params=True)
SPREAD = StateDictOptions(full_state_dict=True, ignore_frozen_params=True, strict=False)
"""Not strict: the frozen base is not in the file. `_check_names` is strict about the rest."""

WEIGHTS, OPTIMIZER, EXTRA = "trained.safetensors", "optimizer.pt", "extra.pt"


class AdapterStrategy(FSDPStrategy):  # type: ignore[misc]
    """SkyRL's FSDP2 strategy with such checkpoints; without LoRA it saves as its parent does."""

    def save_checkpoint(
        self,
        model: Any,
        ckpt_dir: str,
        node_local_rank: int,
        optimizer: Any = None,
        scheduler: Any = None,
        **skyrl: Any,
    ) -> None:
        """Gather on the first rank and write there."""
        if not self.is_lora:
            super().save_checkpoint(model, ckpt_dir, node_local_rank, optimizer, scheduler, **skyrl)
            return
        module, folder = model.model, Path(ckpt_dir)
        trained = _trained(module)
        gathered: dict[str, Any] = get_model_state_dict(module, options=GATHERED)
        weights = {name: tensor for name, tensor in gathered.items() if name in trained}  # a tied head slips through
        moments = get_optimizer_state_dict(module, optimizer, options=GATHERED) if optimizer else None
        generators: list[Any] = [None] * dist.get_world_size()
        dist.all_gather_object(generators, _plain(self.get_rng_state()))
        if self.is_rank_0():
            folder.mkdir(parents=True, exist_ok=True)
            save_file({name: tensor.contiguous() for name, tensor in weights.items()}, folder / WEIGHTS)
            torch.save(moments, folder / OPTIMIZER)
            state = {"scheduler": scheduler.state_dict() if scheduler else None, "generators": generators}
            torch.save(state, folder / EXTRA)
            facts = {"world_size": self.world_size, "tensors": len(weights)}
            (folder / "checkpoint.json").write_text(json.dumps(facts) + "\n", encoding="utf-8")
        self._save_lora_adapters(module, ckpt_dir)
        dist.barrier()

    def load_checkpoint(
        self,
        model: Any,
        ckpt_dir: str,
        optimizer: Any = None,
        scheduler: Any = None,
        *,
        load_optimizer_states: bool = True,
        load_lr_scheduler_states: bool = True,
        **skyrl: Any,
    ) -> tuple[str, dict[str, Any]]:
        """Read on every rank and take its shard.

        Random generators go on where they were if there are as many ranks as wrote the checkpoint; only dropout
        draws from them, since rollouts and batches are seeded by step.

        Raises:
            ValueError: the checkpoint holds other tensors than this model trains.
        """
        folder = Path(ckpt_dir)
        if not (folder / WEIGHTS).exists():
            loaded: tuple[str, dict[str, Any]] = super().load_checkpoint(
                model,
                ckpt_dir,
                optimizer,
                scheduler,
                load_optimizer_states=load_optimizer_states,
                load_lr_scheduler_states=load_lr_scheduler_states,
                **skyrl,
            )
            return loaded
        module = model.model
        weights: dict[str, Any] = load_file(folder / WEIGHTS)
        _check_names(module, weights, folder)
        set_model_state_dict(module, weights, options=SPREAD)
        if optimizer is not None and load_optimizer_states:
            moments = torch.load(folder / OPTIMIZER, map_location="cpu", weights_only=True)
            set_optimizer_state_dict(module, optimizer, moments, options=SPREAD)
        extra = torch.load(folder / EXTRA, map_location="cpu", weights_only=True)
        if scheduler is not None and load_lr_scheduler_states:
            scheduler.load_state_dict(extra["scheduler"])
        if len(extra["generators"]) == dist.get_world_size():
            self.load_rng_state(extra["generators"][self.get_rank()])
        dist.barrier()
        return ckpt_dir, {"client_state": {}, "world_size": len(extra["generators"]), "rank": self.get_rank()}


def _trained(module: torch.nn.Module) -> set[str]:
    return {name for name, parameter in module.named_parameters() if parameter.requires_grad}


def _plain(generators: dict[str, Any]) -> dict[str, Any]:
    """Write numpy's state as numbers, so that a checkpoint is read without running code from it."""
    name, keys, *rest = generators["numpy"]
    return {**generators, "numpy": (name, keys.tolist(), *rest)}


def _check_names(module: torch.nn.Module, weights: dict[str, torch.Tensor], folder: Path) -> None:
    trained = _trained(module)
    if other := trained ^ weights.keys():
        raise ValueError(
            f"{folder} holds {len(weights)} trained tensors, this model has {len(trained)}; "
            f"they differ in {', '.join(sorted(other)[:3])}"
        )
