"""What waits for scored groups: a future for one, or a batch for all groups of a call."""

import threading
from typing import Protocol

from guerdon.scoring.batch import ScoredGroup


class Receiver(Protocol):
    """Takes what one group came to, once."""

    def set_result(self, result: ScoredGroup, /) -> None:
        """Take the scored group."""

    def set_exception(self, exception: BaseException, /) -> None:
        """Take what stopped it."""


class Batch:
    """All groups of one call, waited for together: far lighter than a future for each.

    One thread gives, another waits.
    """

    def __init__(self, size: int) -> None:
        self._scored: list[ScoredGroup | None] = [None] * size
        self._left = size
        self._error: BaseException | None = None
        self._over = threading.Event()
        if not size:
            self._over.set()

    def place(self, index: int) -> Receiver:
        """Return the receiver of one group."""
        return _Place(self, index)

    def give(self, index: int, scored: ScoredGroup) -> None:
        """Take a group."""
        self._scored[index] = scored
        self._left -= 1
        if not self._left:
            self._over.set()

    def fail(self, error: BaseException) -> None:
        """End the waiting with an error; the first one counts."""
        self._error = self._error or error
        self._over.set()

    def wait(self) -> list[ScoredGroup]:
        """Wait for all groups; they come in the order of their places.

        Raises what stopped the first one that was stopped.
        """
        self._over.wait()
        if self._error is not None:
            raise self._error
        return [scored for scored in self._scored if scored is not None]


class _Place:
    __slots__ = ("_batch", "_index")

    def __init__(self, batch: Batch, index: int) -> None:
        self._batch = batch
        self._index = index

    def set_result(self, result: ScoredGroup, /) -> None:
        self._batch.give(self._index, result)

    def set_exception(self, exception: BaseException, /) -> None:
        self._batch.fail(exception)
