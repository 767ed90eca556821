"""Merging: the adapter goes into the base's weights, in fp32, cast once at the end.

In bf16 the sum itself drifts by 4e-3 where fp32 has 3e-7, and small updates vanish in the rounding; how
many did is reported, and the probes are asked again.
"""

import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from guerdon_serving.bundle.adapter import PREFIX, A, B, read_tensors
from guerdon_serving.bundle.base import CONFIG, WEIGHTS, check_base, find_base
from guerdon_serving.bundle.files import read_json
from guerdon_serving.bundle.read import Bundle
from guerdon_serving.bundle.schema import ModuleFacts
from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.verify import verify_static

if TYPE_CHECKING:
    import torch

type MergedDtype = Literal["base", "float32"]

RECORD: Final = "merged.json"
INDEX: Final = "model.safetensors.index.json"


@dataclass(slots=True)
class MergeReport:
    """What merging did to the weights."""

    bundle: str
    """The bundle's id."""
    base: str
    """The base's revision."""
    dtype: MergedDtype
    modules: int = 0
    """Weight matrices that were changed."""
    updated: int = 0
    """Entries that the adapter changes in fp32."""
    swallowed: int = 0
    """Of these, entries that are the base's again after the cast."""
    cast_error: float = 0.0
    """Largest difference of an entry by the cast."""
    probe_gap: float = field(default=0.0)
    """Largest difference of a probe's log-probability from the adapter's recorded one."""

    @property
    def swallowed_share(self) -> float:
        """Share of updates that the cast undid."""
        return self.swallowed / self.updated if self.updated else 0.0


def merge_bundle(folder: Path, output: Path, *, base: Path | None = None, dtype: MergedDtype = "base") -> MergeReport:
    """Write a model folder with the adapter merged in, file by file as the base has them.

    Args:
        folder: the bundle's.
        output: a folder that is not there yet.
        base: the base's folder, if it is not where `find_base` looks.
        dtype: of the merged weights: as in the base, or fp32 throughout.

    Raises:
        RefusedError: the bundle or base is not what it must be, a module's weight is not in the base under
            its own name, a merged value is not finite, or the probes are answered otherwise.
    """
    bundle = verify_static(folder)
    if output.exists():
        raise RefusedError(Code.BUNDLE_OUTPUT, f"{output} is there already")
    source = find_base(bundle.facts.base, bundle.folder, base)
    check_base(bundle.facts.base, source)
    report = MergeReport(bundle.id, str(bundle.facts.base.revision), dtype)
    staged = output.with_name(f".{output.name}.tmp")
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(parents=True)
    try:
        size = _merge_files(bundle, source, staged, report)
        _copy_small_files(bundle, staged, dtype, size)
        report.probe_gap = _ask_probes(bundle, staged, dtype)
        (staged / RECORD).write_text(json.dumps(asdict(report), indent=2, sort_keys=True) + "\n", encoding="utf-8")
        staged.rename(output)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return report


def _merge_files(bundle: Bundle, source: Path, target: Path, report: MergeReport) -> int:
    """Write all weight files; return their tensors' size in bytes."""
    from safetensors.torch import save_file

    adapter = read_tensors(bundle.adapter)
    left = {f"{name}.weight": (name, module) for name, module in bundle.facts.adapter.modules.items()}
    size = 0
    for file in bundle.facts.base.files:
        if not file.path.endswith(WEIGHTS):
            continue
        tensors = {}
        for key, weight in _read(source / file.path):
            name, module = left.pop(key, (None, None))
            tensors[key] = weight if module is None else _merged(weight, adapter, str(name), module, report)
            tensors[key] = tensors[key].float() if report.dtype == "float32" else tensors[key].to(weight.dtype)
            size += tensors[key].nbytes
        save_file(tensors, target / file.path, metadata={"format": "pt"})
    if left:
        raise RefusedError(
            Code.MERGE_KEYS, f"the base has no tensor for {len(left)} adapted modules, as {next(iter(left))}"
        )
    return size


def _read(path: Path) -> "Iterator[tuple[str, torch.Tensor]]":
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        for key in file.keys():  # noqa: SIM118 - it has no iterator
            yield key, file.get_tensor(key)


def _merged(
    weight: "torch.Tensor", adapter: "dict[str, torch.Tensor]", name: str, module: ModuleFacts, report: MergeReport
) -> "torch.Tensor":
    """Return weight + scaling x B A in fp32, counting what the cast to come will undo."""
    a, b = (adapter[f"{PREFIX}{name}{which}"].float().flatten(1) for which in (A, B))
    delta = (b @ a * module.scaling).reshape(weight.shape)
    merged = weight.float() + delta
    if not bool(merged.isfinite().all()):
        raise RefusedError(Code.ADAPTER_NOT_FINITE, f"merging makes {name} infinite or NaN")
    cast = merged if report.dtype == "float32" else merged.to(weight.dtype)
    changed = delta != 0
    report.modules += 1
    report.updated += int(changed.sum())
    report.swallowed += int((changed & (cast.float() == weight.float())).sum())
    report.cast_error = max(report.cast_error, float((cast.float() - merged).abs().max()))
    return merged


def _copy_small_files(bundle: Bundle, target: Path, dtype: MergedDtype, size: int) -> None:
    for file in bundle.facts.base.files:
        if not file.path.endswith(WEIGHTS):
            shutil.copyfile(bundle.base / file.path, target / file.path)
    if dtype == "float32":
        _rewrite(target / CONFIG, _state_dtype)
        if (target / INDEX).is_file():
            _rewrite(target / INDEX, lambda index: index | {"metadata": {"total_size": size}})


def _state_dtype(config: dict[str, Any]) -> dict[str, Any]:
    """Say fp32 wherever a dtype is stated, in nested configurations too."""
    return {
        key: _state_dtype(value) if isinstance(value, dict) else "float32" if key in ("dtype", "torch_dtype") else value
        for key, value in config.items()
    }


def _rewrite(path: Path, change: Any) -> None:
    data = change(read_json(path, Code.BASE_INCOMPLETE))
    path.write_text(json.dumps(data, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _ask_probes(bundle: Bundle, merged: Path, dtype: MergedDtype) -> float:
    """Return how far the merged model's answers are from the adapter's; in fp32 they must agree."""
    from guerdon_serving.model.policy import Policy
    from guerdon_serving.model.probes import TOLERANCE, encode_probes, gap_to
    from guerdon_serving.model.prompting import Prompter

    policy = Policy(merged, bundle.facts.tokenizer)
    encoded = encode_probes(Prompter(bundle.base))
    gap = max(gap_to(policy, None, encoded[name], probe.adapter) for name, probe in bundle.facts.probes.items())
    if dtype == "float32" and not gap <= TOLERANCE["float32"]:
        raise RefusedError(
            Code.PROBE_MISMATCH, f"the merged model's log-probabilities are up to {gap:.2g} from the adapter's"
        )
    return gap
