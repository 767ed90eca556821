"""A run as a job: checked here, packed, and submitted under a readable id."""

import os
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from guerdon import ConfigError, RunError
from guerdon.config import RunConfig, identity, load_config
from guerdon.config.load import raw_config
from guerdon_trainer.jobs.client import RUN, jobs_of
from guerdon_trainer.jobs.package import check_inside, staged
from guerdon_trainer.jobs.secrets import environment, refuse_keys

NOT_READY = "No available agent"
"""What Ray's server answers (with status 500) while a cluster starts."""

PATIENCE_S = 120.0
PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class Submission:
    """What is asked of the job server."""

    run: str
    """``run.name``: what makes a resubmission resume."""

    entrypoint: str
    folder: Path
    """The working folder, whose files travel."""

    variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The job's environment; values never stand in the command line or in metadata."""

    facts: Mapping[str, str] = field(default_factory=dict)
    """Further metadata."""


def prepare(
    config: Path, overrides: Sequence[str] = (), *, folder: Path | None = None, env: Sequence[str] = ()
) -> Submission:
    """Check a configuration here and make a submission of it.

    Args:
        config: the YAML file.
        overrides: ``section.field=value``; they become part of the command line.
        folder: the working folder; the file's own by default.
        env: names of variables of this environment that the job gets.

    Raises:
        ConfigError: the configuration is wrong, a file would not travel, ``runtime.output_dir`` would
            be lost, or a key stands where others can read it.
        PluginError: a plugin file cannot be loaded.
    """
    config = Path(os.path.normpath(config.absolute()))
    folder = Path(os.path.normpath((folder or config.parent).absolute()))
    loaded, plugins = load_config(config, overrides)
    raw = raw_config(config, overrides)
    check_inside(config, raw, folder)
    _check_output(loaded)
    entrypoint = shlex.join(["guerdon", "train", str(config.relative_to(folder)), *overrides])
    refuse_keys(entrypoint, "the command line")
    for path, text in [(config, config.read_text("utf-8")), *((f.path, f.source.decode()) for f in plugins.files)]:
        refuse_keys(text, str(path))
    facts = {"guerdon_config": identity(loaded), "guerdon_version": metadata.version("guerdon")}
    return Submission(loaded.run.name, entrypoint, folder, environment(env), facts)


def submit(client: Any, submission: Submission) -> str:
    """Upload the working folder and submit; return the id: the run's name and a number that counts its jobs.

    Raises:
        RunError: a job of this run has not ended (two would write one folder), or the server refuses.
    """
    earlier = jobs_of(client, submission.run)
    if running := [job.id for job in earlier if not job.over]:
        raise RunError(
            f"run {submission.run} has a job that has not ended: {', '.join(running)}. "
            f"Follow it: `guerdon jobs logs {running[0]} --follow`, or stop it: `guerdon jobs stop {running[0]}`"
        )
    taken = {job.id for job in earlier}
    name = next(f"{submission.run}-{n}" for n in range(1, len(taken) + 2) if f"{submission.run}-{n}" not in taken)
    with staged(submission.folder) as folder:
        try:
            return _send(client, submission, name, folder)
        except (OSError, RuntimeError, ValueError) as error:
            if _arrived(client, submission, name):
                return name
            raise RunError(f"the job server did not take {name}: {' '.join(str(error).split())}") from error


def _send(client: Any, submission: Submission, name: str, folder: Path) -> str:
    """Submit, and try again while the cluster is up but its nodes are not ready yet."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return str(
                client.submit_job(
                    entrypoint=submission.entrypoint,
                    submission_id=name,
                    metadata={RUN: submission.run, **submission.facts},
                    runtime_env={"working_dir": str(folder), "env_vars": dict(submission.variables)},
                )
            )
        except RuntimeError as error:
            if NOT_READY not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(PAUSE_S)


def _arrived(client: Any, submission: Submission, name: str) -> bool:
    """Return whether a job was taken although the answer was lost."""
    try:
        return any(job.id == name for job in jobs_of(client, submission.run))
    except (OSError, RuntimeError):
        return False


def _check_output(config: RunConfig) -> None:
    path = config.runtime.output_dir
    if "://" not in path and not Path(path).is_absolute():
        raise ConfigError(
            f"runtime.output_dir {path!r} is relative: a job's working folder is temporary and on one node, so "
            "checkpoints would be lost. Give a folder that all nodes share, as runtime.output_dir=/fsx/runs"
        )
