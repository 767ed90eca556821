"""Every number that decides an alarm, and where it comes from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When an alarm is raised. A share is of a component's range unless it says otherwise.

    "Set" marks what was chosen on the benchmark's setting families, and is judged on others:
    ``python -m benchmarks audit``.
    """

    first_look: int = 12
    """Training steps before the first look. Set: below, windows hold fewer than four steps."""

    spacing: float = 1.15
    """Each look comes when the run is that many times as long as at the one before. Set."""

    alpha: float = 0.05
    """One-sided error that all looks share: look k spends ``alpha / (k (k + 1))`` of it, which sums
    to `alpha` however long the run gets (as confidence sequences do, arXiv 2103.06476)."""

    window: int = 20
    """Widest window at either end of the run, in steps; a third of the run where that is less."""

    narrow: int = 5
    """Widest of a second window at the start, for what changes at once; a quarter of the run where
    that is less. Set."""

    climb: float = 0.10
    """A proxy climbs when its change surely exceeds that (alarm 1; Goodhart on format rewards,
    VLM-R1 #354)."""

    standstill: float = 0.05
    """An outcome stands still when its change surely stays below that."""

    ratio: float = 0.25
    """... or below that share of what the proxy surely climbed. Set, for runs of 20 to 60 steps."""

    room: float = 0.10
    """An outcome that begins closer to its best value than that has no room to gain. Set."""

    gain_alpha: float = 0.05
    """One-sided error of saying that the outcome gained or stood still."""

    kl_factor: float = 8.0
    """KL blows up beyond so many times its early median, as rlprobe's KL_BLOWUP has it."""

    kl_floor: float = 0.5
    """... and beyond that, in nats a token: below, a policy has hardly moved."""

    kl_steps: int = 3
    """... for so many steps in a row."""

    growth: float = 1.4
    """Completions that become longer or shorter by that factor (alarm 4)."""

    length_correlation: float = 0.75
    """... in step with the total."""

    length_share: float = 0.5
    """... which explain more than that share of the total's gain."""

    correlation_fall: float = 0.3
    """Fall of the correlation between total and outcome (arXiv 2403.03185)."""

    failures: float = 0.01
    """Share of records with an error or a timeout, by Wilson's lower bound."""

    blind_ratio: float = 0.75
    """The outcome must fall without pictures by that share of its gain, or by `standstill`."""

    cusum_slack: float = 0.5
    """k of the cumulative sum that dates an onset, in robust standard deviations (Page 1954)."""

    cusum_height: float = 5.0
    """h of that sum."""

    def spent(self, look: int) -> float:
        """Return the one-sided error that look `look` may spend, counted from 1."""
        return self.alpha / (look * (look + 1))


DEFAULT = Thresholds()
