"""What GRPO gains on the quickstart, honestly: base, SFT and GRPO on pictures that chose nothing.

Three seeds. Every model answers the test split greedily and sampled, with its own pictures and with those of
another prompt (blind). Differences carry 95% intervals over prompts, clustered by prompt across seeds.
"""

import asyncio
import dataclasses
import json
import random
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from benchmarks.runner import RESULTS, Target
from guerdon.config import load_config
from guerdon.manifest import Prompt, read_manifest
from guerdon.scoring.engine import Engine
from guerdon_trainer.local.engine import LocalSampler, split
from guerdon_trainer.local.generate import Generator
from guerdon_trainer.quickstart.demo import prepare
from guerdon_trainer.rollout import RolledGroup, roll_out
from guerdon_trainer.sampling import Completion, Request

SEEDS = (0, 1, 2)
STEPS = 100
TEST_PROMPTS = 384
AT_A_TIME = 1
"""Runs beside each other: each keeps about one core busy."""
SAMPLES = 2
WORK = Path("runs/benchmark-quickstart")
MEASURES = ("strict", "lenient", "answer", "iou", "format")

type Table = dict[str, np.ndarray]
"""Measure to [prompts], NaN where it does not apply."""


class DirectSampler(LocalSampler):
    """Samples in this process."""

    def __init__(self, generator: Generator, processor: object) -> None:
        super().__init__(None, processor)
        self.generator = generator

    async def sample(
        self, requests: Sequence[Request], *, temperature: float, max_tokens: int
    ) -> AsyncIterator[tuple[int, list[Completion]]]:
        """Yield (index, completions) batch by batch."""
        for batch in split(requests):
            chosen = [requests[index] for index in batch]
            done = self.generator.complete(chosen, temperature=temperature, max_tokens=max_tokens)
            for index, completions in zip(batch, done, strict=True):
                yield index, completions


def run() -> list[Target]:
    """Train three seeds, evaluate, write the results, and say whether an outcome that matters gained."""
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        runs = dict(zip(SEEDS, pool.map(_train, SEEDS), strict=True))
    tables = {seed: _models(seed, *runs[seed]) for seed in SEEDS}
    summary = {name: _summarise(tables, name) for name in ("greedy", "sampled", "greedy_blind")}
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "quickstart-measures.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    return [_target(summary, decoding, measure) for decoding in ("greedy", "sampled") for measure in ("lenient", "iou")]


def _train(seed: int) -> tuple[Path, list[str]]:
    """Train one seed; return the configuration's path and the overrides."""
    folder = WORK / f"seed-{seed}"
    config = prepare(folder, seed=seed, train=1600, evaluate=64, test=TEST_PROMPTS)
    steps = [f"runtime.steps={STEPS}", f"runtime.eval_interval={STEPS}", f"runtime.checkpoint_interval={STEPS}"]
    overrides = [f"run.seed={seed}", *steps, f"runtime.output_dir={folder}"]
    subprocess.run([sys.executable, "-m", "guerdon", "train", str(config), *overrides], check=True)
    return config, overrides


def _models(seed: int, config: Path, overrides: list[str]) -> dict[str, dict[str, Table]]:
    """Evaluate the untrained model, the one after SFT, and the one after GRPO on the test split."""
    folder = WORK / f"seed-{seed}"
    models = {
        "base": (_untrained(folder), None),
        "sft": (folder / "model", None),
        "grpo": (folder / "model", folder / "demo" / "adapter"),
    }
    return {name: asyncio.run(_evaluate(config, overrides, *where)) for name, where in models.items()}


def _untrained(folder: Path) -> Path:
    """Write the small model as it is before SFT: the same shape and tokenizer, fresh weights."""
    import torch
    from transformers import AutoConfig, AutoModelForImageTextToText

    path = folder / "untrained"
    shutil.copytree(folder / "model", path, dirs_exist_ok=True)
    torch.manual_seed(0)
    AutoModelForImageTextToText.from_config(AutoConfig.from_pretrained(path)).save_pretrained(path)
    return path


async def _evaluate(config_path: Path, overrides: list[str], model: Path, adapter: Path | None) -> dict[str, Table]:
    from transformers import AutoProcessor

    config, plugins = load_config(config_path, overrides)
    prompts = read_manifest(config_path.parent / "data" / "test.jsonl")
    generator = Generator(str(model))
    if adapter is not None:
        generator.load_adapter(str(adapter))
    sampler = DirectSampler(generator, AutoProcessor.from_pretrained(model))
    passes = {
        "greedy": (prompts, 1, 0.0),
        "sampled": (prompts, SAMPLES, 1.0),
        "greedy_blind": (_shuffled(prompts), 1, 0.0),
    }
    tables = {}
    with Engine(config.rewards, plugins=plugins) as engine:
        for name, (asked, samples, temperature) in passes.items():
            groups, _ = await roll_out(
                asked, sampler, engine,
                samples=samples, temperature=temperature, max_tokens=config.algorithm.max_completion_tokens,
                seed=config.run.seed, step=0, phase="test",
            )  # fmt: skip
            tables[name] = _table(groups)
    return tables


def _shuffled(prompts: Sequence[Prompt]) -> list[Prompt]:
    """Give each prompt with pictures those of another prompt with as many."""
    order = random.Random(0)
    swapped = list(prompts)
    for count in {len(prompt.images) for prompt in prompts} - {0}:
        places = [i for i, prompt in enumerate(prompts) if len(prompt.images) == count]
        turned = places[1:] + places[:1]
        order.shuffle(places)
        for place, source in zip(sorted(places), turned, strict=True):
            swapped[place] = dataclasses.replace(prompts[place], images=prompts[source].images)
    return swapped


def _table(groups: Sequence[RolledGroup]) -> Table:
    """Average each measure over a prompt's completions."""
    return {measure: np.array([_mean(group, measure) for group in groups]) for measure in MEASURES}


def _mean(group: RolledGroup, measure: str) -> float:
    values = [_value(dict(zip(group.scored.components, row, strict=True)), measure) for row in group.scored.records]
    return float(np.mean(values))


def _value(row: dict, measure: str) -> float:
    if measure in ("strict", "lenient"):
        return row["answer"].metrics.get(measure, 0.0)
    component = {"answer": "answer", "iou": "boxes", "format": "shape"}[measure]
    return np.nan if row[component].value is None else row[component].value


def _summarise(tables: dict[int, dict[str, dict[str, Table]]], decoding: str) -> dict[str, dict[str, object]]:
    """For each measure: the mean of each model, and GRPO less SFT with its 95% interval."""
    summary: dict[str, dict[str, object]] = {}
    for measure in MEASURES:
        levels = {
            model: np.concatenate([tables[seed][model][decoding][measure] for seed in SEEDS])
            for model in ("base", "sft", "grpo")
        }
        by_seed = [
            np.nanmean(tables[seed]["grpo"][decoding][measure] - tables[seed]["sft"][decoding][measure])
            for seed in SEEDS
        ]
        low, high = _interval(levels["grpo"] - levels["sft"], by_seed)
        summary[measure] = {
            **{model: round(float(np.nanmean(values)), 4) for model, values in levels.items()},
            "gain": round(float(np.mean(by_seed)), 4),
            "low": round(float(low), 4),
            "high": round(float(high), 4),
            "by_seed": [round(float(value), 4) for value in by_seed],
            "prompts": int(np.sum(~np.isnan(levels["sft"]))),
        }
    return summary


def _interval(differences: np.ndarray, by_seed: Sequence[float]) -> tuple[float, float]:
    """Return the wider of two 95% intervals: over prompts (normal), and over seeds (t, two degrees of freedom)."""
    from scipy import stats

    usable = differences[~np.isnan(differences)]
    over_prompts = 1.96 * usable.std(ddof=1) / np.sqrt(len(usable))
    over_seeds = stats.t.ppf(0.975, len(by_seed) - 1) * np.std(by_seed, ddof=1) / np.sqrt(len(by_seed))
    half, middle = max(over_prompts, over_seeds), float(np.mean(by_seed))
    return middle - half, middle + half


def _target(summary: dict, decoding: str, measure: str) -> Target:
    found = summary[decoding][measure]
    return Target(
        name=f"{decoding} {measure}: GRPO over SFT, test split, 95% interval above 0",
        ours=found["grpo"],
        peer=found["sft"],
        ratio=found["grpo"] / found["sft"],
        spread=(found["high"] - found["low"]) / 2,
        target=f"gain {found['gain']:+.3f} ({found['low']:+.3f} to {found['high']:+.3f})",
        ok=bool(found["low"] > 0),
    )
