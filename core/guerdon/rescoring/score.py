"""Scoring completions again, into a ledger of their own. A killed rescoring goes on where it was."""

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from guerdon.advantage import check_advantage, compute_advantages, matrix_from
from guerdon.cache import CachedEngine, Pending, ScoreCache
from guerdon.cache.code import code_digest
from guerdon.config import RunConfig, dump_config, identity
from guerdon.errors import RunError
from guerdon.ledger import Ledger, LedgerBatch, LedgerWriter, last_attempt, sources_of
from guerdon.ledger.parts import effective, parts, write_whole
from guerdon.plugins import Plugins
from guerdon.rescoring.sources import Batch, Source
from guerdon.reward import Reward
from guerdon.scoring.batch import ScoredGroup

FEW = 2
"""With so many workers the calling process is a core of its own: inline rewards stay in it."""

AHEAD = 2
"""Batches that are being scored while one is written."""


@dataclass(frozen=True, slots=True)
class Rescored:
    """What came of it."""

    ledger: Ledger
    samples: int
    """That were scored now."""
    kept: int
    """That an earlier start had scored."""
    found: int
    """Records that were in the cache."""
    scored: int
    """Records that were not."""


def rescore(
    config: RunConfig,
    plugins: Plugins,
    source: Source,
    folder: Path,
    *,
    cache: ScoreCache | None = None,
    workers: int = 2,
    progress: Callable[[int], None] = lambda _: None,
) -> Rescored:
    """Score all completions of `source` into ``<folder>/ledger``.

    Args:
        config: rewards, advantage rule and outcome; its other sections are not used.
        plugins: what `load_config` loaded for it.
        source: the completions.
        folder: a new folder, or one that a rescoring of the same data by the same rewards began.
        cache: known scores; None scores everything.
        workers: processes that score.
        progress: called with the number of samples of every batch that is done.

    Raises:
        RunError: the folder holds something else.
        DataError: a line cannot be read; what was scored before it stays.
    """
    check_advantage(config.algorithm, config.rewards, config.outcome)
    _claim(folder, config, plugins, source)
    ledger = folder / "ledger"
    done = {(part.stem, part.step) for part in effective(parts(ledger, "records"))}
    attempt = last_attempt(ledger) + 1
    writer = LedgerWriter(
        ledger, run=config.run.name, attempt=attempt, sources=sources_of(plugins.rewards, config.rewards)
    )
    rewards = {name: in_workers(reward, workers) for name, reward in config.rewards.items()}
    kept = samples = 0
    with writer, CachedEngine(rewards, cache, plugins=plugins, workers=workers) as engine:
        fresh = _fresh(source, done)
        for batch, scored in _scored(engine, fresh):
            size = sum(len(group.samples) for group in batch.groups)
            if scored is None:
                kept += size
            else:
                writer.write_batch(_ledger_batch(batch, scored, config))
                samples += size
            progress(size)
        tally = engine.tally
    return Rescored(Ledger(ledger), samples, kept, tally.found, tally.scored)


def in_workers(reward: Reward, workers: int) -> Reward:
    """Return the reward as it runs here: in workers, where these are more than can be fed beside inline scoring."""
    inline = reward.isolation == "inline" and workers > FEW
    return reward.model_copy(update={"isolation": "process"}) if inline else reward


def _fresh(source: Source, done: set[tuple[str, int]]) -> Iterator[tuple[Batch, bool]]:
    return ((batch, batch.key not in done) for batch in source.batches())


def _scored(
    engine: CachedEngine, batches: Iterator[tuple[Batch, bool]]
) -> Iterator[tuple[Batch, list[ScoredGroup] | None]]:
    """Score batches, a few ahead of the one that is handed out; None for one that is not to be scored."""
    ahead: deque[tuple[Batch, list[Pending] | None]] = deque()
    while True:
        for batch, wanted in islice(batches, AHEAD + 1 - len(ahead)):
            ahead.append((batch, engine.submit(batch.groups) if wanted else None))
        if not ahead:
            return
        batch, pending = ahead.popleft()
        yield batch, None if pending is None else engine.collect(pending)


def _ledger_batch(batch: Batch, scored: list[ScoredGroup], config: RunConfig) -> LedgerBatch:
    matrix = matrix_from(
        scored,
        config.rewards,
        step=batch.step,
        outcome=config.outcome,
        mask_truncated=config.algorithm.mask_truncated and batch.phase == "train",  # as in training
    )
    return LedgerBatch(
        phase=batch.phase,
        step=batch.step,
        epoch_seed=batch.epoch_seed,
        scored=scored,
        matrix=matrix,
        rule=config.algorithm,
        advantages=compute_advantages(matrix, config.algorithm),
        sampling=batch.sampling,
        rollout_logprobs=batch.rollout_logprobs,
        trainer_logprobs=batch.trainer_logprobs,
        stop_reasons=batch.stop_reasons,
    )


def _claim(folder: Path, config: RunConfig, plugins: Plugins, source: Source) -> None:
    """Note whose folder this is, or check that it is ours.

    Raises:
        RunError: it holds a run, or a rescoring of other data or by other rewards.
    """
    record = folder / "run.json"
    facts: dict[str, Any] = {
        "schema_version": 1,
        "config": dump_config(config),
        "rescoring": fingerprint(config, plugins, source),
    }
    if record.exists():
        previous = json.loads(record.read_text(encoding="utf-8"))
        if previous.get("rescoring") != facts["rescoring"]:
            raise RunError(f"{folder} holds {_holds(previous, facts)}; choose another --output, or remove the folder")
        return
    if (folder / "ledger").exists():
        raise RunError(f"{folder} holds a ledger that no rescoring began; choose another --output")
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(record, json.dumps(facts, indent=2, sort_keys=True).encode() + b"\n")


def fingerprint(config: RunConfig, plugins: Plugins, source: Source) -> dict[str, str]:
    """Tell this rescoring from others: digests of the data, the configuration and the code of all rewards."""
    code = {name: code_digest(type(reward), plugins) for name, reward in sorted(config.rewards.items())}
    return {
        "data": source.identity,
        "config": identity(config),
        "code": hashlib.sha256(json.dumps(code).encode()).hexdigest(),
    }


def _holds(previous: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    if not isinstance(previous.get("rescoring"), dict):
        return "a run"
    words = {"data": "other data", "config": "another configuration", "code": "other code of a reward"}
    found = [text for name, text in words.items() if previous["rescoring"].get(name) != facts["rescoring"][name]]
    return f"a rescoring with {' and '.join(found)}"
