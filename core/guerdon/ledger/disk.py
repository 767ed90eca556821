"""Writing on a disk that may be full: wait and say so, rather than lose rows or kill a run."""

import errno
import logging
import time
from collections.abc import Callable
from pathlib import Path

from guerdon.errors import LedgerError
from guerdon.ledger.parts import write_whole

log = logging.getLogger(__name__)

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class PatientDisk:
    """Writes whole files; where the disk is full it retries until there is room or patience ends."""

    def __init__(self, patience_s: float | None, sleep: Callable[[float], object] = time.sleep) -> None:
        self._patience_s = patience_s
        self._sleep = sleep

    def write(self, path: Path, payload: bytes | memoryview) -> None:
        """Write a file.

        Raises:
            LedgerError: the disk stayed full for longer than the patience, or it cannot be written.
        """
        started, pause = time.monotonic(), 0.5
        while True:
            try:
                return write_whole(path, payload)
            except OSError as error:
                if error.errno not in FULL:
                    raise LedgerError(f"the ledger cannot write {path}: {error.strerror or error}") from error
                waited = time.monotonic() - started
                if self._patience_s is not None and waited >= self._patience_s:
                    raise LedgerError(
                        f"the disk of {path.parent} has been full for {waited:.0f} s; free some space and start the "
                        "run again: it resumes from its last checkpoint"
                    ) from error
            log.warning(
                "the disk is full: the ledger holds %d bytes for %s and tries again in %.1f s; free some space",
                len(payload),
                path,
                pause,
            )
            self._sleep(pause)
            pause = min(pause * 2, 30.0)
