"""From a configuration to a finished run."""

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import ray
from loguru import logger

from guerdon import Plugins, RunError
from guerdon.advantage import check_advantage
from guerdon.config import RunConfig
from guerdon.manifest import read_manifest
from guerdon.scoring.engine import Engine
from guerdon_trainer.folder import RunFolder, open_run
from guerdon_trainer.metrics import Metrics, Sink, TensorBoard
from guerdon_trainer.recorder import Recorder
from guerdon_trainer.skyrl.compat import QUIET

import guerdon_trainer.skyrl  # noqa: F401 isort: skip - before anything of SkyRL


def train(config: RunConfig, plugins: Plugins, sinks: Sequence[Sink] = ()) -> RunFolder:
    """Train, or resume where the run's folder has a checkpoint, and save the adapter.

    Args:
        config: the validated configuration.
        plugins: what `load_config` loaded for it.
        sinks: further takers of metrics, such as a progress display.

    Raises:
        RunError: the folder holds another run, or the saved adapter is not what it must be.
    """
    from guerdon_trainer.skyrl.checkpoint import committed_step  # noqa: PLC0415

    check_advantage(config.algorithm, config.rewards, config.outcome)
    prompts = read_manifest(config.data.train_manifest)
    held_out = read_manifest(config.data.eval_manifest) if config.data.eval_manifest else []
    if len(prompts) < config.prompts_per_step:
        raise RunError(f"{config.data.train_manifest} holds {len(prompts)} prompts; a step needs {config.prompts_per_step}")
    folder, attempt = open_run(config, plugins)
    done = committed_step(folder.checkpoints)
    if done < config.runtime.steps:
        recorder = Recorder(config, plugins, folder, attempt)
        metrics = Metrics([recorder, TensorBoard(folder.tensorboard, from_step=done), *sinks])
        with (
            Engine(config.rewards, plugins=plugins, workers=config.runtime.scoring_workers) as engine,
            contextlib.closing(recorder),
        ):
            _run(config, plugins, folder, engine, recorder, metrics, prompts, held_out)
    _save_adapter(config, folder)
    return folder


def _run(config, plugins, folder, engine, recorder, metrics, prompts, held_out) -> None:  # type: ignore[no-untyped-def]
    from skyrl.train.config import SkyRLTrainConfig  # noqa: PLC0415
    from skyrl.train.utils import validate_cfg  # noqa: PLC0415

    from guerdon_trainer.backend import choose  # noqa: PLC0415
    from guerdon_trainer.skyrl.experiment import GuerdonExperiment, Parts  # noqa: PLC0415
    from guerdon_trainer.skyrl_settings import to_skyrl  # noqa: PLC0415

    with quiet(folder):
        cfg = SkyRLTrainConfig.from_cli_overrides(to_skyrl(config, folder))
        validate_cfg(cfg)
        backend = choose(config)
        with ray_session(backend, config, cfg, folder):
            parts = Parts(config, plugins, backend, engine, recorder, metrics, prompts, held_out)
            GuerdonExperiment(cfg, parts).run()


@contextlib.contextmanager
def ray_session(backend, config, cfg, folder) -> Iterator[None]:  # type: ignore[no-untyped-def]
    """Have Ray while the run lasts."""
    from skyrl.train.utils.utils import prepare_runtime_environment  # noqa: PLC0415

    environment = prepare_runtime_environment(cfg) | {name: os.environ[name] for name in QUIET}
    environment["SKYRL_LOG_FILE"] = str(folder.scratch / "logs" / "workers.log")
    (folder.scratch / "logs").mkdir(parents=True, exist_ok=True)
    backend.start_ray(config, environment)
    try:
        yield
    finally:
        ray.shutdown()


@contextlib.contextmanager
def quiet(folder: RunFolder) -> Iterator[None]:
    """Send SkyRL's log to a file, so that the terminal is ours."""
    logs = folder.scratch / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    os.environ["TQDM_DISABLE"] = "1"
    logger.remove()
    handler = logger.add(logs / "trainer.log", level="INFO")
    try:
        yield
    finally:
        logger.remove(handler)
        logger.add(sys.stderr, level="WARNING")


def _save_adapter(config: RunConfig, folder: RunFolder) -> None:
    """Copy the adapter of the last checkpoint to its place, checked and with its base named."""
    from guerdon_trainer.skyrl.adapter import check_adapter, name_base_model  # noqa: PLC0415

    source = folder.checkpoints / f"global_step_{config.runtime.steps}" / "policy" / "lora_adapter"
    staged = folder.path / "adapter.tmp"
    shutil.rmtree(staged, ignore_errors=True)
    shutil.copytree(source, staged)
    name_base_model(staged, config.model.name_or_path, config.model.revision)
    check_adapter(staged, config, trained=True)
    shutil.rmtree(folder.adapter, ignore_errors=True)
    Path(staged).replace(folder.adapter)
