"""The adapter's tensors: their names held to the model's own modules, counted, measured."""

import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from guerdon_serving.bundle.adapter_config import WEIGHTS
from guerdon_serving.bundle.schema import AdapterFacts, BaseFacts, FileFacts, ModuleFacts, Norms
from guerdon_serving.codes import Code, RefusedError

if TYPE_CHECKING:
    import torch

type Group = Literal["lm", "visual", "merger", "deepstack", "lm_head"]

GROUPS: Final[tuple[Group, ...]] = ("lm", "visual", "merger", "deepstack", "lm_head")
PREFIX: Final = "base_model.model."
A, B = ".lora_A.weight", ".lora_B.weight"


@dataclass(frozen=True, slots=True)
class Expected:
    """What the adapter of a model must hold."""

    shapes: Mapping[str, tuple[int, ...]]
    modules: Mapping[str, ModuleFacts]


def expected_tensors(model_folder: Path, config: Mapping[str, Any]) -> Expected:
    """Put the adapter on the model's skeleton (no memory for weights) and read off its tensors.

    Args:
        model_folder: holds ``config.json``.
        config: ``adapter_config.json``.

    Raises:
        RefusedError: no such model, or no module that the adapter aims at.
    """
    import torch
    from peft import LoraConfig, get_peft_model, get_peft_model_state_dict
    from peft.tuners.lora import LoraLayer
    from transformers import AutoConfig, AutoModelForImageTextToText

    fields = {name: config[name] for name in ("r", "lora_alpha", "target_modules", "exclude_modules", "use_rslora")}
    patterns = {name: dict(config[name]) for name in ("rank_pattern", "alpha_pattern")}
    try:
        with torch.device("meta"):
            settings = AutoConfig.from_pretrained(model_folder, local_files_only=True, trust_remote_code=False)
            model = AutoModelForImageTextToText.from_config(settings)
        with warnings.catch_warnings(action="ignore"):  # what PEFT warns of is refused below, by name
            peft = get_peft_model(model, LoraConfig(**fields, **patterns), low_cpu_mem_usage=True)
    except (ValueError, OSError, KeyError, TypeError) as error:
        raise RefusedError(
            Code.ADAPTER_KEYS, f"the adapter does not fit the model in {model_folder}: {error}"
        ) from error
    layers = {name: layer for name, layer in peft.named_modules() if isinstance(layer, LoraLayer)}
    return Expected(
        shapes={
            key: tuple(tensor.shape)
            for key, tensor in get_peft_model_state_dict(peft, save_embedding_layers=False).items()
        },
        modules={
            name.removeprefix(PREFIX): ModuleFacts(rank=layer.r["default"], scaling=float(layer.scaling["default"]))
            for name, layer in sorted(layers.items())
        },
    )


def read_tensors(folder: Path) -> "dict[str, torch.Tensor]":
    """Read ``adapter_model.safetensors``.

    Raises:
        RefusedError: missing, or no safetensors.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    path = folder / WEIGHTS
    if not path.is_file():
        raise RefusedError(Code.ADAPTER_MISSING, f"there is no {path}")
    try:
        return load_file(path)
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        raise RefusedError(Code.ADAPTER_UNREADABLE, f"{path} is no safetensors file: {error}") from error


def describe_adapter(
    folder: Path, model_folder: Path, config: Mapping[str, Any], base: BaseFacts, files: list[FileFacts]
) -> AdapterFacts:
    """Check every tensor and say what there is.

    Args:
        folder: the adapter's.
        model_folder: holds the base's ``config.json``.
        config: the adapter's configuration.
        base: the base's facts.
        files: the adapter's files, as the facts shall list them.

    Raises:
        RefusedError: names, shapes, values or effect are not what they must be.
    """
    tensors = read_tensors(folder)
    check_names(tensors.keys(), folder)
    expected = expected_tensors(model_folder, config)
    check_fit({name: tuple(tensor.shape) for name, tensor in tensors.items()}, expected)
    groups = count_groups(expected.modules)
    if base.tie_word_embeddings and groups["lm_head"]:
        raise RefusedError(Code.ADAPTER_TIED_HEAD, f"{folder} adapts lm_head, whose weights are those of the embedding")
    return AdapterFacts(
        files=files,
        peft_version=config.get("peft_version"),
        r_max=max(module.rank for module in expected.modules.values()),
        tensors=len(tensors),
        dtype=",".join(sorted({str(tensor.dtype).removeprefix("torch.") for tensor in tensors.values()})),
        key_prefix=_common_beginning(tensors),
        groups=groups,
        modules=dict(expected.modules),
        norms=check_values(tensors, expected.modules, folder),
    )


def check_names(names: Any, folder: Path) -> None:
    """Refuse an adapter without tensors, and tensors that are neither A nor B.

    Raises:
        RefusedError: names the first of them.
    """
    if not names:
        raise RefusedError(Code.ADAPTER_EMPTY, f"{folder / WEIGHTS} holds no tensors")
    foreign = sorted(name for name in names if not name.endswith((A, B)))
    if foreign:
        raise RefusedError(
            Code.ADAPTER_FULL_WEIGHTS,
            f"{len(foreign)} of {len(names)} tensors are neither lora_A nor lora_B, as {foreign[0]}",
        )


def check_fit(shapes: Mapping[str, tuple[int, ...]], expected: Expected) -> None:
    """Hold names and shapes to what the model's modules ask for, exactly.

    Raises:
        RefusedError: counts what is missing and unexpected, with an example of each.
    """
    missing, unexpected = sorted(expected.shapes.keys() - shapes.keys()), sorted(shapes.keys() - expected.shapes.keys())
    if missing or unexpected:
        examples = "; ".join(
            f"{what} {names[0]}" for what, names in (("missing", missing), ("unexpected", unexpected)) if names
        )
        raise RefusedError(
            Code.ADAPTER_KEYS,
            f"of {len(expected.shapes)} tensors that the model asks for {len(missing)} are missing, and "
            f"{len(unexpected)} are there that it does not know ({examples}); an engine would drop them in silence",
        )
    wrong = [name for name in sorted(shapes) if shapes[name] != expected.shapes[name]]
    if wrong:
        name = wrong[0]
        raise RefusedError(
            Code.ADAPTER_SHAPE,
            f"{len(wrong)} tensors have another shape, as {name}: {shapes[name]}, not {expected.shapes[name]}",
        )


def check_values(tensors: "Mapping[str, torch.Tensor]", modules: Mapping[str, ModuleFacts], folder: Path) -> Norms:
    """Measure the adapter in fp64.

    Raises:
        RefusedError: NaN or infinity somewhere, or an update of exactly nothing.
    """
    bad = sorted(name for name, tensor in tensors.items() if not bool(tensor.isfinite().all()))
    if bad:
        raise RefusedError(
            Code.ADAPTER_NOT_FINITE, f"{folder / WEIGHTS} holds NaN or infinity in {len(bad)} tensors, as {bad[0]}"
        )
    squares = {"a": 0.0, "b": 0.0, "update": 0.0}
    for name, module in modules.items():
        a, b = (tensors[f"{PREFIX}{name}{which}"].double().flatten(1) for which in (A, B))
        squares["a"] += float(a.square().sum())
        squares["b"] += float(b.square().sum())
        squares["update"] += module.scaling**2 * float(((b.T @ b) * (a @ a.T)).sum())
    norms = Norms(**{name: float(f"{math.sqrt(max(square, 0.0)):.6g}") for name, square in squares.items()})
    if norms.update == 0.0:
        what = "every lora_B is zero" if norms.b == 0.0 else "every product of lora_B and lora_A is zero"
        raise RefusedError(Code.ADAPTER_NO_EFFECT, f"the adapter in {folder} changes nothing: {what}")
    return norms


def group_of(module: str) -> Group:
    """Return the part of the model that a module is in."""
    if module.endswith("lm_head"):
        return "lm_head"
    if "deepstack" in module:
        return "deepstack"
    if "merger" in module:
        return "merger"
    return "visual" if "visual" in module or "vision" in module else "lm"


def _common_beginning(names: Iterable[str]) -> str:
    columns = zip(*names, strict=False)
    return "".join(letters[0] for letters in takewhile(lambda letters: len(set(letters)) == 1, columns))


def count_groups(modules: Mapping[str, ModuleFacts]) -> dict[Group, int]:
    """Count adapted modules by part; every part is named."""
    found = [group_of(module) for module in modules]
    return {group: found.count(group) for group in GROUPS}
