"""What guerdon adds to SkyRL's FSDP policy worker, on CPU and GPU alike."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from peft.tuners.lora import LoraLayer
from skyrl.backends.skyrl_train.distributed.dispatch import WorkerOutput
from skyrl.backends.skyrl_train.training_batch import TensorList, TrainingInputBatch
from skyrl.backends.skyrl_train.utils.ppo_utils import PolicyLossRegistry
from skyrl.backends.skyrl_train.workers.fsdp import fsdp_worker
from skyrl.backends.skyrl_train.workers.fsdp.fsdp_worker import FSDPPolicyWorkerBase
from skyrl.backends.skyrl_train.workers.model_wrapper import HFModelWrapper

from guerdon_trainer.skyrl.strategy import AdapterStrategy


@contextmanager
def swapped(module: Any, **names: Any) -> Iterator[None]:
    """Let `module` see other globals for a while: SkyRL's `init_model` names its classes so."""
    before = {name: getattr(module, name) for name in names}
    try:
        for name, value in names.items():
            setattr(module, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


class MixedModalityWrapper(HFModelWrapper):  # type: ignore[misc]
    """Takes micro batches that mix text-only samples with samples that have images.

    A text-only sample comes with tensors of zero rows. A micro batch without any image runs
    without the vision tower on one rank; on several ranks it gets one blank image in a row of its
    own, since the other ranks wait for this one in the tower's collectives.
    """

    def forward(
        self,
        sequences: torch.Tensor,
        num_actions: Any,
        attention_mask: torch.Tensor,
        *args: Any,
        pixel_values: TensorList | None = None,
        image_grid_thw: TensorList | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return what the parent returns, for the given rows alone."""
        if pixel_values is not None and not sum(len(tensor) for tensor in pixel_values.tensors):
            if torch.distributed.is_initialized() and torch.distributed.get_world_size() > 1:
                blank = self._blank(pixel_values.tensors[0])
                return self._with_blank_image(sequences, num_actions, attention_mask, *args, **blank, **kwargs)
            pixel_values = image_grid_thw = None
        return super().forward(
            sequences,
            num_actions,
            attention_mask,
            *args,
            pixel_values=pixel_values,
            image_grid_thw=image_grid_thw,
            **kwargs,
        )

    def _with_blank_image(
        self, sequences: torch.Tensor, num_actions: Any, attention_mask: torch.Tensor, *args: Any, **kwargs: Any
    ) -> Any:
        """Add a row that is masked but for its last three tokens, of which one stands for the image."""
        row, mask = torch.zeros_like(sequences[:1]), torch.zeros_like(attention_mask[:1])
        row[0, -2] = self.model.config.image_token_id
        mask[0, -3:] = 1
        longer = torch.cat([sequences, row]), num_actions, torch.cat([attention_mask, mask])
        return _drop_last_row(super().forward(*longer, *args, **kwargs), len(sequences))

    def _blank(self, empty: torch.Tensor) -> dict[str, TensorList]:
        """Return an image of one token; `empty` [0, patch] lends kind and device."""
        merge = self.model.config.vision_config.spatial_merge_size
        pixels = empty.new_zeros((merge * merge, *empty.shape[1:]))
        grid = torch.tensor([[1, merge, merge]], device=empty.device)
        return {"pixel_values": TensorList([pixels]), "image_grid_thw": TensorList([grid])}


def _drop_last_row(result: Any, rows: int) -> Any:
    if isinstance(result, tuple):
        return tuple(_drop_last_row(part, rows) for part in result)
    if isinstance(result, torch.Tensor):
        return result[:rows]
    for key in ("logits", "entropy"):
        if isinstance(result.get(key), torch.Tensor):
            result[key] = result[key][:rows]
    return result


@contextmanager
def without_adapter(model: torch.nn.Module) -> Iterator[None]:
    """Run the model as if it had no LoRA adapter.

    PEFT's own `disable_adapter` also toggles `requires_grad`, which FSDP2 has recorded.
    """
    layers = [module for module in model.modules() if isinstance(module, LoraLayer)]
    for layer in layers:
        layer._disable_adapters = True  # noqa: SLF001 - see above
    try:
        yield
    finally:
        for layer in layers:
            layer._disable_adapters = False  # noqa: SLF001


class PolicyWorkerMixin(FSDPPolicyWorkerBase):  # type: ignore[misc]
    """Mixed modalities, a reference that is the policy with its adapter off, checkpoints of the adapter."""

    strategy_class = AdapterStrategy

    def __init__(self, **kwargs: Any) -> None:
        # SkyRL shares its loss functions through two actors of their own; we add none to share.
        with swapped(PolicyLossRegistry, sync_with_actor=lambda: None):
            super().__init__(**kwargs)

    def init_model(self, *args: Any, **kwargs: Any) -> Any:
        """Build the policy with our wrapper around the transformers model, and our strategy."""
        with swapped(fsdp_worker, HFModelWrapper=MixedModalityWrapper, FSDPStrategy=self.strategy_class):
            return super().init_model(*args, **kwargs)

    def forward_reference(self, data: TrainingInputBatch) -> WorkerOutput:
        """Return log-probabilities under the frozen base: no second model is held for it."""
        with without_adapter(self.model.model):
            return self.forward(data)
