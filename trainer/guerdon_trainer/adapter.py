"""The saved adapter: complete, finite, and not without effect."""

import json
import math
import shutil
from dataclasses import dataclass
from pathlib import Path

from guerdon import RunError
from guerdon.config import RunConfig
from guerdon_trainer.folder import RunFolder


@dataclass(frozen=True, slots=True)
class AdapterFacts:
    """What a saved adapter holds."""

    tensors: int
    modules: int
    b_norm: float
    """Frobenius norm of all lora_B matrices: 0 is an adapter without effect."""


def check_adapter(folder: Path, config: RunConfig, *, trained: bool = False) -> AdapterFacts:
    """Count and inspect the tensors of an adapter.

    Args:
        folder: holds ``adapter_config.json`` and ``adapter_model.safetensors``.
        config: says which modules must have one, and at which rank.
        trained: after training, B must not be zero any more.

    Raises:
        RunError: no readable file, no tensors (SkyRL's export writes none on newer peft), an A without its B, a
            target module that has none, the wrong rank, a non-finite value, or no effect.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        tensors = load_file(folder / "adapter_model.safetensors")
    except (OSError, SafetensorError) as error:
        raise RunError(f"adapter {folder}: adapter_model.safetensors cannot be read: {error}") from error
    a = {name.replace(".lora_A.", ".#."): tensor for name, tensor in tensors.items() if ".lora_A." in name}
    b = {name.replace(".lora_B.", ".#."): tensor for name, tensor in tensors.items() if ".lora_B." in name}
    if not a or a.keys() != b.keys() or len(a) + len(b) != len(tensors):
        raise RunError(
            f"adapter {folder}: {len(a)} lora_A and {len(b)} lora_B of {len(tensors)} tensors; each module needs both. "
            "Is peft the version that pyproject.toml pins?"
        )
    missing = [name for name in config.adapter.target_modules if not any(f".{name}." in key for key in a)]
    if missing:
        raise RunError(f"adapter {folder}: no tensors for adapter.target_modules {', '.join(missing)}")
    ranks = {tensor.shape[0] for tensor in a.values()} | {tensor.shape[1] for tensor in b.values()}
    if ranks != {config.adapter.rank}:
        raise RunError(f"adapter {folder}: found rank {sorted(ranks)}, adapter.rank is {config.adapter.rank}")
    norm = math.sqrt(sum(float(tensor.double().square().sum()) for tensor in b.values()))
    if not math.isfinite(norm) or not all(bool(tensor.isfinite().all()) for tensor in a.values()):
        raise RunError(f"adapter {folder} holds NaN or infinity; lower algorithm.learning_rate")
    if trained and norm == 0.0:
        raise RunError(f"adapter {folder} has no effect: every lora_B is zero, so no step updated it")
    return AdapterFacts(len(tensors), len(a), norm)


def name_base_model(folder: Path, base: str, revision: str | None) -> None:
    """Write the base into ``adapter_config.json``, where PEFT and SkyRL leave the revision out."""
    path = folder / "adapter_config.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts |= {"base_model_name_or_path": base, "revision": revision, "inference_mode": True}
    path.write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def save_adapter(config: RunConfig, folder: RunFolder) -> AdapterFacts:
    """Copy the adapter of the last checkpoint to its place, checked and with its base named."""
    source = folder.checkpoints / f"global_step_{config.runtime.steps}" / "policy" / "lora_adapter"
    staged = folder.path / "adapter.tmp"
    shutil.rmtree(staged, ignore_errors=True)
    shutil.copytree(source, staged)
    name_base_model(staged, config.model.name_or_path, config.model.revision)
    facts = check_adapter(staged, config, trained=True)
    shutil.rmtree(folder.adapter, ignore_errors=True)
    staged.replace(folder.adapter)
    return facts
