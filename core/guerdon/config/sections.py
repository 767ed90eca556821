"""The sections of the YAML file. A field's docstring is its help text and its schema description."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, field_validator, model_validator

from guerdon.advantage.config import AdvantageConfig

type Revision = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
type Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Section(BaseModel):
    """A frozen part of the configuration that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class RunSection(Section):
    """Who this run is."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    """Identifies the run in ledgers, reports and metrics; letters, digits, dot, dash, underscore."""

    seed: int = Field(0, ge=0, lt=2**31)
    """Seeds data order, adapter initialisation and, with step and sample, every rollout."""


class ModelSection(Section):
    """The base model."""

    name_or_path: str = Field(min_length=1)
    """A local model folder, or a hub name, which then needs its `revision`."""

    revision: Revision | None = None
    """The 40-hex commit of a hub model."""

    trust_remote_code: bool = False
    """Allow a model that carries Python code to run it."""

    gradient_checkpointing: bool = True
    """Recompute activations in the backward pass to save memory."""

    @model_validator(mode="after")
    def _pinned(self) -> "ModelSection":
        name = self.name_or_path
        if self.revision is None and not name.startswith(("/", ".")) and not Path(name).is_dir():
            raise ValueError(
                f"{name!r} is no local folder, so it is a hub name, and needs model.revision, the 40-hex commit: "
                f"`git ls-remote https://huggingface.co/{name} HEAD` prints the newest. A local folder reads ./name"
            )
        return self


class AdapterSection(Section):
    """The LoRA adapter that is trained (Hu et al., arXiv 2106.09685)."""

    type: Literal["lora"] = "lora"
    rank: PositiveInt = 32
    """LoRA rank r. vLLM serves 1, 8, 16, 32, 64, 128, 256, 320 and 512."""

    alpha: PositiveInt = 64
    """LoRA alpha; the update is scaled by alpha / rank."""

    dropout: float = Field(0.0, ge=0, lt=1)
    """LoRA dropout. Above 0 the trainer's log-probabilities differ from the rollout's."""

    target_modules: tuple[str, ...] = Field(("q_proj", "k_proj", "v_proj", "o_proj"), min_length=1)
    """Names of the linear layers that get an adapter."""

    exclude_modules: str | None = r".*visual.*"
    """Regular expression of module paths that get none. vLLM ignores adapters in the vision tower."""

    @field_validator("exclude_modules")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        try:
            re.compile(value or "")
        except re.error as error:
            raise ValueError(f"{value!r} is no regular expression: {error}") from error
        return value


class AlgorithmSection(AdvantageConfig):
    """GRPO (Shao et al., arXiv 2402.03300) and how components become advantages."""

    name: Literal["grpo"] = "grpo"
    group_size: int = Field(8, ge=2)
    """Completions sampled for each prompt."""

    learning_rate: Positive = 1e-5
    """AdamW's rate. LoRA usually needs about ten times the rate of full tuning."""

    max_prompt_tokens: PositiveInt = 2048
    """Longer prompts are refused before training."""

    max_completion_tokens: PositiveInt = 1024
    """Sampling stops there; such a completion counts as truncated."""

    kl_coefficient: float = Field(0.0, ge=0, allow_inf_nan=False)
    """Weight of the k3 KL penalty towards the policy without its adapter. 0 leaves it out."""

    temperature: Positive = 1.0
    """Of the rollouts; log-probabilities are taken at the same temperature."""


class RuntimeSection(Section):
    """Where and how long the run trains."""

    backend: Literal["local", "cluster"] = "local"
    """``local``: CPU, transformers' generate. ``cluster``: GPUs, SkyRL's FSDP and vLLM."""

    mixed_precision: Literal["bf16", "no"] = "bf16"
    """Arithmetic of the policy's forward and backward pass."""

    per_device_batch_size: PositiveInt = 1
    """Samples of one forward and backward pass on one device."""

    gradient_accumulation_steps: PositiveInt = 16
    """Passes that make up one optimizer step."""

    prompts_per_step: PositiveInt | None = None
    """Prompts of one training step. Unset: those of one optimizer step."""

    steps: PositiveInt = 200
    """Training steps in all."""

    checkpoint_interval: PositiveInt = 100
    """Training steps between checkpoints; the last step always has one."""

    keep_checkpoints: PositiveInt = 2
    """Older checkpoints are removed."""

    eval_interval: PositiveInt = 20
    """Training steps between held-out evaluations; there is one before and one after training."""

    eval_samples: PositiveInt = 1
    """Sampled completions for each held-out prompt, beside the greedy one; pass@k up to this k."""

    output_dir: str = "runs"
    """The run's folder, relative to the working directory."""

    nodes: PositiveInt = 1
    gpus_per_node: PositiveInt = 1
    """Devices of a node. On ``local``: processes that share the policy (gloo)."""

    colocate: bool = True
    """``cluster``: policy and vLLM share the GPUs; else vLLM has as many of its own."""

    scoring_workers: PositiveInt = 2
    """Processes that score rewards with ``isolation: process``."""

    @property
    def devices(self) -> int:
        """Data-parallel ranks of the policy."""
        return self.nodes * self.gpus_per_node


class DataSection(Section):
    """Manifests: JSON lines with id, messages, reference, metadata."""

    train_manifest: str
    """Path of the training prompts."""

    eval_manifest: str | None = None
    """Path of the held-out prompts. Without it nothing is evaluated."""
