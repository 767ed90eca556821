"""The whole configuration, and the rules that span sections."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    BeforeValidator,
    Field,
    SerializeAsAny,
    ValidationInfo,
    field_validator,
    model_validator,
)

from guerdon.config.sections import (
    AdapterSection,
    AlgorithmSection,
    DataSection,
    ModelSection,
    RunSection,
    RuntimeSection,
    Section,
)
from guerdon.plugins import Plugins, load_plugins
from guerdon.reward import Reward

VLLM_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""What vLLM's ``max_lora_rank`` may be."""


def _build(value: object, info: ValidationInfo) -> object:
    """Turn ``{use: name, field: ...}`` into the reward of that name."""
    if not isinstance(value, Mapping):
        return value
    fields = dict(value)
    plugins: Plugins = (info.context or {}).get("plugins") or load_plugins()
    return plugins.entry(str(fields.pop("use"))).reward.model_validate(fields, context=info.context)


class RunConfig(Section):
    """One training run, as the YAML file describes it."""

    run: RunSection
    model: ModelSection
    adapter: AdapterSection = Field(default_factory=AdapterSection)
    algorithm: AlgorithmSection = Field(default_factory=AlgorithmSection)
    runtime: RuntimeSection = Field(default_factory=RuntimeSection)
    data: DataSection
    plugins: tuple[str, ...] = ()
    """Python files with rewards of your own."""

    outcome: str
    """The component that the run is really for; reports and audits are anchored on it."""

    rewards: dict[str, Annotated[SerializeAsAny[Reward], BeforeValidator(_build)]] = Field(min_length=1)
    """Component name to reward: ``use`` names the plugin (default: the component's name)."""

    skyrl: dict[str, Any] = Field(default_factory=dict)
    """Further SkyRL settings by dotted path. They may not set what the fields above set."""

    @field_validator("rewards", mode="before")
    @classmethod
    def _name_rewards(cls, value: object) -> object:
        if not isinstance(value, Mapping):
            return value
        return {
            key: {"use": key, **entry} if isinstance(entry, Mapping) else ({"use": key} if entry is None else entry)
            for key, entry in value.items()
        }

    @model_validator(mode="after")
    def _outcome_exists(self) -> "RunConfig":
        if self.outcome not in self.rewards:
            raise ValueError(f"outcome {self.outcome!r} is no component; rewards has {', '.join(self.rewards)}")
        return self

    @model_validator(mode="after")
    def _batch_divides(self) -> "RunConfig":
        runtime, group = self.runtime, self.algorithm.group_size
        samples = runtime.per_device_batch_size * runtime.gradient_accumulation_steps * runtime.devices
        if samples % group:
            raise ValueError(
                f"runtime: per_device_batch_size x gradient_accumulation_steps x devices = {samples} samples, which "
                f"algorithm.group_size {group} does not divide; an optimizer step must hold whole groups"
            )
        if self.prompts_per_step % self.mini_batch_prompts:
            raise ValueError(
                f"runtime.prompts_per_step {self.prompts_per_step} is no multiple of the {self.mini_batch_prompts} "
                f"prompts of one optimizer step ({samples} samples / group_size {group})"
            )
        return self

    @model_validator(mode="after")
    def _rank_is_served(self) -> "RunConfig":
        if self.runtime.backend == "cluster" and self.adapter.rank not in VLLM_RANKS:
            served = ", ".join(str(rank) for rank in VLLM_RANKS)
            raise ValueError(f"adapter.rank {self.adapter.rank} is none that vLLM serves; choose one of {served}")
        return self

    @property
    def mini_batch_prompts(self) -> int:
        """Prompts of one optimizer step."""
        runtime = self.runtime
        samples = runtime.per_device_batch_size * runtime.gradient_accumulation_steps * runtime.devices
        return samples // self.algorithm.group_size

    @property
    def prompts_per_step(self) -> int:
        """Prompts of one training step."""
        return self.runtime.prompts_per_step or self.mini_batch_prompts
