"""The folder of a run: what lies where, and whether this configuration may go on in it."""

import hashlib
import json
import os
import platform
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from guerdon import Plugins, RunError
from guerdon.config import RunConfig, dump_config, identity
from guerdon_trainer.snapshot import Snapshot

IMAGE = "GUERDON_IMAGE"
"""The environment variable by which our manifests tell a container its image with digest."""

VERSIONS = ("guerdon", "skyrl", "ray", "torch", "transformers", "peft", "vllm")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Paths below ``<output_dir>/<run.name>``."""

    path: Path

    @property
    def record(self) -> Path:
        """``run.json``: configuration, versions, hashes, seeds, git state."""
        return self.path / "run.json"

    @property
    def ledger(self) -> Path:
        """Every component of every sample."""
        return self.path / "ledger"

    @property
    def checkpoints(self) -> Path:
        """SkyRL's ``global_step_N`` folders."""
        return self.path / "checkpoints"

    @property
    def adapter(self) -> Path:
        """The trained LoRA adapter in PEFT's format."""
        return self.path / "adapter"

    @property
    def scratch(self) -> Path:
        """What may be lost: the adapter on its way to the sampler, exports, logs."""
        return self.path / "scratch"

    @property
    def logs(self) -> Path:
        """SkyRL's log of this process and of its workers."""
        return self.scratch / "logs"

    @property
    def tensorboard(self) -> Path:
        """TensorBoard's event files."""
        return self.path / "tensorboard"


def open_run(config: RunConfig, plugins: Plugins, base: Snapshot | None = None) -> tuple[RunFolder, int]:
    """Create the run's folder, or check that this configuration may resume it.

    Returns:
        The folder and the number of this attempt, counted from 1.

    Raises:
        RunError: the folder belongs to a run with another configuration, other reward code, data or base model.
    """
    folder = RunFolder(Path(config.runtime.output_dir).resolve() / config.run.name)
    folder.path.mkdir(parents=True, exist_ok=True)
    attempt = 1
    facts = describe(config, plugins, base)
    if folder.record.exists():
        previous = json.loads(folder.record.read_text(encoding="utf-8"))
        _check_same_run(previous, config, folder)
        _check_same_content(previous, facts, folder)
        attempt = previous["attempt"] + 1
    facts["attempt"] = attempt
    temporary = folder.record.with_suffix(".tmp")
    temporary.write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    temporary.replace(folder.record)
    return folder, attempt


def describe(config: RunConfig, plugins: Plugins, base: Snapshot | None = None) -> dict[str, Any]:
    """Gather what a reader needs to repeat the run."""
    return {
        "schema_version": 1,
        "config": dump_config(config),
        "config_hash": identity(config),
        "rewards": {
            name: {
                "plugin": reward.name,
                "origin": plugins.entry(reward.name).origin,
                "version": plugins.entry(reward.name).version,
                "code_hash": plugins.entry(reward.name).code_hash,
            }
            for name, reward in config.rewards.items()
        },
        "data": {
            "train": _digest(config.data.train_manifest),
            "eval": _digest(config.data.eval_manifest) if config.data.eval_manifest else None,
        },
        "versions": {name: version for name in VERSIONS if (version := _version(name))},
        "python": platform.python_version(),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count()},
        "git": _git(),
        "image": os.environ.get(IMAGE),
        "base": base.record() if base else None,
    }


def _check_same_run(previous: dict[str, Any], config: RunConfig, folder: RunFolder) -> None:
    if previous["config_hash"] == identity(config):
        return
    changed = ", ".join(_differences(previous["config"], dump_config(config)))
    raise RunError(
        f"{folder.path} holds a run with another configuration ({changed}). "
        "Choose another run.name, or restore the configuration to resume"
    )


def _check_same_content(previous: dict[str, Any], facts: dict[str, Any], folder: RunFolder) -> None:
    """Refuse to go on with other code under a reward's name, other prompts under a manifest's, or another base."""
    codes = {name: reward["code_hash"] for name, reward in facts["rewards"].items()}
    changed = [
        f"the code of rewards.{name}"
        for name, reward in previous["rewards"].items()
        if reward["code_hash"] != codes.get(name)
    ]
    known = previous.get("data", {})
    changed += [f"data.{split}_manifest" for split, digest in facts["data"].items() if known.get(split) != digest]
    changed += [f"{path} of the base model" for path in _changed_files(previous.get("base"), facts["base"])]
    if changed:
        raise RunError(
            f"what {folder.path} was begun with has changed: {', '.join(changed)}. "
            "Choose another run.name, or restore it to resume"
        )


def _changed_files(old: dict[str, Any] | None, new: dict[str, Any] | None) -> list[str]:
    before, now = ({file["path"]: file["sha256"] for file in (base or {}).get("files", ())} for base in (old, new))
    return sorted(path for path in before.keys() | now.keys() if before and before.get(path) != now.get(path))


def _digest(manifest: str) -> str | None:
    """Return a manifest's sha256; None where it is no file here."""
    path = Path(manifest)
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _differences(old: Any, new: Any, path: str = "") -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted(old.keys() | new.keys())
        return [line for key in keys for line in _differences(old.get(key), new.get(key), f"{path}.{key}".lstrip("."))]
    return [] if old == new else [f"{path}: {old!r} -> {new!r}"]


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _git() -> dict[str, Any] | None:
    """Return commit and whether the working tree differs from it; None outside a checkout."""
    command = ["git", "status", "--porcelain=v2", "--branch"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    lines = done.stdout.splitlines()
    commit = next((line.split()[-1] for line in lines if line.startswith("# branch.oid")), None)
    return {"commit": commit, "dirty": any(not line.startswith("#") for line in lines)}
