"""What ``bundle.json`` says. Its canonical bytes are the bundle's identity; it holds no times and no local paths."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION: Final = 1

type Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
type RelativePath = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)?$", max_length=200)
]
type Count = Annotated[int, Field(ge=0)]
type Number = Annotated[float, Field(allow_inf_nan=False)]
type ProbeName = Literal["text", "image", "images"]


class Facts(BaseModel):
    """A frozen part of ``bundle.json`` that refuses unknown fields and converts nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


class FileFacts(Facts):
    """One file."""

    path: RelativePath
    """Within the section's folder, with ``/``."""
    size: Count
    sha256: Sha256


class BaseFacts(Facts):
    """The base model: identified, not contained, except for what is small."""

    repo: str = Field(min_length=1)
    """The hub's name, or the name of the local folder."""
    revision: str | None = None
    """The 40-hex commit, or ``sha256:<digest of files>`` of a base without one. A bundle must have it."""
    files: list[FileFacts] = Field(min_length=1)
    """All files of the model, weights included; those without weights are in the bundle's ``base/``."""
    architecture: str
    model_type: str
    tie_word_embeddings: bool
    dtype: str | None
    """As config.json states it."""


class ModuleFacts(Facts):
    """One adapted linear layer."""

    rank: int = Field(ge=1)
    scaling: Number
    """Factor of B A."""


class Norms(Facts):
    """Frobenius norms over all modules."""

    a: Number
    b: Number
    update: Number
    """Of scaling x B A: what is added to the base."""


class AdapterFacts(Facts):
    """The LoRA adapter."""

    files: list[FileFacts]
    peft_version: str | None
    r_max: int = Field(ge=1)
    tensors: int = Field(ge=1)
    dtype: str
    key_prefix: str
    """What all tensor names begin with."""
    groups: dict[Literal["lm", "visual", "merger", "deepstack", "lm_head"], Count]
    """Adapted modules by the part of the model that they are in."""
    modules: dict[str, ModuleFacts]
    norms: Norms


class ProcessorFacts(Facts):
    """Preprocessing of images, held by what it makes of the probes' pictures."""

    processor: str
    """Class name."""
    grids: dict[ProbeName, list[list[int]]]
    """``image_grid_thw`` [images, 3] of each probe."""


class TokenizerFacts(Facts):
    """The tokenizer, and which tokens generation must treat in a way of their own."""

    vocabulary_size: Count
    special_ids: dict[str, int]
    end_ids: list[int] = Field(min_length=1)
    """A completion ends with one of them."""
    pad_id: int
    forbidden_ids: list[int]
    """Never generated: a sampled image token has no features. The trainer's rollouts forbid the same."""


class TemplateFacts(Facts):
    """The chat template."""

    sha256: Sha256
    renders: dict[ProbeName, Sha256]
    """Digest of each probe's prompt as the template renders it."""
    token_ids: dict[ProbeName, Sha256]
    """Digest of the token ids that the model reads for it."""


class RewardFacts(Facts):
    """One component of the reward that trained the adapter."""

    plugin: str = Field(min_length=1)
    origin: str = Field(min_length=1)
    version: str = Field(min_length=1)
    code_hash: Sha256
    dirty: bool
    """The code was in no commit; exported all the same because asked by name."""
    role: str
    weight: Any
    """A number, or a schedule."""


class DataFacts(Facts):
    """A manifest that the run read."""

    split: Literal["train", "eval"]
    name: str
    sha256: Sha256


class RunFacts(Facts):
    """The run, so far as it says something about the adapter."""

    name: str
    step: Count
    seed: int
    attempt: Count
    world_size: int = Field(ge=1)
    config: dict[str, Any]
    """Resolved; paths shortened to names."""
    config_hash: Sha256
    outcome: str
    versions: dict[str, str]
    git: dict[str, Any] | None


class ServingFacts(Facts):
    """How it may be served."""

    mode: Literal["dynamic", "merge"]
    """``dynamic``: vLLM can load the adapter beside the base; ``merge``: only merged weights are right there."""
    max_lora_rank: int | None
    """vLLM's setting."""
    tower: bool
    """Some adapted modules are in the vision tower."""
    reasons: list[str]


class Token(Facts):
    """A candidate for the next token."""

    id: int
    logprob: Number


class ProbeFacts(Facts):
    """What base and adapter say to one probe, at fp32 on one CPU thread."""

    base: list[Token] = Field(min_length=1)
    adapter: list[Token] = Field(min_length=1)
    delta: Number
    """Largest difference of a log-probability between the two, over the whole vocabulary."""
    answer: list[int]
    """The adapter's greedy completion, cut short."""


class EvalFacts(Facts):
    """Held-out means under greedy sampling, by component."""

    base: dict[str, Number] = Field(default_factory=dict)
    grpo: dict[str, Number] = Field(default_factory=dict)


class BundleFacts(Facts):
    """All of ``bundle.json``."""

    schema_version: Literal[1]
    stage: Literal["sft", "grpo"]
    parent: str
    """What training began with: the base's revision."""
    base: BaseFacts
    adapter: AdapterFacts
    processor: ProcessorFacts
    tokenizer: TokenizerFacts
    chat_template: TemplateFacts
    rewards: dict[str, RewardFacts] = Field(min_length=1)
    data: list[DataFacts]
    run: RunFacts
    serving: ServingFacts
    probes: dict[ProbeName, ProbeFacts]
    eval: EvalFacts
    card: FileFacts
