"""The engine: one thread that owns the policy and completes waiting rows batch by batch.

Whatever touches the model runs in that thread: generation, loading, unloading. Others hand work over
and are told by callback.
"""

import logging
import queue
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from guerdon_serving.model.generate import Row, generate

if TYPE_CHECKING:
    from guerdon_serving.bundle.read import Bundle
    from guerdon_serving.model.policy import Policy, Precision
    from guerdon_serving.model.prompting import Prompter

log = logging.getLogger(__name__)


class Engine:
    """Batches rows of the base and of several adapters."""

    encodes = False
    """Rows come with the tokens and pictures of their prompts."""

    def __init__(self, policy: "Policy", *, max_rows: int = 8, dtype: "Precision" = "float32") -> None:
        """Start the thread.

        Args:
            policy: belongs to the engine from now on.
            max_rows: rows of one batch.
            dtype: the policy's, which says how closely probes must agree.
        """
        self.policy, self.max_rows, self.dtype = policy, max_rows, dtype
        self._inbox: queue.SimpleQueue[Row | Callable[[], None] | None] = queue.SimpleQueue()
        self._waiting: deque[Row] = deque()
        self._thread = threading.Thread(target=self._work, name="guerdon-engine", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the thread still works."""
        return self._thread.is_alive()

    def submit(self, row: Row) -> None:
        """Queue a row; its callbacks say how it goes on."""
        self._inbox.put(row)

    def call[T](self, function: Callable[[], T]) -> "Future[T]":
        """Run a function in the engine's thread between two batches."""
        future: Future[T] = Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function())
                except Exception as error:  # noqa: BLE001 - whatever it is belongs to the caller
                    future.set_exception(error)

        self._inbox.put(run)
        return future

    def attach(self, bundle: "Bundle") -> "Future[Prompter]":
        """Check a bundle's adapter, put it on the base and ask the probes, between two batches."""
        from guerdon_serving.verify import attach, check_adapter

        def work() -> "Prompter":
            check_adapter(bundle)
            return attach(bundle, self.policy, self.dtype).prompter

        return self.call(work)

    def detach(self, adapter: str) -> "Future[None]":
        """Remove an adapter and its memory, between two batches."""
        return self.call(lambda: self.policy.detach(adapter))

    def stop(self) -> None:
        """Complete what was handed in, then end the thread."""
        self._inbox.put(None)
        self._thread.join()

    def _work(self) -> None:
        running = True
        while running or self._waiting:
            running = self._take_in(running)
            if batch := self._next_batch():
                self._complete(batch)

    def _take_in(self, running: bool) -> bool:
        """Empty the inbox, waiting for something if there is nothing to do; False once told to stop."""
        block = running and not self._waiting
        while True:
            try:
                item = self._inbox.get(block=block)
            except queue.Empty:
                return running
            block = False
            if item is None:
                running = False
            elif isinstance(item, Row):
                self._waiting.append(item)
            else:
                item()

    def _next_batch(self) -> list[Row]:
        """Take the row that waits longest, and those that may go with it."""
        batch: list[Row] = []
        left: deque[Row] = deque()
        for row in self._waiting:
            if row.cancelled:
                row.end()
            elif len(batch) < self.max_rows and (not batch or self._fits(batch[0], row)):
                batch.append(row)
            else:
                left.append(row)
        self._waiting = left
        return batch

    def _fits(self, first: Row, row: Row) -> bool:
        mixable = self.policy.mixable
        return row.adapter == first.adapter or (mixable(row.adapter) and mixable(first.adapter))

    def _complete(self, batch: list[Row]) -> None:
        try:
            generate(self.policy, batch)
            failure = None
        except Exception as error:  # a batch that fails must not take the server with it
            log.exception("a batch of %d rows failed", len(batch))
            failure = error
        for row in batch:
            row.end(failure)
