"""Telling observers of scored groups, aside from scoring."""

import logging
import queue
import threading
from typing import Any

from guerdon.plugins import Plugins
from guerdon.scoring.batch import ScoredGroup

log = logging.getLogger(__name__)


class Notifier:
    """Calls the hook ``group_scored`` in a thread of its own, one group after the other.

    What an observer raises is logged and goes no further.
    """

    def __init__(self, plugins: Plugins | None) -> None:
        hook: Any = plugins.manager.hook.group_scored if plugins is not None else None
        self._hook = hook if hook is not None and hook.get_hookimpls() else None
        self._queue: queue.SimpleQueue[ScoredGroup | threading.Event | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def post(self, scored: ScoredGroup) -> None:
        """Have the observers called, later."""
        if self._hook is None:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="guerdon-observers", daemon=True)
            self._thread.start()
        self._queue.put(scored)

    def drain(self, timeout_s: float) -> None:
        """Wait until the observers have seen everything posted so far, or for `timeout_s`."""
        if self._thread is None:
            return
        seen = threading.Event()
        self._queue.put(seen)
        if not seen.wait(timeout_s):
            log.warning("observers of scored groups are %g s behind; scoring does not wait for them", timeout_s)

    def close(self, timeout_s: float) -> None:
        """Let the observers see the rest, for at most `timeout_s`, and end."""
        self.drain(timeout_s)
        self._queue.put(None)

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            if isinstance(item, threading.Event):
                item.set()
                continue
            try:
                assert self._hook is not None
                self._hook(scored=item)
            except Exception:
                log.exception("an observer of group %r failed; scoring goes on", item.group.id)
