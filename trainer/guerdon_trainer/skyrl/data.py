"""Prompts as SkyRL's trainer asks for them."""

from collections.abc import Iterator, Sequence
from typing import Any

from guerdon.manifest import Prompt
from guerdon_trainer.seeds import step_batch

type Row = dict[str, Any]


def as_row(prompt: Prompt) -> Row:
    """Return the prompt in the form that ``prepare_generator_input`` reads."""
    return {"prompt": prompt.messages, "env_class": "guerdon", "env_extras": {"prompt": prompt}, "uid": prompt.id}


class StepBatches:
    """The training data: batch k is that of step k, a pure function of seed and step.

    So a resumed run needs only the step, and no epoch can be counted wrong.
    """

    def __init__(self, prompts: Sequence[Prompt], *, size: int, steps: int, seed: int) -> None:
        self._prompts, self._size, self._steps, self._seed = prompts, size, steps, seed
        self._done = 0

    def __len__(self) -> int:
        return self._steps

    def __iter__(self) -> Iterator[list[Row]]:
        while self._done < self._steps:
            self._done += 1
            batch = step_batch(self._prompts, size=self._size, step=self._done, seed=self._seed)
            yield [as_row(prompt) for prompt in batch]

    def state_dict(self) -> dict[str, int]:
        """Return the number of steps handed out."""
        return {"steps_done": self._done}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Go on after the steps that `state` counts."""
        self._done = state["steps_done"]
