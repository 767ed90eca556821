"""From rollouts to the ledger."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from guerdon import Plugins
from guerdon.advantage import Advantages, ComponentMatrix
from guerdon.config import RunConfig
from guerdon.ledger import LedgerBatch, LedgerWriter, sources_of
from guerdon_trainer.folder import RunFolder
from guerdon_trainer.rollout import RolledGroup
from guerdon_trainer.seeds import derive

if TYPE_CHECKING:
    from guerdon.ledger.schema import Phase, Sampling


@dataclass(frozen=True, slots=True)
class SampleFacts:
    """What is known of each sample after the forward pass. N samples."""

    rollout_logprobs: Sequence[float] | None = None
    """[N], mean over the completion's tokens, as the rollout engine saw them."""

    trainer_logprobs: Sequence[float] | None = None
    """[N], the same in the trainer, before the update."""


class Recorder:
    """Writes the ledger of one attempt."""

    def __init__(self, config: RunConfig, plugins: Plugins, folder: RunFolder, attempt: int) -> None:
        self.config = config
        self.writer = LedgerWriter(
            folder.ledger, run=config.run.name, attempt=attempt, sources=sources_of(plugins.rewards, config.rewards)
        )

    def record(
        self,
        phase: "Phase",
        step: int,
        groups: Sequence[RolledGroup],
        matrix: ComponentMatrix,
        advantages: Advantages,
        *,
        sampling: "Sampling" = "sampled",
        facts: SampleFacts | None = None,
    ) -> None:
        """Write every component of every sample of a step."""
        facts = facts or SampleFacts()
        self.writer.write_batch(
            LedgerBatch(
                phase=phase,
                step=step,
                epoch_seed=derive(self.config.run.seed, phase, step),
                scored=[group.scored for group in groups],
                matrix=matrix,
                rule=self.config.algorithm,
                advantages=advantages,
                sampling=sampling,
                rollout_logprobs=facts.rollout_logprobs,
                trainer_logprobs=facts.trainer_logprobs,
                stop_reasons=[
                    "stop" if completion.finished else "length" for group in groups for completion in group.completions
                ],
            )
        )

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Write a step's metrics: the ledger is one of the sinks."""
        self.writer.write_step(step, metrics)

    def flush(self) -> None:
        """Wait until all rows are on disk."""
        self.writer.flush()

    def close(self) -> None:
        """Flush and end."""
        self.writer.close()
