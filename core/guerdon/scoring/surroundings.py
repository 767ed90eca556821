"""What the rewards of one worker share, and one of them may change: folder, environment, signals, output."""

import contextlib
import os
import signal
import sys
from typing import Any, TextIO

_EVENTS = frozenset({"os.chdir", "os.putenv", "os.unsetenv"})
"""Audit events (PEP 578) that tell of a change, so that looking costs nothing while there is none."""

_SIGNALS = (signal.SIGALRM, signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE)


class Surroundings:
    """Remembers a process as it is, and puts back what a reward changed. For the main thread."""

    def __init__(self) -> None:
        self._changed = False
        self._folder = os.getcwd()  # noqa: PTH109  # compared as text
        self._environ = os.environ
        self._variables = dict(os.environ)
        self._handlers = self._look_at_handlers()
        self._depth = sys.getrecursionlimit()
        self._error = os.dup(2)
        self._streams = sys.stdout, sys.stderr
        sys.addaudithook(self._hear)

    def _hear(self, event: str, _: tuple[Any, ...]) -> None:
        if event in _EVENTS:
            self._changed = True

    def restore(self) -> bool:
        """Put back what is not as it was; True if that was anything."""
        out, error = self._streams
        if (
            self._changed
            or sys.stdout is not out
            or sys.stderr is not error
            or out.closed
            or error.closed
            or os.environ is not self._environ
            or self._look_at_handlers() != self._handlers
            or sys.getrecursionlimit() != self._depth
            or signal.getitimer(signal.ITIMER_REAL)[0]
        ):
            self._restore()
            return True
        return False

    @staticmethod
    def _look_at_handlers() -> list[Any]:
        return list(map(signal.getsignal, _SIGNALS))

    def _restore(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)  # first: it may go off under the handler that comes back
        for number, handler in zip(_SIGNALS, self._handlers, strict=True):
            if handler is not None:  # not made by Python: it cannot be put back from here
                signal.signal(number, handler)
        sys.setrecursionlimit(self._depth)
        with contextlib.suppress(OSError):  # the folder is gone
            os.chdir(self._folder)
        os.environ = self._environ  # noqa: B003  # the object itself, in place of another
        for name in os.environ.keys() - self._variables.keys():
            del os.environ[name]
        os.environ.update(self._variables)
        self._streams = tuple(self._reopened(stream) for stream in self._streams)  # type: ignore[assignment]  # two
        sys.stdout, sys.stderr = self._streams
        self._changed = False

    def _reopened(self, stream: TextIO) -> TextIO:
        """Return the stream, or one to the trainer's error output in place of a closed one."""
        if not stream.closed:
            return stream
        number = 1 if stream is self._streams[0] else 2
        os.dup2(self._error, number)
        return open(number, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # it stays
