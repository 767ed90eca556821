"""How often each prompt is answered rightly, early and late: a mean over all prompts hides who gained."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from guerdon.ledger import Ledger, Phase, Sampling
from guerdon.review.estimate import Floats, Ints
from guerdon.review.groups import GroupTable
from guerdon.review.summary import ComponentSummary, Summary

CLASSES = ("never", "under 25%", "25 to 50%", "50 to 75%", "75% and more", "always")

SOURCES = ("source", "data_source", "dataset")
"""Keys of a prompt's metadata that name where it comes from; without one, its modality stands in."""

QUERY = "SELECT group_id, any_value(metadata) AS metadata FROM samples GROUP BY group_id"


@dataclass(frozen=True, slots=True)
class Part:
    """The prompts of one source, or of all, at one time."""

    source: str | None
    prompts: int
    rate: float
    """Mean of the prompts' pass rates."""

    counts: tuple[int, ...]
    """Prompts by class, in the order of `CLASSES`."""


@dataclass(frozen=True, slots=True)
class Side:
    """A time of the run: both ends of the training, and the first and last evaluation."""

    kind: str
    when: str
    parts: tuple[Part, ...]
    """All prompts, then each source if there are several."""


def read_profile(ledger: Ledger, groups: GroupTable, summary: Summary) -> tuple[Side, ...]:
    """Sort prompts by the outcome's mean, as a share of its range; nothing without bounds or outcome."""
    outcome = next((one for one in summary.components if one.name == summary.outcome), None)
    if outcome is None or not 0 < outcome.span < float("inf"):
        return ()
    sources = _sources(ledger, groups)
    times: list[tuple[str, str, Phase, Sampling, Sequence[int]]] = [
        ("training", str(window), "train", "sampled", range(window.first, window.last + 1))
        for window in dict.fromkeys(summary.training or ())
    ]
    sampling: Sampling = "sampled" if groups.steps("eval", "sampled") else "greedy"
    ends = dict.fromkeys((*groups.steps("eval", sampling)[:1], *groups.steps("eval", sampling)[-1:]))
    times += [(f"held-out {sampling}", f"step {step}", "eval", sampling, [step]) for step in ends]
    found = []
    for kind, when, phase, drawn, steps in times:
        rows = groups.chosen(phase=phase, sampling=drawn, component=outcome.name, steps=steps)
        rows &= groups.numbers["count"] > 0
        prompts, place = np.unique(groups.prompt[rows], return_inverse=True)
        if len(prompts):
            sums, counts = (np.bincount(place, groups.numbers[name][rows]) for name in ("sum", "count"))
            found.append(Side(kind, when, _parts(_levels(sums / counts, outcome), prompts, sources)))
    return tuple(found)


def _levels(means: Floats, outcome: ComponentSummary) -> Floats:
    return (means - outcome.low) / outcome.span


def _parts(levels: Floats, prompts: Ints, sources: Sequence[str]) -> tuple[Part, ...]:
    mine = np.array([sources[prompt] for prompt in prompts])
    names = sorted(set(mine.tolist()))
    return (
        _part(None, levels),
        *(_part(name, levels[mine == name]) for name in (names if len(names) > 1 else ())),
    )


def _part(source: str | None, levels: Floats) -> Part:
    classes = np.digitize(levels, [1e-9, 0.25, 0.5, 0.75, 1 - 1e-9])
    counts = np.bincount(classes, minlength=len(CLASSES)).tolist()
    return Part(source, len(levels), float(levels.mean()), tuple(counts))


def _sources(ledger: Ledger, groups: GroupTable) -> list[str]:
    """Return each prompt's source, by number."""
    names = list(groups.prompts.modality)
    for row in ledger.sql(QUERY).to_pylist():
        facts = json.loads(row["metadata"]) if row["metadata"] else {}
        declared = [facts[key] for key in SOURCES if isinstance(facts, dict) and isinstance(facts.get(key), str)]
        if declared:
            names[groups.prompts.number[row["group_id"]]] = declared[0]
    return names
