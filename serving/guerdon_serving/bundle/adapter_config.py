"""``adapter_config.json``: plain LoRA and nothing else, in one canonical form."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from guerdon_serving.bundle.files import read_json
from guerdon_serving.bundle.schema import BaseFacts
from guerdon_serving.codes import Code, RefusedError

NAME: Final = "adapter_config.json"
WEIGHTS: Final = "adapter_model.safetensors"

KEPT: Final = frozenset(
    {
        "alpha_pattern",
        "base_model_name_or_path",
        "bias",
        "exclude_modules",
        "inference_mode",
        "lora_alpha",
        "lora_dropout",
        "modules_to_save",
        "peft_type",
        "peft_version",
        "r",
        "rank_pattern",
        "revision",
        "target_modules",
        "task_type",
        "use_dora",
        "use_rslora",
    }
)
"""Fields that are written; all others of PEFT must say that they are not in use."""

UNUSED: Final[Mapping[str, tuple[object, ...]]] = {
    "megatron_core": ("megatron.core",),
    "qalora_group_size": (16,),
    "runtime_config": ({"ephemeral_gpu_offload": False},),
    "init_lora_weights": (True, "gaussian"),
}
"""How a field says so, where it is not by a false value. Other initialisations (PiSSA, OLoRA) change the base."""


def canonical_config(raw: Mapping[str, Any], base: BaseFacts) -> dict[str, Any]:
    """Return the configuration with its base named and everything unused left out.

    Raises:
        RefusedError: it is not plain LoRA.
    """
    config = {name: raw.get(name) for name in sorted(KEPT)}
    check_plain(raw)
    config["target_modules"] = _sorted(raw.get("target_modules"))
    config |= {"base_model_name_or_path": base.repo, "revision": base.revision, "inference_mode": True}
    config["rank_pattern"], config["alpha_pattern"] = raw.get("rank_pattern") or {}, raw.get("alpha_pattern") or {}
    config["use_dora"], config["use_rslora"] = False, bool(raw.get("use_rslora"))
    return config


def read_config(folder: Path, base: BaseFacts) -> dict[str, Any]:
    """Read the configuration of a bundle's adapter.

    Raises:
        RefusedError: not plain LoRA, not canonical, or of another base.
    """
    raw: dict[str, Any] = read_json(folder / NAME, Code.ADAPTER_CONFIG)
    check_plain(raw)
    named = (raw.get("base_model_name_or_path"), raw.get("revision"))
    if named != (base.repo, base.revision):
        raise RefusedError(
            Code.ADAPTER_BASE,
            f"{NAME} names the base {named[0]} at {named[1]}, bundle.json {base.repo} at {base.revision}",
        )
    if raw != canonical_config(raw, base):
        extra = sorted(raw.keys() - KEPT)
        raise RefusedError(Code.ADAPTER_CONFIG, f"{NAME} is not what export writes (further fields: {extra or 'none'})")
    return raw


def check_plain(raw: Mapping[str, Any]) -> None:
    """Refuse what is not plain LoRA on linear layers.

    Raises:
        RefusedError: names the field and its value.
    """
    if raw.get("peft_type") != "LORA":
        raise RefusedError(Code.ADAPTER_CONFIG, f"{NAME}: peft_type is {raw.get('peft_type')!r}, not LORA")
    if raw.get("modules_to_save"):
        raise RefusedError(Code.ADAPTER_FULL_WEIGHTS, f"{NAME}: modules_to_save is {raw['modules_to_save']!r}")
    if raw.get("bias", "none") != "none" or raw.get("use_dora"):
        raise RefusedError(Code.ADAPTER_CONFIG, f"{NAME}: bias {raw.get('bias')!r}, use_dora {raw.get('use_dora')!r}")
    if not _positive(raw.get("r")) or not _positive(raw.get("lora_alpha")) or not raw.get("target_modules"):
        raise RefusedError(
            Code.ADAPTER_CONFIG, f"{NAME}: r, lora_alpha and target_modules must be there, r a positive integer"
        )
    for name in sorted(raw.keys() - KEPT - {"auto_mapping"}):
        if raw[name] and raw[name] not in UNUSED.get(name, ()):
            raise RefusedError(Code.ADAPTER_CONFIG, f"{NAME}: {name} is {raw[name]!r}, which is no plain LoRA")


def _positive(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _sorted(targets: Any) -> Any:
    return sorted(targets) if isinstance(targets, list) else targets
