"""What the trainer hands to the ledger for one step and phase."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from guerdon.advantage import AdvantageConfig, Advantages, ComponentMatrix
from guerdon.ledger.schema import Phase, Sampling
from guerdon.plugins import RewardEntry
from guerdon.reward import Reward
from guerdon.scoring.batch import ScoredGroup


@dataclass(frozen=True, slots=True)
class Source:
    """Where a component's scores come from."""

    plugin: str
    """``<distribution or file>:<reward>``"""

    version: str
    code_hash: str
    config_hash: str
    """sha256 of the reward's configuration, hexadecimal."""


def source_of(entry: RewardEntry, reward: Reward) -> Source:
    """Describe a configured reward."""
    text = json.dumps(reward.model_dump(mode="json"), sort_keys=True)
    return Source(
        plugin=f"{entry.origin}:{entry.reward.name}",
        version=entry.version,
        code_hash=entry.code_hash,
        config_hash=hashlib.sha256(text.encode()).hexdigest(),
    )


def sources_of(entries: Mapping[str, RewardEntry], rewards: Mapping[str, Reward]) -> dict[str, Source]:
    """Describe all rewards of a run: `entries` by the name of the reward, `rewards` by component."""
    return {component: source_of(entries[reward.name], reward) for component, reward in rewards.items()}


@dataclass(frozen=True, slots=True)
class LedgerBatch:
    """All groups of one step and phase. N samples, in the order of `matrix`. Not to be changed after."""

    phase: Phase
    step: int
    """The training step, counted from 1; 0 for an evaluation before the first."""

    epoch_seed: int
    scored: Sequence[ScoredGroup]
    matrix: ComponentMatrix
    rule: AdvantageConfig
    """With `matrix` it is all that the advantages depend on."""

    advantages: Advantages
    sampling: Sampling = "sampled"
    rollout_logprobs: Sequence[float | None] | None = None
    """[N], mean log-probability of the completion's tokens in the rollout engine."""

    trainer_logprobs: Sequence[float | None] | None = None
    """[N], the same in the trainer, before the update."""

    stop_reasons: Sequence[str | None] | None = None
    """[N], why generation ended, such as ``stop`` or ``length``."""
