"""The run that an adapter comes from: what its folder records, and what of it goes into the bundle."""

import re
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from guerdon_serving.bundle.files import file_facts, read_json
from guerdon_serving.bundle.schema import DataFacts, RewardFacts, RunFacts
from guerdon_serving.codes import Code, RefusedError

RECORD: Final = "run.json"
CHECKPOINT: Final = re.compile(r"global_step_(\d+)")


class RecordedReward(BaseModel):
    """Where a component's code comes from."""

    plugin: str
    origin: str
    version: str
    code_hash: str = Field(pattern=r"^[0-9a-f]{64}$")

    @property
    def in_a_file(self) -> bool:
        """It was given by path, so that no package version stands for its code."""
        return self.version.startswith("file@")


class RunRecord(BaseModel):
    """``run.json``, so far as a bundle needs it."""

    model_config = ConfigDict(frozen=True)

    config: dict[str, Any]
    config_hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    rewards: dict[str, RecordedReward] = Field(min_length=1)
    data: dict[str, str | None] = Field(default_factory=dict)
    """The sha256 of each split's manifest, as the run read it."""

    versions: dict[str, str]
    git: dict[str, Any] | None = None
    attempt: int

    @property
    def base(self) -> str:
        """Path or hub name of the base."""
        return str(self.config["model"]["name_or_path"])

    @property
    def revision(self) -> str | None:
        """The 40-hex commit of a base from the hub."""
        revision: str | None = self.config["model"].get("revision")
        return revision

    @property
    def dirty(self) -> bool:
        """The working tree that the run started in is not known to be a commit."""
        return self.git is None or bool(self.git.get("dirty", True)) or not self.git.get("commit")


def read_run(folder: Path) -> RunRecord:
    """Read ``run.json``.

    Raises:
        RefusedError: no run, or provenance is missing.
    """
    data = read_json(folder / RECORD, Code.RUN_MISSING)
    try:
        record = RunRecord.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = ".".join(str(part) for part in first["loc"])
        code = Code.RUN_REWARDS if path.startswith("rewards") else Code.RUN_MISSING
        raise RefusedError(code, f"{folder / RECORD}: {path}: {first['msg']}") from None
    for section in ("model", "run", "data", "rewards", "runtime", "outcome"):
        if section not in record.config:
            raise RefusedError(Code.RUN_MISSING, f"{folder / RECORD}: config has no {section}")
    if missing := sorted(record.config["rewards"].keys() - record.rewards.keys()):
        raise RefusedError(Code.RUN_REWARDS, f"{folder / RECORD} does not say what code the rewards {missing} ran")
    return record


def describe_run(record: RunRecord, step: int) -> RunFacts:
    """Say what the run was, without paths of its machine."""
    config = record.config
    runtime = config["runtime"]
    return RunFacts(
        name=config["run"]["name"],
        step=step,
        seed=config["run"]["seed"],
        attempt=record.attempt,
        world_size=int(runtime.get("nodes", 1)) * int(runtime.get("gpus_per_node", 1)),
        config=portable(config),
        config_hash=record.config_hash,
        outcome=config["outcome"],
        versions=record.versions,
        git=record.git,
    )


def describe_rewards(record: RunRecord, *, allow_dirty: bool) -> dict[str, RewardFacts]:
    """Say which code judged.

    Raises:
        RefusedError: a reward from a file that no commit is known to hold, unless allowed.
    """
    dirty = sorted(name for name, reward in record.rewards.items() if reward.in_a_file and record.dirty)
    if dirty and not allow_dirty:
        raise RefusedError(
            Code.RUN_DIRTY, f"the rewards {', '.join(dirty)} ran code from a file that was in no clean git commit"
        )
    return {
        name: RewardFacts(
            plugin=reward.plugin,
            origin=PurePosixPath(reward.origin).name if reward.in_a_file else reward.origin,
            version=reward.version,
            code_hash=reward.code_hash,
            dirty=name in dirty,
            role=record.config["rewards"][name].get("role", "train"),
            weight=record.config["rewards"][name].get("weight", 1.0),
        )
        for name, reward in sorted(record.rewards.items())
    }


def describe_data(record: RunRecord) -> list[DataFacts]:
    """Digest the manifests that the run read.

    Raises:
        RefusedError: a manifest is not where the run read it, or holds something else by now.
    """
    splits: tuple[Literal["train", "eval"], ...] = ("train", "eval")
    facts = []
    for split in splits:
        manifest = record.config["data"].get(f"{split}_manifest")
        if manifest is None:
            continue
        path = Path(manifest)
        if not path.is_file():
            raise RefusedError(Code.RUN_DATA, f"the {split} manifest {manifest} is gone")
        sha256 = file_facts(path, path.name).sha256
        if record.data.get(split, sha256) != sha256:
            raise RefusedError(Code.RUN_DATA, f"the {split} manifest {manifest} is not the one that the run read")
        facts.append(DataFacts(split=split, name=path.name, sha256=sha256))
    return facts


def adapter_folder(run: Path, step: int | None) -> Path:
    """Return where the adapter of a step lies; None is the finished run's.

    Raises:
        RefusedError: it is not there (any more).
    """
    folder = (
        run / "adapter" if step is None else run / "checkpoints" / f"global_step_{step}" / "policy" / "lora_adapter"
    )
    if not folder.is_dir():
        steps = ", ".join(str(step) for step in saved_steps(run)) or "none"
        code = Code.ADAPTER_MISSING if step is None else Code.RUN_STEP
        raise RefusedError(code, f"there is no {folder}; checkpoints with an adapter: {steps}")
    return folder


def saved_steps(run: Path) -> list[int]:
    """List the steps whose checkpoint holds an adapter."""
    found = (run / "checkpoints").glob("global_step_*/policy/lora_adapter")
    names = [path.parent.parent.name for path in found]
    return sorted(int(match[1]) for name in names if (match := CHECKPOINT.fullmatch(name)))


def portable(config: dict[str, Any]) -> dict[str, Any]:
    """Shorten the configuration's paths to names, so that a bundle says nothing about a machine."""
    config = dict(config)
    config["model"] = {**config["model"], "name_or_path": base_name(config["model"]["name_or_path"])}
    config["data"] = {name: value and PurePosixPath(value).name for name, value in config["data"].items()}
    config["runtime"] = {name: value for name, value in config["runtime"].items() if name != "output_dir"}
    config["plugins"] = [PurePosixPath(path).name for path in config.get("plugins") or ()]
    return config


def base_name(name_or_path: str) -> str:
    """Return the hub's name as it is, and of a path its last part."""
    is_path = name_or_path.startswith(("/", ".", "~")) or Path(name_or_path).is_dir()
    return PurePosixPath(name_or_path).name if is_path else name_or_path
