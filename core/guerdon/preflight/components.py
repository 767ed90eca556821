"""Scoring right and wrong completions of every prompt by every component."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from guerdon.errors import GuerdonError
from guerdon.manifest import Prompt
from guerdon.preflight.data import Split
from guerdon.preflight.result import Row
from guerdon.reward import Reward
from guerdon.sample import Sample
from guerdon.scoring.calls import is_async
from guerdon.scoring.cells import Abstained, Cell, Fault
from guerdon.testing.calling import Scorer
from guerdon.testing.golds import Builder, Gold

MOST_FAULTS = 20
"""A component that fails so often is not asked again: each failure may take its whole `timeout_s`."""


@dataclass(slots=True)
class _Tally:
    """What one component gave for one manifest."""

    scorer: Scorer
    split: Split
    right: dict[int, float] = field(default_factory=dict)
    """By the prompt's place."""

    wrong: dict[int, float] = field(default_factory=dict)
    """The highest of its wrong completions."""

    blank: dict[int, float] = field(default_factory=dict)
    abstained: dict[int, str] = field(default_factory=dict)
    faults: dict[int, str] = field(default_factory=dict)
    golds: dict[int, str] = field(default_factory=dict)

    @property
    def answers(self) -> bool:
        """Tell whether the component judges answers: wrong ones often earn less."""
        lower = sum(value < self.right[place] for place, value in self.wrong.items())
        return 5 * lower > len(self.wrong)

    @property
    def values(self) -> set[float]:
        """Return all values that were given."""
        return {*self.right.values(), *self.wrong.values(), *self.blank.values()}


def component_rows(rewards: Mapping[str, Reward], outcome: str, split: Split) -> Iterator[Row]:
    """Score right, wrong and empty completions of a manifest by each component.

    Right ones are built from the references. A component that asks a service is not called.
    """
    for name, reward in rewards.items():
        lacking = tuple(_lacking(reward, split))
        check = f"{split.name}: {name}"
        if is_async(reward):
            yield Row(check, f"{reward.name} asks a service; it was not called", lacking)
            continue
        try:
            tally = _score(Scorer(reward), split)
        except (GuerdonError, ImportError, OSError) as error:
            yield Row(check, "cannot be prepared", (*lacking, f"rewards.{name}: {type(error).__name__}: {error}"))
            continue
        refusals = (*lacking, *_refusals(tally, name, outcome=name == outcome))
        yield Row(check, _seen(tally), refusals, tuple(_warnings(tally, name)))


def _lacking(reward: Reward, split: Split) -> Iterator[str]:
    """Yield prompts without what the reward declares to need."""
    for place, prompt in enumerate(split.prompts):
        for need in sorted(reward.needs):
            if not _has(prompt, need):
                yield f"{split.where(place)} has no {need}, which {reward.name} needs"


def _has(prompt: Prompt, need: str) -> bool:
    if need == "image":
        return bool(prompt.images)
    section, _, key = need.partition(".")
    part = {"reference": prompt.reference, "metadata": prompt.metadata}.get(section)
    return part is None or part.get(key) is not None


def _score(scorer: Scorer, split: Split) -> _Tally:
    tally, builder = _Tally(scorer, split), Builder(scorer)
    for place, prompt in enumerate(split.prompts):
        if len(tally.faults) >= MOST_FAULTS:
            break
        gold = builder.gold(_sample(prompt))
        cell = scorer.cells([gold.sample])[0]
        if isinstance(cell, Abstained):
            tally.abstained[place] = cell.reason
        elif isinstance(cell, Fault):
            tally.faults[place] = cell.reason
        else:
            _keep(tally, place, gold, cell)
    return tally


def _sample(prompt: Prompt) -> Sample:
    return Sample(
        f"{prompt.id}/0",
        "",
        prompt.messages,
        prompt.reference,
        images=prompt.images,
        metadata=prompt.metadata,
        group_id=prompt.id,
    )


def _keep(tally: _Tally, place: int, gold: Gold, cell: Cell) -> None:
    scorer = tally.scorer
    value = scorer.value(cell)
    if value is None:
        return
    tally.blank[place] = scorer.values([gold.with_text("")])[0] or 0.0
    if gold.answers is None:  # no right completion could be built: this one is empty
        return
    tally.right[place], tally.golds[place] = value, gold.sample.completion
    wrong = [value for value in scorer.values(list(gold.wrong())) if value is not None]
    if wrong:
        tally.wrong[place] = max(wrong)


def _refusals(tally: _Tally, name: str, *, outcome: bool) -> Iterator[str]:
    split, count = tally.split, len(tally.split.prompts)
    if len(tally.faults) >= MOST_FAULTS:
        yield f"{split.path}: {name} failed {MOST_FAULTS} times and was not asked about further prompts"
    for place, reason in tally.faults.items():
        yield f"{split.where(place)}: {name} fails on a right completion: {reason}"
    if outcome:
        for place, reason in tally.abstained.items():
            yield f"{split.where(place)}: the outcome {name} has nothing to judge: {reason}"
    elif count and len(tally.abstained) == count:
        yield f"{split.path}: {name} abstains on every prompt: {next(iter(tally.abstained.values()))}"
    if tally.answers:
        yield from _misjudged(tally, name)


def _misjudged(tally: _Tally, name: str) -> Iterator[str]:
    """Yield prompts whose right completion earns too little, or whose wrong one too much."""
    split = tally.split
    if len(tally.right) > len(_poor(tally)):  # some reach it, so a right completion can be built
        for place in _poor(tally):
            earned = f"{tally.right[place]:g} of {tally.scorer.high:g} from {name}"
            yield f"{split.where(place)}: the reference's own answer earns {earned}: {tally.golds[place][-80:]!r}"
    for place, value in tally.wrong.items():
        if value >= tally.right[place] > tally.scorer.low:
            yield f"{split.where(place)}: a wrong answer earns {value:g} from {name}, as much as the right one"


def _poor(tally: _Tally) -> list[int]:
    """Return prompts whose right completion earns less than the maximum."""
    return [place for place, value in tally.right.items() if not tally.scorer.reaches(value)]


def _warnings(tally: _Tally, name: str) -> Iterator[str]:
    values, poor = tally.values, _poor(tally)
    if len(values) == 1 and tally.scorer.high > 0:
        yield f"{name} gives {values.pop():g} to everything: it trains nothing"
    elif tally.right and len(poor) == len(tally.right):
        text = tally.golds[poor[0]][:80]
        yield f"no completion that was built earns {name}'s maximum, so it was not checked; tried such as {text!r}"
    elif poor and not tally.answers:
        place = poor[0]
        yield (
            f"{tally.split.where(place)}: {name} gives the reference's own answer {tally.right[place]:g} of "
            f"{tally.scorer.high:g}; {len(poor)} prompts so"
        )


def _seen(tally: _Tally) -> str:
    count = len(tally.split.prompts)
    parts = [f"abstains on {len(tally.abstained)} of {count}"]
    if tally.right:
        parts.append(f"right {_mean(tally.right.values()):.3g}")
    if tally.wrong:
        parts.append(f"wrong {_mean(tally.wrong.values()):.3g}")
    if tally.blank:
        parts.append(f"empty {_mean(tally.blank.values()):.3g}")
    return ", ".join(parts)


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)
