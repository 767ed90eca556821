"""Why a bundle is refused: one code for each cause, each with its remedy."""

from enum import StrEnum
from typing import Final

from guerdon import BundleError


class Code(StrEnum):
    """Causes of a refusal. The part before the dot says what is to blame."""

    BUNDLE_MISSING = "bundle.missing"
    BUNDLE_MALFORMED = "bundle.malformed"
    BUNDLE_VERSION = "bundle.version"
    BUNDLE_SEAL = "bundle.seal"
    BUNDLE_ID = "bundle.id"
    BUNDLE_NOT_CANONICAL = "bundle.not_canonical"
    BUNDLE_TOO_LARGE = "bundle.too_large"
    BUNDLE_OUTPUT = "bundle.output"
    FILE_MISSING = "file.missing"
    FILE_CHANGED = "file.changed"
    FILE_UNLISTED = "file.unlisted"
    FILE_LINK = "file.link"
    FILE_CODE = "file.code"
    FILE_PATH = "file.path"
    BASE_NO_REVISION = "base.no_revision"
    BASE_REVISION = "base.revision"
    BASE_NOT_FOUND = "base.not_found"
    BASE_INCOMPLETE = "base.incomplete"
    BASE_MISMATCH = "base.mismatch"
    BASE_CODE = "base.code"
    ADAPTER_MISSING = "adapter.missing"
    ADAPTER_UNREADABLE = "adapter.unreadable"
    ADAPTER_CONFIG = "adapter.config"
    ADAPTER_BASE = "adapter.base"
    ADAPTER_EMPTY = "adapter.empty"
    ADAPTER_FULL_WEIGHTS = "adapter.full_weights"
    ADAPTER_KEYS = "adapter.keys"
    ADAPTER_SHAPE = "adapter.shape"
    ADAPTER_NOT_FINITE = "adapter.not_finite"
    ADAPTER_NO_EFFECT = "adapter.no_effect"
    ADAPTER_TIED_HEAD = "adapter.tied_head"
    ADAPTER_FACTS = "adapter.facts"
    TOKENIZER_FACTS = "tokenizer.facts"
    TEMPLATE_HASH = "template.hash"
    TEMPLATE_RENDER = "template.render"
    PROCESSOR_FACTS = "processor.facts"
    PROCESSOR_GRID = "processor.grid"
    SERVING_PLAN = "serving.plan"
    PROBE_MISSING = "probe.missing"
    PROBE_NO_EFFECT = "probe.no_effect"
    PROBE_MISMATCH = "probe.mismatch"
    RUN_MISSING = "run.missing"
    RUN_REWARDS = "run.rewards"
    RUN_DIRTY = "run.dirty"
    RUN_DATA = "run.data"
    RUN_STEP = "run.step"
    LOAD_FAILED = "load.failed"
    LOAD_TENSORS = "load.tensors"
    MERGE_KEYS = "merge.keys"
    ARCHIVE_UNSAFE = "archive.unsafe"
    SERVED_WRONG = "served.wrong"
    SIGNATURE_WRONG = "signature.wrong"
    SIGNATURE_KEY = "signature.key"
    ENGINE_START = "engine.start"
    ENGINE_PLAN = "engine.plan"
    ENGINE_ANSWER = "engine.answer"


_EXPORT_AGAIN: Final = "export the bundle again from its run"
_COPY_AGAIN: Final = "copy the bundle again from where it was exported"
_RIGHT_BASE: Final = "give the base that the run was trained on with --base"
_SAME_LIBRARIES: Final = "install the transformers and peft versions that bundle.json names under run.versions"

REMEDIES: Final[dict[Code, str]] = {
    Code.BUNDLE_MISSING: "give a folder that `guerdon bundle export` wrote",
    Code.BUNDLE_MALFORMED: _EXPORT_AGAIN,
    Code.BUNDLE_VERSION: "use the guerdon version that exported it, or export it again",
    Code.BUNDLE_SEAL: _COPY_AGAIN,
    Code.BUNDLE_ID: "check which bundle was meant; this is another one",
    Code.BUNDLE_NOT_CANONICAL: _COPY_AGAIN,
    Code.BUNDLE_TOO_LARGE: "keep only what `guerdon bundle export` wrote in the folder",
    Code.BUNDLE_OUTPUT: "choose another --output",
    Code.FILE_MISSING: _COPY_AGAIN,
    Code.FILE_CHANGED: _COPY_AGAIN,
    Code.FILE_UNLISTED: "remove it; a bundle holds nothing but what bundle.json lists",
    Code.FILE_LINK: "replace the link by the file itself",
    Code.FILE_CODE: "a bundle carries safetensors, JSON and text only; remove the file from base or adapter",
    Code.FILE_PATH: _EXPORT_AGAIN,
    Code.BASE_NO_REVISION: "export it again with the base's 40-hex commit as model.revision, or from a local base",
    Code.BASE_REVISION: _EXPORT_AGAIN,
    Code.BASE_NOT_FOUND: _RIGHT_BASE,
    Code.BASE_INCOMPLETE: "complete the base folder: config.json, tokenizer, processor, chat template, safetensors",
    Code.BASE_MISMATCH: _RIGHT_BASE,
    Code.BASE_CODE: "use a base whose config.json names no code of its own (auto_map)",
    Code.ADAPTER_MISSING: "let the run finish, so that it saves its adapter",
    Code.ADAPTER_UNREADABLE: "save the adapter again with PEFT as safetensors",
    Code.ADAPTER_CONFIG: "train plain LoRA without bias; merge anything else into the weights yourself",
    Code.ADAPTER_BASE: _EXPORT_AGAIN,
    Code.ADAPTER_EMPTY: "save it again with the peft version that guerdon pins; newer ones save none under FSDP",
    Code.ADAPTER_FULL_WEIGHTS: "train without modules_to_save; only lora_A and lora_B are served as an adapter",
    Code.ADAPTER_KEYS: "save the adapter from the same model class and transformers version as the base",
    Code.ADAPTER_SHAPE: "make r and rank_pattern in adapter_config.json those that were trained",
    Code.ADAPTER_NOT_FINITE: "lower algorithm.learning_rate and train again",
    Code.ADAPTER_NO_EFFECT: "train longer or with a higher algorithm.learning_rate; this adapter is the base",
    Code.ADAPTER_TIED_HEAD: "leave lm_head out of adapter.target_modules; it shares its weights with the embedding",
    Code.ADAPTER_FACTS: _EXPORT_AGAIN,
    Code.TOKENIZER_FACTS: _SAME_LIBRARIES,
    Code.TEMPLATE_HASH: _SAME_LIBRARIES,
    Code.TEMPLATE_RENDER: _SAME_LIBRARIES,
    Code.PROCESSOR_FACTS: _SAME_LIBRARIES,
    Code.PROCESSOR_GRID: _SAME_LIBRARIES,
    Code.SERVING_PLAN: _EXPORT_AGAIN,
    Code.PROBE_MISSING: _EXPORT_AGAIN,
    Code.PROBE_NO_EFFECT: "the adapter does not reach the model: check its keys, then export it again",
    Code.PROBE_MISMATCH: _SAME_LIBRARIES,
    Code.RUN_MISSING: "give the folder of a run: <runtime.output_dir>/<run.name>",
    Code.RUN_REWARDS: "train with a guerdon that records each reward's plugin, version and code hash in run.json",
    Code.RUN_DIRTY: "commit the reward's file and train again, or export with --allow-dirty, which is recorded",
    Code.RUN_DATA: "bring the manifest back to where the run read it",
    Code.RUN_STEP: "choose a step whose checkpoint the run still holds",
    Code.LOAD_FAILED: _SAME_LIBRARIES,
    Code.LOAD_TENSORS: _SAME_LIBRARIES,
    Code.MERGE_KEYS: "merge with a base whose tensors bear the model's own names",
    Code.ARCHIVE_UNSAFE: "make the archive with `guerdon bundle export --tar`",
    Code.SERVED_WRONG: "restart the server on this bundle",
    Code.SIGNATURE_WRONG: "use only a bundle whose signer you know; ask them to sign it with `guerdon bundle sign`",
    Code.SIGNATURE_KEY: "give an elliptic key in PEM, such as openssl ecparam -name prime256v1 -genkey writes",
    Code.ENGINE_START: "install vllm beside guerdon (the extra gpu) and read what it printed",
    Code.ENGINE_PLAN: "serve it with --engine transformers, or merge it and serve the merged folder",
    Code.ENGINE_ANSWER: "use the vllm version that the extra gpu names, and read what it printed",
}


class RefusedError(BundleError):
    """A bundle, or what was to become one, is refused: ``RefusedError(code, what was found)``."""

    @property
    def code(self) -> Code:
        """The cause."""
        return Code(self.args[0])

    def __str__(self) -> str:
        """Say cause, finding and remedy."""
        return f"{self.code}: {self.args[1]}. Remedy: {REMEDIES[self.code]}"
