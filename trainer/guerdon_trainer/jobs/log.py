"""Following a job's log to its end, across dropped connections."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from guerdon import RunError
from guerdon_trainer.jobs.client import Job, job

PATIENCE_S = 300.0
"""How long the server may be out of reach before following gives up; the job does not notice."""

PAUSE_S = 1.0


class _Printer:
    """Writes a log once, however often it is sent from its beginning."""

    def __init__(self, write: Callable[[str], Any]) -> None:
        self.write = write
        self.seen = 0

    def take(self, text: str, position: int) -> int:
        """Write what of `text`, which begins at `position`, is new; return the position after it."""
        end = position + len(text)
        if end > self.seen:
            self.write(text[max(0, self.seen - position) :])
            self.seen = end
        return end


def follow(
    connect: Callable[[], Any], submission_id: str, write: Callable[[str], Any], *, patience_s: float = PATIENCE_S
) -> Job:
    """Write a job's log as it grows, and return the job when it has ended.

    The server sends a log from its beginning at every connection; what was written is skipped.

    Args:
        connect: returns a client; called again after a drop, since an address may hand out new
            credentials or another host.
        submission_id: the job.
        write: takes new text.
        patience_s: how long the server may stay away.

    Raises:
        RunError: no such job, or the server stayed away for longer.
    """
    printer = _Printer(write)
    client = connect()
    job(client, submission_id)
    while True:
        try:
            asyncio.run(_tail(client, submission_id, printer))
            found = job(client, submission_id)
            if found.over:
                printer.take(client.get_job_logs(submission_id), 0)
                return found
            time.sleep(PAUSE_S)
        except (OSError, RuntimeError) as error:
            if isinstance(error, RunError):
                raise
            client = _again(connect, submission_id, patience_s)


async def _tail(client: Any, submission_id: str, printer: _Printer) -> None:
    """Take the log until the server ends it.

    Raises:
        OSError: the connection was lost.
    """
    import aiohttp

    position = 0
    try:
        async for text in client.tail_job_logs(submission_id):
            position = printer.take(text, position)
    except aiohttp.ClientError as error:
        raise ConnectionError(str(error)) from error


def _again(connect: Callable[[], Any], submission_id: str, patience_s: float) -> Any:
    deadline = time.monotonic() + patience_s
    while True:
        time.sleep(min(PAUSE_S, patience_s))
        try:
            return connect()
        except RunError as error:
            if time.monotonic() < deadline:
                continue
            raise RunError(
                f"the job server stayed out of reach for {patience_s:g} s ({error}). The job {submission_id} does not "
                f"need it: `guerdon jobs logs {submission_id} --follow` goes on where the log is"
            ) from error
