"""What the alarms look at: sums by (step, group), numbers by step, evaluations of the outcome."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from guerdon.ledger.rule import ComponentRule
from guerdon.ledger.schema import Phase, Sampling
from guerdon.review.estimate import Floats, Ints, Observed
from guerdon.review.groups import Bools


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums of two numbers over the completions of each group that have both. R groups."""

    n: Floats
    x: Floats
    y: Floats
    xx: Floats
    yy: Floats
    xy: Floats

    def part(self, rows: slice) -> "Moments":
        """Keep some groups."""
        return Moments(*(getattr(self, name)[rows] for name in self.__slots__))

    def within(self) -> tuple[float, float, float, float]:
        """Pool over groups, each about its own mean.

        Returns:
            Sums of squares of x and of y, sum of products, degrees of freedom.
        """
        seen = self.n > 0
        n = np.where(seen, self.n, 1.0)
        squares = (self.xx - self.x**2 / n, self.yy - self.y**2 / n, self.xy - self.x * self.y / n)
        x, y, together = (float(one[seen].sum()) for one in squares)
        return max(x, 0.0), max(y, 0.0), together, float((self.n[seen] - 1).sum())


@dataclass(frozen=True, slots=True)
class Groups:
    """All training groups in order of steps. R groups, C components."""

    step: Ints
    """[R], ascending."""

    prompt: Ints
    cluster: Ints
    """[R], the same for prompts that share a picture."""

    visual: Bools
    """[R], whether the prompt has pictures."""

    size: Floats
    """[R], completions."""

    sums: Floats
    """[R, C], of values."""

    counts: Floats
    """[R, C], completions with a value."""

    failed: Floats
    """[R, C], records with an error or a timeout."""

    totals: Floats
    """[R], sum of total rewards."""

    total_counts: Floats
    length: Moments
    """x: length in tokens, y: total."""

    gold: Moments
    """x: the outcome's value, y: total."""

    def part(self, rows: slice) -> "Groups":
        """Keep some groups."""
        return Groups(
            step=self.step[rows],
            prompt=self.prompt[rows],
            cluster=self.cluster[rows],
            visual=self.visual[rows],
            size=self.size[rows],
            sums=self.sums[rows],
            counts=self.counts[rows],
            failed=self.failed[rows],
            totals=self.totals[rows],
            total_counts=self.total_counts[rows],
            length=self.length.part(rows),
            gold=self.gold.part(rows),
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcome in one evaluation on held-out prompts. P prompts that have a value."""

    phase: Phase
    sampling: Sampling
    step: int
    prompt: Ints
    cluster: Ints
    visual: Bools
    sums: Floats
    counts: Floats


@dataclass(frozen=True, slots=True)
class History:
    """A run as far as it has come. S training steps."""

    run: str
    outcome: str | None
    components: tuple[ComponentRule, ...]
    steps: Ints
    """[S], ascending."""

    metrics: Mapping[str, Floats]
    """[S] each, NaN where nothing was measured: ``kl``, ``entropy``."""

    groups: Groups
    evaluations: tuple[Evaluation, ...]

    def until(self, count: int) -> "History":
        """Return the history after the first `count` training steps."""
        if count >= len(self.steps):
            return self
        last = int(self.steps[count - 1])
        rows = slice(0, int(np.searchsorted(self.groups.step, last, side="right")))
        return replace(
            self,
            steps=self.steps[:count],
            metrics={name: values[:count] for name, values in self.metrics.items()},
            groups=self.groups.part(rows),
            evaluations=tuple(one for one in self.evaluations if one.step <= last),
        )

    def rows(self, begin: int, end: int) -> slice:
        """Return the rows of the steps from the `begin`-th up to, not including, the `end`-th."""
        first = np.searchsorted(self.groups.step, self.steps[begin], side="left")
        last = np.searchsorted(self.groups.step, self.steps[end - 1], side="right")
        return slice(int(first), int(last))

    def column(self, name: str) -> int:
        """Return a component's column."""
        return [one.name for one in self.components].index(name)

    def by_step(self, sums: Floats, counts: Floats) -> Floats:
        """Return a mean for each step [S], NaN for none."""
        place = np.searchsorted(self.steps, self.groups.step)
        total = np.bincount(place, sums, minlength=len(self.steps))
        count = np.bincount(place, counts, minlength=len(self.steps))
        means: Floats = np.divide(total, count, out=np.full(len(self.steps), np.nan), where=count > 0)
        return means


def observed(prompt: Ints, cluster: Ints, sums: Floats, counts: Floats) -> Observed:
    """Add up by prompt; rows without a value are left out."""
    seen = counts > 0
    prompt = prompt[seen]
    by_prompt = np.bincount(prompt, counts[seen])
    names = np.flatnonzero(by_prompt)
    clusters = np.zeros(len(by_prompt), dtype=np.int64)
    clusters[prompt] = cluster[seen]
    return Observed(np.bincount(prompt, sums[seen])[names], by_prompt[names], clusters[names])
