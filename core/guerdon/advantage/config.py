"""How components become advantages: the keys that a run sets in its ``algorithm:`` section."""

import math
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from guerdon.errors import ConfigError
from guerdon.reward import Reward

type Mode = Literal["sum", "gdpo", "gate", "product", "lexicographic"]
type Filter = Literal["none", "outcome", "total", "any_component"]


class AdvantageConfig(BaseModel):
    """The rule that turns scores into advantages."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    advantage: Mode = "gdpo"
    """How the components of a sample are put together.

    ``sum``: weighted sum, normalised in the group (GRPO, arXiv 2402.03300). ``gdpo``: each
    component normalised in the group, then weighed and summed, then scaled over the batch (GDPO,
    arXiv 2601.05242). ``gate``: weighted sum in which a gated component counts as its minimum
    unless its gate passes. ``product``: each component mapped to [0, 1] by its declared range,
    raised to its weight, multiplied. ``lexicographic``: the share of its siblings that a sample
    beats on the first component of `priority` on which they differ.
    """

    advantage_scale: Literal["std", "none"] = "std"
    """``std`` divides by the group's standard deviation; ``none`` does not (Dr.GRPO, arXiv 2503.20783)."""

    advantage_baseline: Literal["mean", "leave_one_out"] = "mean"
    """What a sample is compared with: the group's mean, or the mean of the others (RLOO, arXiv 2402.14740)."""

    gates: dict[str, str] = {}
    """For ``gate``: each gated component and the component that must pass for it to count."""

    gate_threshold: float = Field(0.5, allow_inf_nan=False)
    """For ``gate``: the value from which on a gate passes."""

    priority: tuple[str, ...] = ()
    """For ``lexicographic``: all components that are trained on, the most important first."""

    filter: Filter = "none"
    """Which groups are trained on: all, or those whose outcome, total, or any component varies."""

    mask_truncated: bool = False
    """Keep completions that ran into the length limit out of baseline and update (DAPO, arXiv 2503.14476)."""

    @model_validator(mode="after")
    def _consistent(self) -> "AdvantageConfig":
        if self.advantage == "gdpo" and self.advantage_scale == "none":
            raise ValueError(
                "advantage_scale: none contradicts advantage: gdpo, which divides by spreads; set advantage: sum"
            )
        if (self.advantage == "gate") != bool(self.gates):
            raise ValueError("gates: {component: gating component} belongs to advantage: gate, and it needs one")
        if (self.advantage == "lexicographic") != bool(self.priority):
            raise ValueError("priority: [component, ...] belongs to advantage: lexicographic, and it needs one")
        return self


def check_advantage(config: AdvantageConfig, rewards: Mapping[str, Reward], outcome: str | None) -> None:
    """Refuse a rule that does not fit the rewards of the run.

    Raises:
        ConfigError: unknown names, a gate that a broken grader would pass, an unbounded range
            where a bound is needed, no trained component, or a filter on an undeclared outcome.
    """
    trained = [name for name, reward in rewards.items() if reward.role == "train"]
    if not trained:
        raise ConfigError("rewards: every component has role: monitor; at least one must have role: train")
    if config.filter == "outcome" and outcome is None:
        raise ConfigError("algorithm.filter: outcome needs `outcome:` to name a component")
    _check_gates(config, rewards, trained)
    _check_ranges(config, rewards, trained)
    if config.priority and sorted(config.priority) != sorted(trained):
        raise ConfigError(
            f"algorithm.priority must name each trained component once; found {', '.join(config.priority)}; "
            f"trained are {', '.join(trained)}"
        )


def _check_gates(config: AdvantageConfig, rewards: Mapping[str, Reward], trained: list[str]) -> None:
    for gated, gate in config.gates.items():
        path = f"algorithm.gates.{gated}"
        for name in (gated, gate):
            if name not in trained:
                raise ConfigError(f"{path}: {name!r} is no trained component; trained are {', '.join(trained)}")
        if gated == gate:
            raise ConfigError(f"{path}: a component cannot gate itself")
        low, high = rewards[gate].range()
        if not low < config.gate_threshold <= high:
            raise ConfigError(
                f"{path}: gate_threshold {config.gate_threshold} must lie above the lowest value of {gate!r} "
                f"and not above its highest ({low} to {high}), else the gate never closes or never opens"
            )


def _check_ranges(config: AdvantageConfig, rewards: Mapping[str, Reward], trained: list[str]) -> None:
    needs = {"gate": list(config.gates), "product": trained}.get(config.advantage, [])
    for name in needs:
        low, high = rewards[name].range()
        if not math.isfinite(low) or (config.advantage == "product" and not math.isfinite(high)):
            raise ConfigError(
                f"rewards.{name}: advantage: {config.advantage} needs a bounded range, found {low} to {high}"
            )
