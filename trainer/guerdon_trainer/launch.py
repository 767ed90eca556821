"""From a configuration to a finished run."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from loguru import logger

from guerdon import Plugins, RunError
from guerdon.advantage import check_advantage
from guerdon.config import RunConfig
from guerdon.manifest import Prompt, read_manifest
from guerdon.scoring.engine import Engine
from guerdon_trainer.adapter import save_adapter
from guerdon_trainer.checkpoint import committed_step
from guerdon_trainer.doctor import check_cluster
from guerdon_trainer.folder import RunFolder, open_run
from guerdon_trainer.lengths import check_lengths, load_processor
from guerdon_trainer.metrics import Metrics, Sink, TensorBoard
from guerdon_trainer.recorder import Recorder
from guerdon_trainer.snapshot import resolve_model, with_local_model


def train(config: RunConfig, plugins: Plugins, sinks: Sequence[Sink] = ()) -> RunFolder:
    """Train, or resume where the run's folder has a checkpoint, and save the adapter.

    Args:
        config: the validated configuration.
        plugins: what `load_config` loaded for it.
        sinks: further takers of metrics, such as a progress display.

    Raises:
        DataError: a manifest cannot be read, or a prompt is longer than ``algorithm.max_prompt_tokens``.
        RunError: the folder holds another run, the model cannot be had or carries code, a manifest
            is too small, or the saved adapter is not what it must be.
    """
    check_advantage(config.algorithm, config.rewards, config.outcome)
    prompts = read_manifest(config.data.train_manifest)
    held_out = read_manifest(config.data.eval_manifest) if config.data.eval_manifest else []
    if len(prompts) < config.prompts_per_step:
        found = f"{config.data.train_manifest} holds {len(prompts)} prompts"
        raise RunError(f"{found}; a step needs {config.prompts_per_step} (runtime.prompts_per_step)")
    snapshot = resolve_model(config)
    local = with_local_model(config, snapshot)
    _check_lengths(local, prompts, held_out)
    folder, attempt = open_run(config, plugins, snapshot)
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
            _run(local, plugins, folder, engine, recorder, Metrics([recorder, board, *sinks]), prompts, held_out)
    save_adapter(config, folder)
    return folder


def evaluate(config: RunConfig, plugins: Plugins, adapter: Path | None = None) -> RunFolder:
    """Sample and score the held-out prompts with a model as it is, and write them as step 0 of a run of its own.

    Args:
        config: the validated configuration; ``run.name`` names the folder, ``model`` what is evaluated.
        plugins: what `load_config` loaded for it.
        adapter: a LoRA adapter in PEFT's format to evaluate the model with.

    Raises:
        DataError: the manifest cannot be read, or a prompt is longer than ``algorithm.max_prompt_tokens``.
        RunError: there is no ``data.eval_manifest``, the folder holds another run, or the model cannot be had.
    """
    if config.data.eval_manifest is None:
        raise RunError("data.eval_manifest is not set; name the held-out prompts to evaluate on")
    held_out = read_manifest(config.data.eval_manifest)
    snapshot = resolve_model(config)
    local = with_local_model(config, snapshot)
    limit = config.algorithm.max_prompt_tokens
    check_lengths(held_out, load_processor(local), limit=limit, manifest=config.data.eval_manifest)
    folder, attempt = open_run(config, plugins, snapshot)
    if committed_step(folder.checkpoints):
        raise RunError(f"{folder.path} holds a trained run; evaluate under another run.name")
    with contextlib.ExitStack() as stack:
        recorder = stack.enter_context(contextlib.closing(Recorder(config, plugins, folder, attempt)))
        engine = stack.enter_context(Engine(config.rewards, plugins=plugins, workers=config.runtime.scoring_workers))
        stack.enter_context(log_to(folder))
        _run(
            local,
            plugins,
            folder,
            engine,
            recorder,
            Metrics([recorder]),
            [],
            held_out,
            lambda experiment: experiment.evaluate(adapter),
        )
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
    work: Callable[[Any], None] = lambda experiment: experiment.run(),
) -> None:
    """Import SkyRL, connect to Ray, and let the experiment work."""
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
        check_cluster(config, plugins)
        parts = Parts(config, plugins, backend, engine, recorder, metrics, prompts, held_out)
        work(GuerdonExperiment(cfg, parts))


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
