"""Measure how well a model answers the quickstart's prompts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from transformers import Qwen3VLForConditionalGeneration, Qwen3VLProcessor

from guerdon_trainer.quickstart.batches import complete
from guerdon_trainer.quickstart.grading import Grade, grade
from guerdon_trainer.quickstart.prompts import Prompt


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Averages over prompts, each from 0 to 1."""

    formatted: float
    strict: float
    """Accuracy of answers that are formatted and exact."""
    lenient: float
    """Accuracy of answers wherever and however they stand after the reasoning."""
    iou: float
    """Mean overlap over the prompts with one picture."""
    strict_by_kind: dict[str, float]
    lenient_by_kind: dict[str, float]

    def __str__(self) -> str:
        """Fit the figures on three lines."""
        total = f"format {self.formatted:.3f}  strict {self.strict:.3f}  lenient {self.lenient:.3f}  IoU {self.iou:.3f}"
        return f"{total}\n  strict  {_row(self.strict_by_kind)}\n  lenient {_row(self.lenient_by_kind)}"


def evaluate(
    model: Qwen3VLForConditionalGeneration,
    processor: Qwen3VLProcessor,
    prompts: Sequence[Prompt],
    *,
    sample: bool = False,
) -> Evaluation:
    """Generate one completion for each prompt, greedily or sampled at temperature 1, and average the grades."""
    completions = complete(model, processor, prompts, sample=sample)
    grades = [(prompt.kind, grade(prompt, text)) for prompt, text in zip(prompts, completions, strict=True)]
    return summarise(grades)


def summarise(grades: Sequence[tuple[str, Grade]]) -> Evaluation:
    """Average grades that come with their kind of question; an average over nothing is NaN."""
    return Evaluation(
        formatted=_mean(result.formatted for _, result in grades),
        strict=_mean(result.strict for _, result in grades),
        lenient=_mean(result.lenient for _, result in grades),
        iou=_mean(result.iou for _, result in grades if result.iou is not None),
        strict_by_kind=_by_kind((kind, result.strict) for kind, result in grades),
        lenient_by_kind=_by_kind((kind, result.lenient) for kind, result in grades),
    )


def _by_kind(results: Iterable[tuple[str, bool]]) -> dict[str, float]:
    groups: dict[str, list[bool]] = defaultdict(list)
    for kind, right in results:
        groups[kind].append(right)
    return {kind: fmean(group) for kind, group in sorted(groups.items())}


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return fmean(numbers) if numbers else float("nan")


def _row(figures: dict[str, float]) -> str:
    return "  ".join(f"{kind} {figure:.2f}" for kind, figure in figures.items())
