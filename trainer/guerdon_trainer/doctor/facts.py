"""What one machine runs. Gathered in the process that asks, so in a Ray task about that task's node."""

import hashlib
import os
import platform
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from guerdon.errors import GuerdonError
from guerdon.plugins import InlineFile, load_plugins
from guerdon_trainer.folder import IMAGE

VERSIONS = ("guerdon", "ray", "torch", "skyrl", "transformers", "peft", "vllm")
ABSENT = "absent"

type Facts = dict[str, str | None]
"""Field to value; None where a field does not apply, as a driver to a machine without GPU."""


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked beyond the versions of libraries."""

    files: tuple[InlineFile, ...] = ()
    """Plugin files of the configuration. They travel by content and are imported on every node."""

    model: str | None = None
    """Folder of the base model, which every node must have."""


def gather(questions: Questions, *, has_gpu: bool | None = None) -> Facts:
    """Return the facts of this machine.

    Args:
        questions: about plugins and model.
        has_gpu: what Ray says of the node; None lets the driver decide.
    """
    driver = _driver()
    facts: Facts = {
        "python": platform.python_version(),
        "driver": driver or (ABSENT if has_gpu else None),
        **_torch(),
        **{name: _version(name) for name in VERSIONS},
        "image": os.environ.get(IMAGE, "not told"),
    }
    facts |= _plugins(questions.files)
    if questions.model is not None:
        facts["model"] = _model(Path(questions.model))
    return facts


def _driver() -> str | None:
    """Return the version of the NVIDIA driver; None without one."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return next(iter(done.stdout.split()), None)


def _torch() -> Facts:
    """Return CUDA and NCCL as torch was built with them."""
    try:
        import torch
    except ImportError:
        return {"cuda": ABSENT, "nccl": ABSENT}
    built = torch.version.cuda
    if built is None:
        return {"cuda": ABSENT, "nccl": ABSENT}
    nccl: Any = torch.cuda.nccl
    return {"cuda": built, "nccl": ".".join(map(str, nccl.version()))}


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ABSENT


def _plugins(files: tuple[InlineFile, ...]) -> Facts:
    """Return the code hash of every reward; of a file that cannot be imported here, why."""
    facts: Facts = dict(_installed())
    for file in files:
        try:
            file.load()
        except GuerdonError as error:
            facts[f"plugin {Path(file.path).name}"] = str(error)
        else:
            facts[f"plugin {Path(file.path).name}"] = file.digest[:12]
    return facts


def _installed() -> Iterator[tuple[str, str]]:
    try:
        plugins = load_plugins()
    except GuerdonError as error:
        yield "plugins", str(error)
        return
    for name, entry in sorted(plugins.rewards.items()):
        yield f"reward {name}", entry.code_hash[:12]
    for failure in plugins.failures:
        yield f"plugin {failure.origin}:{failure.entry_point}", failure.error


def _model(folder: Path) -> str:
    """Return a digest of names and sizes: cheap, and enough to see a model that is missing or cut short."""
    if not folder.is_dir():
        return ABSENT
    listed = sorted((path.name, path.stat().st_size) for path in folder.iterdir() if path.is_file())
    return hashlib.sha256(repr(listed).encode()).hexdigest()[:12]
