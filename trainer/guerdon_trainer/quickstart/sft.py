"""Train the quickstart's model on worked answers: ``python -m guerdon_trainer.quickstart.sft --out DIR``.

The shipped checkpoint was made by this command; see ``checkpoint/README.md``.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

import torch
from transformers import PreTrainedTokenizerFast, Qwen3VLForConditionalGeneration, Qwen3VLProcessor

from guerdon_trainer.quickstart.batches import encode, labels
from guerdon_trainer.quickstart.evaluation import evaluate
from guerdon_trainer.quickstart.mixture import draw_prompts
from guerdon_trainer.quickstart.model import build_model, build_processor, save_checkpoint
from guerdon_trainer.quickstart.prompts import Prompt
from guerdon_trainer.quickstart.styles import Faults, verbose_phrases, write_completion
from guerdon_trainer.quickstart.tokenizer import train_tokenizer

CORPUS_PROMPTS: Final = 6000
"""Prompts whose texts the tokenizer learns from; the same for every run, so that all runs share it."""
_ROLES: Final = ("system", "user", "assistant")
_FAULTS: Final = Faults(broken=0.07, verbose=0.1)


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one SFT run."""

    steps: int = 550
    batch: int = 64
    """Prompts in a step."""
    learning_rate: float = 3e-3
    """Peak of a cosine with warm-up over 40 steps, which ends at 5% of it."""
    seed: int = 0
    faults: Faults = _FAULTS


@dataclass(frozen=True, slots=True)
class Student:
    """The model and what turns text and pictures into its inputs."""

    model: Qwen3VLForConditionalGeneration
    processor: Qwen3VLProcessor


def new_student(*, seed: int) -> Student:
    """Create the untrained model with its tokenizer and processor."""
    tokenizer = build_tokenizer()
    return Student(build_model(tokenizer, seed=seed), build_processor(tokenizer))


def build_tokenizer() -> PreTrainedTokenizerFast:
    """Train the quickstart's tokenizer, always the same one."""
    prompts = draw_prompts("sft", CORPUS_PROMPTS, seed=0)
    texts = [text for prompt in prompts for text in (prompt.text, prompt.completion)]
    return train_tokenizer([*texts, *verbose_phrases(), *_ROLES])


def train(student: Student, settings: Settings, *, report_every: int = 20) -> Iterator[tuple[int, float]]:
    """Train in place, giving (step, mean loss since the last report) as it goes.

    Raises:
        FloatingPointError: the loss is not finite.
    """
    optimiser = torch.optim.AdamW(
        student.model.parameters(), settings.learning_rate, betas=(0.9, 0.98), weight_decay=0.01
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate(step, settings.steps))
    losses: list[float] = []
    for step, (prompts, completions) in enumerate(_batches(settings), start=1):
        losses.append(_step(student, optimiser, prompts, completions))
        if not math.isfinite(losses[-1]):
            raise FloatingPointError(f"the loss is {losses[-1]} at step {step}; lower --learning-rate")
        schedule.step()
        if step % report_every == 0 or step == settings.steps:
            yield step, sum(losses) / len(losses)
            losses.clear()


def rate(step: int, steps: int) -> float:
    """Give the learning rate before update ``step`` (from 0) as a share of its peak."""
    warm_up = min(1.0, (step + 1) / 40)
    return warm_up * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * step / steps)))


def _batches(settings: Settings) -> Iterator[tuple[Sequence[Prompt], list[str]]]:
    rng = Random(settings.seed)  # noqa: S311 - reproducible noise, nothing secret
    prompts = draw_prompts("sft", settings.steps * settings.batch, seed=settings.seed)
    for start in range(0, len(prompts), settings.batch):
        part = prompts[start : start + settings.batch]
        yield part, [write_completion(prompt, settings.faults, rng) for prompt in part]


def _step(
    student: Student, optimiser: torch.optim.Optimizer, prompts: Sequence[Prompt], completions: Sequence[str]
) -> float:
    student.model.train()
    batch = encode(student.processor, prompts, completions)
    loss = student.model(**batch, labels=labels(student.processor, batch, completions)).loss
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(student.model.parameters(), 1.0)
    optimiser.step()
    return float(loss.detach())


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, save and evaluate on the held-out pictures."""
    options = _parser().parse_args(arguments)
    torch.set_num_threads(options.threads)
    faults = Faults(options.broken, options.verbose)
    settings = Settings(options.steps, options.batch, options.learning_rate, options.seed, faults)
    student = new_student(seed=settings.seed)
    _say(f"{student.model.num_parameters():,} parameters, {len(student.processor.tokenizer)} tokens")
    started = time.process_time()
    for step, loss in train(student, settings):
        _say(f"step {step}  loss {loss:.3f}  {time.process_time() - started:.0f} CPU-s")
    save_checkpoint(options.out, student.model, student.processor)
    print_evaluation(options.out, options.evaluate, seed=settings.seed)


def print_evaluation(folder: Path, count: int, *, seed: int) -> None:
    """Print how the saved model, as loaded from disk, does on held-out prompts, greedily and sampled."""
    model = Qwen3VLForConditionalGeneration.from_pretrained(folder, dtype=torch.float32)
    processor = Qwen3VLProcessor.from_pretrained(folder)
    prompts = draw_prompts("eval", count, seed=seed)
    torch.manual_seed(seed)
    for sample in (False, True):
        _say(f"{'sampled' if sample else 'greedy'} {evaluate(model, processor, prompts, sample=sample)}")


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a script reports its progress


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m guerdon_trainer.quickstart.sft", description=__doc__)
    default = Settings()
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--steps", type=int, default=default.steps)
    parser.add_argument("--batch", type=int, default=default.batch, help="prompts in a step")
    parser.add_argument("--learning-rate", type=float, default=default.learning_rate)
    parser.add_argument("--seed", type=int, default=default.seed)
    parser.add_argument("--broken", type=float, default=default.faults.broken, help="share of damaged formats")
    parser.add_argument("--verbose", type=float, default=default.faults.verbose, help="share of answers in a sentence")
    parser.add_argument("--evaluate", type=int, default=512, help="held-out prompts to evaluate on")
    parser.add_argument("--threads", type=int, default=1, help="one is fastest for a model this small")
    return parser


if __name__ == "__main__":
    main()
