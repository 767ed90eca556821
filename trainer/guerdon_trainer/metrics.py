"""One stream of metrics to several sinks. A sink that fails is reported once and never stops training."""

import logging
import math
from collections.abc import Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, Protocol

log = logging.getLogger(__name__)

NAMES = {
    "policy/final_loss": "loss",
    "policy/policy_loss": "policy_loss",
    "policy/policy_kl": "kl",
    "policy/policy_entropy": "entropy",
    "policy/loss_metrics/clip_ratio": "clip_fraction",
    "policy/grad_norm": "gradient_norm",
    "policy/policy_lr": "learning_rate",
    "policy/rollout_train_logprobs_abs_diff_mean": "logprob_gap",
    "trainer/tokens_per_second_per_gpu": "train/tokens_per_second_per_device",
}
"""Our names for SkyRL's."""

OURS = ("rollout/", "component/", "total/", "advantage/", "groups/", "samples/", "eval/")


class Sink(Protocol):
    """Somewhere that metrics go."""

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Take the metrics of a step."""
        ...

    def close(self) -> None:
        """Write what is left."""
        ...


def rename(logs: Mapping[str, Any]) -> dict[str, float]:
    """Return the finite numbers of a log payload under our names."""
    renamed: dict[str, float] = {}
    for key, value in logs.items():
        if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
            continue
        renamed[_rename(key)] = float(value)
    return renamed


def _rename(key: str) -> str:
    if key in NAMES:
        return NAMES[key]
    if key.startswith("timing/"):
        return "time/" + key.removeprefix("timing/")
    return key if key.startswith(OURS) else f"skyrl/{key}"


class Metrics:
    """What SkyRL calls a tracker."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self.sinks = list(sinks)

    def log(self, data: Mapping[str, Any], step: int, commit: bool = False) -> None:
        """Rename and pass on."""
        del commit
        metrics = rename(data)
        for sink in list(self.sinks):
            try:
                sink.log(step, metrics)
            except Exception:
                log.exception("metrics sink %s failed and is left out from now on", type(sink).__name__)
                self.sinks.remove(sink)

    def log_exception(self, error: BaseException, step: int = 0) -> None:
        """Leave the report to the caller, who gets the exception."""

    def finish(self) -> None:
        """Close every sink."""
        for sink in self.sinks:
            try:
                sink.close()
            except Exception:
                log.exception("metrics sink %s failed to close", type(sink).__name__)


class TensorBoard:
    """Scalars in TensorBoard's event files.

    Args:
        folder: of the event files.
        from_step: the checkpoint that the run goes on from; what an earlier attempt logged of later
            steps is no longer shown.
    """

    def __init__(self, folder: Path, *, from_step: int = 0) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(str(folder), purge_step=from_step + 1)

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Write scalars."""
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        """Flush."""
        self._writer.close()
