"""The terminal while a run trains: a bar, and every few steps a line in plain words."""

from collections.abc import Mapping
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class TerminalProgress:
    """A metrics sink that draws. A context manager."""

    def __init__(
        self, console: Console, *, steps: int, components: tuple[str, ...], outcome: str, lines: int = 8
    ) -> None:
        self.console, self.components, self.outcome = console, components, outcome
        self.every = max(1, steps // lines)
        self.steps = steps
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self.task = self.progress.add_task("starting Ray, the policy and the rollout engine", total=steps)

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Move the bar; print a line at the first, every so many, and the last step."""
        self.progress.update(self.task, completed=step, description=f"training, step {step}")
        if step == 0 or "total/mean" not in metrics:
            self._evaluation(step, metrics)
            return
        if step == 1 or step % self.every == 0 or step == self.steps:
            means = "  ".join(f"{name} {_shown(metrics, name)}" for name in self.components)
            kl = f"  KL {metrics['kl']:.3f}" if "kl" in metrics else ""
            self.console.print(f"step {step:>3}  {means}{kl}", highlight=False, soft_wrap=True)
        self._evaluation(step, metrics)

    def close(self) -> None:
        """The context manager ends the display."""

    def _evaluation(self, step: int, metrics: Mapping[str, float]) -> None:
        key = "eval/greedy/outcome"
        if key in metrics:
            when = "before training" if step == 0 else f"after step {step}"
            sampled = f", {metrics['eval/sampled/outcome']:.3f} sampled" if "eval/sampled/outcome" in metrics else ""
            line = f"held out, {when}: {self.outcome} {metrics[key]:.3f} greedy{sampled}"
            self.console.print(line, highlight=False, markup=False, style="bold")


def _shown(metrics: Mapping[str, float], component: str) -> str:
    """Return the component's mean, or a dash where no sample of the step had a value."""
    mean = metrics.get(f"component/{component}/mean")
    return "-" if mean is None else f"{mean:+.2f}"
