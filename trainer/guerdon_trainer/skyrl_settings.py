"""Where each of our fields goes in SkyRL's configuration."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from guerdon import ConfigError
from guerdon.config import RunConfig
from guerdon_trainer.folder import RunFolder


@dataclass(frozen=True, slots=True)
class Target:
    """SkyRL settings that follow from one of our fields."""

    field: str
    settings: tuple[str, ...]
    value: Callable[[RunConfig], Any]


def _devices_per_node(config: RunConfig) -> int:
    """Local ranks are nodes of one logical device each: SkyRL then needs no placement group."""
    return config.runtime.gpus_per_node if config.runtime.backend == "cluster" else 1


def _nodes(config: RunConfig) -> int:
    return config.runtime.nodes if config.runtime.backend == "cluster" else config.runtime.devices


def _mixed_precision(config: RunConfig) -> dict[str, str]:
    dtype = "bf16" if config.runtime.mixed_precision == "bf16" else "fp32"
    return {"param_dtype": dtype, "reduce_dtype": "fp32", "buffer_dtype": "fp32"}


MAPPING = (
    Target("run.name", ("trainer.run_name",), lambda c: c.run.name),
    Target("run.seed", ("trainer.seed",), lambda c: c.run.seed),
    Target("model.name_or_path", ("trainer.policy.model.path",), lambda c: c.model.name_or_path),
    Target(
        "model.gradient_checkpointing", ("trainer.gradient_checkpointing",), lambda c: c.model.gradient_checkpointing
    ),
    Target("adapter.rank", ("trainer.policy.model.lora.rank",), lambda c: c.adapter.rank),
    Target("adapter.alpha", ("trainer.policy.model.lora.alpha",), lambda c: c.adapter.alpha),
    Target("adapter.dropout", ("trainer.policy.model.lora.dropout",), lambda c: c.adapter.dropout),
    Target(
        "adapter.target_modules",
        ("trainer.policy.model.lora.target_modules",),
        lambda c: list(c.adapter.target_modules),
    ),
    Target(
        "adapter.exclude_modules", ("trainer.policy.model.lora.exclude_modules",), lambda c: c.adapter.exclude_modules
    ),
    Target("algorithm.name", ("trainer.algorithm.advantage_estimator",), lambda c: c.algorithm.name),
    Target("algorithm.group_size", ("generator.n_samples_per_prompt",), lambda c: c.algorithm.group_size),
    Target("algorithm.learning_rate", ("trainer.policy.optimizer_config.lr",), lambda c: c.algorithm.learning_rate),
    Target(
        "algorithm.max_prompt_tokens",
        ("trainer.max_prompt_length", "generator.max_input_length"),
        lambda c: c.algorithm.max_prompt_tokens,
    ),
    Target(
        "algorithm.max_completion_tokens",
        ("generator.sampling_params.max_generate_length",),
        lambda c: c.algorithm.max_completion_tokens,
    ),
    Target("algorithm.kl_coefficient", ("trainer.algorithm.kl_loss_coef",), lambda c: c.algorithm.kl_coefficient),
    Target("algorithm.kl_coefficient", ("trainer.algorithm.use_kl_loss",), lambda c: c.algorithm.kl_coefficient > 0),
    Target(
        "algorithm.temperature",
        ("generator.sampling_params.temperature", "trainer.algorithm.temperature"),
        lambda c: c.algorithm.temperature,
    ),
    Target("runtime.mixed_precision", ("trainer.policy.fsdp_config.mixed_precision",), _mixed_precision),
    Target("runtime.mixed_precision", ("trainer.bf16",), lambda c: c.runtime.mixed_precision == "bf16"),
    Target(
        "runtime.per_device_batch_size",
        ("trainer.micro_train_batch_size_per_gpu", "trainer.micro_forward_batch_size_per_gpu"),
        lambda c: c.runtime.per_device_batch_size,
    ),
    Target("runtime.gradient_accumulation_steps", ("trainer.policy_mini_batch_size",), lambda c: c.mini_batch_prompts),
    Target("runtime.prompts_per_step", ("trainer.train_batch_size",), lambda c: c.prompts_per_step),
    Target("runtime.steps", ("trainer.max_training_steps",), lambda c: c.runtime.steps),
    Target("runtime.checkpoint_interval", ("trainer.ckpt_interval",), lambda c: c.runtime.checkpoint_interval),
    Target("runtime.keep_checkpoints", ("trainer.max_ckpts_to_keep",), lambda c: c.runtime.keep_checkpoints),
    Target(
        "runtime.eval_interval",
        ("trainer.eval_interval",),
        lambda c: c.runtime.eval_interval if c.data.eval_manifest else -1,
    ),
    Target("runtime.eval_samples", ("generator.eval_n_samples_per_prompt",), lambda c: c.runtime.eval_samples),
    Target("runtime.nodes", ("trainer.placement.policy_num_nodes", "trainer.placement.ref_num_nodes"), _nodes),
    Target(
        "runtime.gpus_per_node",
        ("trainer.placement.policy_num_gpus_per_node", "trainer.placement.ref_num_gpus_per_node"),
        _devices_per_node,
    ),
    Target("runtime.nodes", ("generator.inference_engine.num_engines",), lambda c: c.runtime.devices),
    Target(
        "runtime.colocate",
        ("trainer.placement.colocate_all",),
        lambda c: c.runtime.backend == "cluster" and c.runtime.colocate,
    ),
    Target("data.train_manifest", ("data.train_data",), lambda c: [c.data.train_manifest]),
    Target("data.eval_manifest", ("data.val_data",), lambda c: [c.data.eval_manifest] if c.data.eval_manifest else []),
)

CONSTANT: Mapping[str, Any] = {
    "data.dataloader.num_workers": 0,
    "data.dataloader.persistent_workers": False,
    "trainer.strategy": "fsdp",
    "trainer.flash_attn": False,
    "trainer.remove_microbatch_padding": False,
    "trainer.epochs": 1,
    "trainer.hf_save_interval": -1,
    "trainer.resume_mode": "latest",
    "trainer.logger": "console",
    "trainer.eval_before_train": True,
    "trainer.print_example_interval": 0,
    "trainer.dump_eval_results": False,
    "generator.batched": False,
    "generator.vision_language_generator": True,
    "generator.max_turns": 1,
    "generator.sampling_params.logprobs": 1,
    "environment.env_class": "guerdon",
}
"""Settings that our trainer relies on."""

LOCAL: Mapping[str, Any] = {
    "trainer.use_expandable_segments": False,
    "trainer.enable_ray_gpu_monitor": False,
    "generator.inference_engine.enable_ray_prometheus_stats": False,
}
"""What a machine without CUDA adds."""

CLUSTER_DEFAULTS: Mapping[str, Any] = {
    "generator.inference_engine.gpu_memory_utilization": 0.6,
}
"""Suggestions for GPUs that the ``skyrl`` section may override."""


def to_skyrl(config: RunConfig, folder: RunFolder) -> dict[str, Any]:
    """Return SkyRL's settings by dotted path.

    Raises:
        ConfigError: the ``skyrl`` section sets what one of our fields, or guerdon itself, sets.
    """
    owned = {name: target.value(config) for target in MAPPING for name in target.settings}
    owned |= {**CONSTANT, **_paths(folder)}
    suggested = dict(CLUSTER_DEFAULTS if config.runtime.backend == "cluster" else LOCAL)
    _refuse_collisions(config, owned)
    return suggested | config.skyrl | owned


def explain(config: RunConfig) -> dict[str, str]:
    """Map each of our fields to the SkyRL settings it becomes, as text."""
    found: dict[str, list[str]] = {}
    for target in MAPPING:
        value = target.value(config)
        found.setdefault(target.field, []).extend(f"{name}={value}" for name in target.settings)
    return {name: ", ".join(settings) for name, settings in found.items()}


def _paths(folder: RunFolder) -> dict[str, Any]:
    return {
        "trainer.ckpt_path": str(folder.checkpoints),
        "trainer.export_path": str(folder.scratch / "export"),
        "trainer.log_path": str(folder.logs),
        "trainer.policy.model.lora.lora_sync_path": str(folder.scratch / "adapter_sync"),
    }


def _refuse_collisions(config: RunConfig, owned: Mapping[str, Any]) -> None:
    fields = {name: target.field for target in MAPPING for name in target.settings}
    for name in config.skyrl:
        taken = next((own for own in owned if own == name or name.startswith(f"{own}.")), None)
        below = sorted(own for own in owned if own.startswith(f"{name}."))
        if taken:
            remedy = f"set {fields[taken]} instead" if taken in fields else "guerdon relies on its value; remove it"
            raise ConfigError(f"skyrl.{name} is set by guerdon; {remedy}")
        if below:
            raise ConfigError(
                f"skyrl.{name} is a section that guerdon sets parts of, such as {below[0]}; "
                "write single settings by dotted path, as `generator.inference_engine.gpu_memory_utilization: 0.8`"
            )
