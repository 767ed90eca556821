"""SkyRL's FSDP worker and strategy on a CPU mesh."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import ray
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

import guerdon_trainer.skyrl  # noqa: F401 - before anything of SkyRL
from guerdon_trainer.skyrl.strategy import AdapterStrategy
from guerdon_trainer.skyrl.workers import PolicyWorkerMixin, swapped

from skyrl.backends.skyrl_train.distributed.dispatch import MeshRank  # isort: skip
from skyrl.backends.skyrl_train.distributed.fsdp_utils import (  # isort: skip
    MixedPrecisionPolicy,
    PrecisionType,
    apply_fsdp2,
)
from skyrl.backends.skyrl_train.workers.fsdp import fsdp_worker  # isort: skip

CPU = torch.device("cpu")


@contextmanager
def cpu_as_device() -> Iterator[None]:
    """Let the CUDA calls that SkyRL makes unconditionally mean the CPU."""
    with swapped(
        torch.cuda,
        current_device=lambda: CPU,
        set_device=lambda *_: None,
        synchronize=lambda *_: None,
        empty_cache=lambda: None,
    ):
        yield


class CpuStrategy(AdapterStrategy):
    """FSDP2 over gloo."""

    def setup_distributed(self) -> None:
        """Seed, and lay the mesh over all ranks."""
        self.set_seed(self.seed)
        self.world_size = dist.get_world_size()
        self.device_mesh = init_device_mesh("cpu", (self.world_size,), mesh_dim_names=("fsdp",))

    def _fsdp_init_model(self, model: Any, is_train: bool = True, is_wrapped: bool = False) -> Any:
        """Shard in place: the parent goes through the meta device, whose way back is CUDA's."""
        del is_train
        module = model.model if is_wrapped else model
        precision = self.fsdp_config.mixed_precision
        dtype = PrecisionType.to_dtype(precision.param_dtype) if precision else torch.float32
        policy = MixedPrecisionPolicy(param_dtype=dtype, reduce_dtype=torch.float32)
        settings = {
            "mesh": self.device_mesh,
            "mp_policy": policy,
            "reshard_after_forward": self.fsdp_config.reshard_after_forward,
        }
        apply_fsdp2(module, settings, self.fsdp_config)
        return module

    def offload_to_cpu(self, *_: Any, **__: Any) -> None:
        """Nothing to move."""

    def backload_to_gpu(self, *_: Any, **__: Any) -> None:
        """Nothing to move."""

    def optimizer_step(self, *args: Any, **kwargs: Any) -> Any:
        """Clip and step."""
        with cpu_as_device():
            return super().optimizer_step(*args, **kwargs)

    def all_reduce(self, *args: Any, **kwargs: Any) -> Any:
        """Reduce over ranks."""
        with cpu_as_device():
            return super().all_reduce(*args, **kwargs)

    def all_gather(self, *args: Any, **kwargs: Any) -> Any:
        """Gather over ranks."""
        with cpu_as_device():
            return super().all_gather(*args, **kwargs)

    def save_checkpoint(self, *args: Any, **kwargs: Any) -> None:
        """Save, with CUDA's calls meaning the CPU."""
        with cpu_as_device():
            super().save_checkpoint(*args, **kwargs)


class CpuPolicyWorkerBase(PolicyWorkerMixin):
    """The policy on a CPU rank."""

    strategy_class = CpuStrategy

    def init_worker_process_group(self) -> None:
        """Join the gloo group; one thread a rank is fastest for small models."""
        torch.set_num_threads(int(os.environ.get("GUERDON_TORCH_THREADS", "1")))
        if not dist.is_initialized():
            dist.init_process_group(backend="gloo", timeout=timedelta(minutes=10))
        self.device_mesh = init_device_mesh("cpu", (self._world_size, 1), mesh_dim_names=("dp", "sp"))
        self.mesh_rank = MeshRank(
            dp=self.device_mesh.get_local_rank("dp"), sp=0, tp=0, pp=0,
            world_size=self._world_size, dp_size=self._world_size, pp_size=1,
        )  # fmt: skip

    def init_model(self, *args: Any, **kwargs: Any) -> Any:
        """Load on every rank: a rank that starts on the meta device is filled over nccl."""
        with swapped(fsdp_worker, should_use_meta_init=lambda *_, **__: False), cpu_as_device():
            return super().init_model(*args, **kwargs)

    async def init_weight_sync_state(self, inference_engine_client: Any, inference_engine_cfg: Any) -> None:
        """Remember the client: the adapter travels by file, there is no NCCL group to build."""
        del inference_engine_cfg
        self._weight_sync_inference_client = inference_engine_client
        dist.barrier()

    def offload_to_cpu(self, *_: Any, **__: Any) -> None:
        """Nothing to move."""

    def backload_to_gpu(self, *_: Any, **__: Any) -> None:
        """Nothing to move."""

    def get_cuda_memory(self) -> dict[str, Any]:
        """No CUDA memory."""
        return {"allocated": 0, "reserved": 0, "free": 0, "total": 0}

    def _forward_micro_batch(self, micro_batch: Any) -> Any:
        with cpu_as_device():
            return super()._forward_micro_batch(micro_batch)

    def _forward_backward_micro(self, *args: Any, **kwargs: Any) -> Any:
        with cpu_as_device():
            return super()._forward_backward_micro(*args, **kwargs)

    def _forward_micro_with_loss(self, *args: Any, **kwargs: Any) -> Any:
        with cpu_as_device():
            return super()._forward_micro_with_loss(*args, **kwargs)


CpuPolicyWorker = ray.remote(num_gpus=1)(CpuPolicyWorkerBase)
"""Asks for one logical GPU, as `ray.init(num_gpus=...)` declares them."""
