"""Is the candidate worse than the base, or than the SFT model, on the same prompts, as they are served?"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from guerdon import Group, Reward, Sample, load_plugins
from guerdon.config import load_config
from guerdon.manifest import Prompt
from guerdon.plugins import Plugins
from guerdon.review.estimate import ALPHA, Floats, difference, mean, observe
from guerdon.review.held_out import MATTERS, verdict
from guerdon.review.prompts import connected
from guerdon.scoring.engine import Engine
from guerdon_serving.smoke.endpoint import Answer
from guerdon_serving.smoke.result import Check, Comparison
from guerdon_serving.smoke.settings import SmokeSettings

OUTCOME = "answer"
"""The component's name where no configuration names one."""


@dataclass(frozen=True, slots=True)
class Judge:
    """What the answers are scored by."""

    rewards: Mapping[str, Reward]
    outcome: str
    """The component that a regression is judged by."""
    plugins: Plugins

    def scores(
        self, prompts: Sequence[Prompt], answers: Mapping[str, Sequence[Answer]]
    ) -> dict[str, dict[str, Floats]]:
        """Score every model's answers.

        Returns:
            Model to component to [P], NaN where the component does not apply or could not be scored.
        """
        groups = [
            Group(f"{model}/{prompt.id}", [_sample(model, prompt, answer)])
            for model, given in answers.items()
            for prompt, answer in zip(prompts, given, strict=True)
        ]
        with Engine(self.rewards, plugins=self.plugins, workers=1, observers=False) as engine:
            records = [group.records[0] for group in engine.score(groups)]
        table: dict[str, list[float]] = {record.component: [] for record in records[0]} if records else {}
        for row in records:
            for record in row:
                table[record.component].append(math.nan if record.value is None else record.value)
        count = len(prompts)
        return {
            model: {name: np.array(values[number * count : (number + 1) * count]) for name, values in table.items()}
            for number, model in enumerate(answers)
        }


def make_judge(settings: SmokeSettings) -> Judge:
    """Return the rewards of the configuration, or ``correctness`` alone.

    Raises:
        ConfigError: the configuration is not valid, or ``correctness`` is not installed.
    """
    if settings.config is not None:
        config, plugins = load_config(settings.config)
        return Judge(config.rewards, config.outcome, plugins)
    plugins = load_plugins()
    return Judge({OUTCOME: plugins.entry("correctness").reward()}, OUTCOME, plugins)


def compare(
    judge: Judge, prompts: Sequence[Prompt], scores: Mapping[str, Mapping[str, Floats]], candidate: str
) -> list[Comparison]:
    """Compare the candidate with each other model: every component, the outcome by modality too.

    Differences are paired by prompt; prompts that share a picture stand or fall together. Each interval
    of the outcome is widened for the number of them (Bonferroni), so that all hold together with 95%.
    """
    clusters = np.array(connected([[image.source for image in prompt.images] for prompt in prompts]), dtype=np.int64)
    kinds = np.array([prompt.modality for prompt in prompts])
    modalities: list[str | None] = [None, *(sorted(set(kinds)) if len(set(kinds)) > 1 else ())]
    found = []
    others = [model for model in scores if model != candidate]
    for model in others:
        for component in scores[candidate]:
            for modality in modalities if component == judge.outcome else [None]:
                rows = np.ones(len(prompts), dtype=np.bool_) if modality is None else kinds == modality
                pair = [np.where(rows, scores[name][component], math.nan) for name in (model, candidate)]
                pair = [np.where(np.isnan(pair[0] + pair[1]), math.nan, side) for side in pair]
                if not np.isnan(pair[0]).all():
                    family = len(modalities) * len(others)
                    found.append(_comparison(judge, model, component, modality, pair, clusters, family))
    return found


def _comparison(
    judge: Judge,
    model: str,
    component: str,
    modality: str | None,
    pair: Sequence[Floats],
    clusters: Any,
    family: int,
) -> Comparison:
    bounds = judge.rewards[component].range()
    number = np.arange(len(clusters))
    before, after = (observe(side, number, clusters) for side in pair)
    judged = component == judge.outcome
    gap = difference(before, after, bounds, ALPHA / family if judged else ALPHA)
    span = bounds[1] - bounds[0]
    return Comparison(
        model=model,
        component=component,
        modality=modality,
        judged=judged,
        candidate=mean(after, bounds),
        other=mean(before, bounds),
        difference=gap,
        verdict=verdict(gap, MATTERS * span if math.isfinite(span) else None),
    )


def check_comparisons(comparisons: Sequence[Comparison]) -> list[Check]:
    """Let a loss of the outcome fail; say plainly where too few prompts were asked to tell."""
    checks = []
    for found in comparisons:
        if not found.judged:
            continue
        gap = found.difference
        what = f"{found.component} on {found.modality or 'all'} prompts ({gap.prompts})"
        detail = (
            f"{what}: {found.candidate.value:.3f} against {found.other.value:.3f} of {found.model}, "
            f"difference {gap.value:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]: {found.verdict}"
        )
        if found.verdict in ("not powered", "unknown"):
            detail += "; too few prompts to rule out a loss that matters, give more with --data"
        checks.append(
            Check(
                f"regression.{found.model}.{found.modality or 'all'}",
                "failed" if found.verdict == "lost" else "ok",
                detail,
                figures={"difference": gap.value, "low": gap.low, "high": gap.high},
            )
        )
    return checks


def table(
    judge: Judge,
    prompts: Sequence[Prompt],
    answers: Mapping[str, Sequence[Answer]],
    scores: Mapping[str, Mapping[str, Floats]],
) -> list[dict[str, Any]]:
    """Return the answers prompt by prompt; a score that does not exist is None."""
    return [
        {
            "id": prompt.id,
            "modality": prompt.modality,
            "reference": prompt.reference.get("answer"),
            "answers": {model: given[number].text for model, given in answers.items()},
            "scores": {model: _finite(scores[model][judge.outcome][number]) for model in answers},
        }
        for number, prompt in enumerate(prompts)
    ]


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _sample(model: str, prompt: Prompt, answer: Answer) -> Sample:
    group = f"{model}/{prompt.id}"
    return Sample(
        f"{group}/0",
        answer.text,
        prompt=prompt.messages,
        reference=prompt.reference,
        token_count=answer.completion_tokens,
        truncated=answer.finish_reason == "length",
        images=prompt.images,
        metadata=prompt.metadata,
        group_id=group,
    )
