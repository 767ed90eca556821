"""From a configuration to a finished run."""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from loguru import logger

from guerdon import Plugins, RunError
from guerdon.advantage import check_advantage
from guerdon.config import RunConfig
from guerdon.manifest import Prompt, read_manifest
from guerdon.scoring.engine import Engine
from guerdon_trainer.adapter import save_adapter
from guerdon_trainer.checkpoint import committed_step
from guerdon_trainer.folder import RunFolder, open_run
from guerdon_trainer.lengths import check_lengths, load_processor
from guerdon_trainer.metrics import Metrics, Sink, TensorBoard
from guerdon_trainer.recorder import Recorder


def train(config: RunConfig, plugins: Plugins, sinks: Sequence[Sink] = ()) -> RunFolder:
    """Train, or resume where the run's folder has a checkpoint, and save the adapter.

    Args:
        config: the validated configuration.
        plugins: what `load_config` loaded for it.
        sinks: further takers of metrics, such as a progress display.

    Raises:
        DataError: a manifest cannot be read, or a prompt is longer than ``algorithm.max_prompt_tokens``.
        RunError: the folder holds another run, a manifest is too small, or the saved adapter is
            not what it must be.
    """
    check_advantage(config.algorithm, config.rewards, config.outcome)
    prompts = read_manifest(config.data.train_manifest)
    held_out = read_manifest(config.data.eval_manifest) if config.data.eval_manifest else []
    if len(prompts) < config.prompts_per_step:
        found = f"{config.data.train_manifest} holds {len(prompts)} prompts"
        raise RunError(f"{found}; a step needs {config.prompts_per_step} (runtime.prompts_per_step)")
    _check_lengths(config, prompts, held_out)
    folder, attempt = open_run(config, plugins)
    done = committed_step(folder.checkpoints)
    if done > config.runtime.steps:
        raise RunError(
            f"{folder.path} has been trained to step {done}; runtime.steps {config.runtime.steps} lies before it. "
            "Set it higher, or choose another run.name"
        )
    if done < config.runtime.steps:
        with contextlib.ExitStack() as stack:
            recorder = stack.enter_context(contextlib.closing(Recorder(config, plugins, folder, attempt)))
            workers = config.runtime.scoring_workers
            engine = stack.enter_context(Engine(config.rewards, plugins=plugins, workers=workers))
            stack.enter_context(log_to(folder))
            board = TensorBoard(folder.tensorboard, from_step=done)
            _run(config, plugins, folder, engine, recorder, Metrics([recorder, board, *sinks]), prompts, held_out)
    save_adapter(config, folder)
    return folder


def _check_lengths(config: RunConfig, prompts: Sequence[Prompt], held_out: Sequence[Prompt]) -> None:
    processor, limit = load_processor(config), config.algorithm.max_prompt_tokens
    check_lengths(prompts, processor, limit=limit, manifest=config.data.train_manifest)
    if config.data.eval_manifest:
        check_lengths(held_out, processor, limit=limit, manifest=config.data.eval_manifest)


def _run(
    config: RunConfig,
    plugins: Plugins,
    folder: RunFolder,
    engine: Engine,
    recorder: Recorder,
    metrics: Metrics,
    prompts: Sequence[Prompt],
    held_out: Sequence[Prompt],
) -> None:
    """Import SkyRL, connect to Ray, and run the experiment."""
    import guerdon_trainer.skyrl  # noqa: F401 isort: skip - before anything of SkyRL
    from skyrl.train.config import SkyRLTrainConfig
    from skyrl.train.utils import validate_cfg

    from guerdon_trainer.backend import choose
    from guerdon_trainer.skyrl.experiment import GuerdonExperiment, Parts
    from guerdon_trainer.skyrl_settings import to_skyrl

    cfg = SkyRLTrainConfig.from_cli_overrides(to_skyrl(config, folder))
    validate_cfg(cfg)
    backend = choose(config)
    with _ray(backend, config, cfg, folder):
        parts = Parts(config, plugins, backend, engine, recorder, metrics, prompts, held_out)
        GuerdonExperiment(cfg, parts).run()


@contextlib.contextmanager
def _ray(backend: Any, config: RunConfig, cfg: Any, folder: RunFolder) -> Iterator[None]:
    """Have Ray while the run lasts."""
    import ray
    from skyrl.train.utils.utils import prepare_runtime_environment

    from guerdon_trainer.skyrl.compat import QUIET

    environment = prepare_runtime_environment(cfg) | {name: os.environ[name] for name in QUIET}
    environment["SKYRL_LOG_FILE"] = str(folder.logs / "workers.log")
    backend.start_ray(config, environment)
    try:
        yield
    finally:
        ray.shutdown()


@contextlib.contextmanager
def log_to(folder: RunFolder) -> Iterator[None]:
    """Send SkyRL's log to a file, so that the terminal is ours."""
    folder.logs.mkdir(parents=True, exist_ok=True)
    logger.remove()
    handler = logger.add(folder.logs / "trainer.log", level="INFO")
    try:
        yield
    finally:
        logger.remove(handler)
        logger.add(sys.stderr, level="WARNING")
