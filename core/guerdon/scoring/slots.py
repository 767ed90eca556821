"""A place for one worker process: what it was sent, what it is doing, how long it may."""

import selectors
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic

from guerdon.score import Status
from guerdon.scoring.cells import Fault
from guerdon.scoring.jobs import Component, Job
from guerdon.scoring.launcher import Launcher, Process
from guerdon.scoring.marks import Mark
from guerdon.scoring.messages import Reply, load_replies

IDLE_S = 120.0
"""Seconds in which a worker must start on what it was sent; it may have to load rewards first."""

BLOCKED_S = 1.0
"""Seconds beyond the longest deadline for which an async worker's loop may not go round."""

BUFFERS = 16
"""So many buffers, one for a job in the arena, are sent at once."""


@dataclass(slots=True, eq=False)
class Slot:
    """A place for one worker process."""

    launcher: Launcher
    selector: selectors.BaseSelector
    asynchronous: bool = False
    process: Process | None = None
    fresh: bool = False
    """Its process has been sent nothing yet."""
    jobs: dict[int, Job] = field(default_factory=dict)
    """What was sent and is not answered in full."""
    cells: int = 0
    """Cells that these jobs owe still."""
    sent: float = 0.0
    writing: bool = False
    """The selector watches for room to write."""

    def prepare(self, *, fresh: bool = False) -> None:
        """Have a process here, and one that has run nothing if it must be `fresh`.

        Raises:
            LaunchError: none could be started.
        """
        if self.process is not None and fresh and not self.fresh:
            self.end(kill=True)
        if self.process is None:
            self.process = self.launcher.fork(asynchronous=self.asynchronous)
            self.selector.register(self.process.channel, selectors.EVENT_READ, self)
            self.fresh, self.writing = True, False

    def send(self, frame: bytes, job: Job) -> None:
        """Send a job, which is written in `frame`, now or with the next `flush`.

        Raises:
            OSError: the process is gone.
        """
        assert self.process is not None
        if not self.jobs:
            self.process.arena.clear()
        self.jobs[job.number] = job
        self.cells += job.left
        self.fresh = False
        self.sent = monotonic()
        if self.process.channel.queue(self.process.arena.put(frame)) >= BUFFERS and not self.writing:
            self.flush()

    def flush(self) -> None:
        """Send what waits, and have the selector say when there is room for the rest.

        Raises:
            OSError: the process is gone.
        """
        assert self.process is not None
        channel = self.process.channel
        writing = 0 if channel.flush() else selectors.EVENT_WRITE
        if bool(writing) != self.writing:
            self.writing = bool(writing)
            self.selector.modify(channel, selectors.EVENT_READ | writing, self)

    def settle(self, job: Job, cells: int) -> None:
        """Note that so many cells of a job have come back."""
        job.left -= cells
        self.cells -= cells
        if job.left == 0:
            del self.jobs[job.number]

    def take_jobs(self) -> dict[int, Job]:
        """Return what the process was sent and owes still, and forget it."""
        jobs, self.jobs, self.cells = self.jobs, {}, 0
        return jobs

    def receive(self) -> list[Reply]:
        """Return the replies that have arrived, and go on sending what waits.

        Raises:
            EOFError: the process is gone.
            OSError: the same.
        """
        assert self.process is not None
        channel = self.process.channel
        if channel.unsent:
            self.flush()
        return [reply for frame in channel.receive() for reply in load_replies(frame)]

    def mark(self) -> Mark:
        """Return what the process is doing."""
        assert self.process is not None
        return self.process.marks.read()

    def due(self, components: Sequence[Component]) -> float:
        """Return the time by which the process must have moved on, on the clock of `monotonic`."""
        mark = self.mark()
        if job := self.jobs.get(mark.job):
            return mark.since + components[mark.component].allowed_s(len(job.indices))
        if self.asynchronous and mark.since:  # it watches its calls' deadlines itself, and beats
            jobs = self.jobs.values() if len(self.jobs) == 1 else ()
            waiting = {k for job in jobs for k in job.components} or range(len(components))
            return mark.since + max(components[k].timeout_s for k in waiting) + BLOCKED_S
        return max(mark.since, self.sent) + IDLE_S

    def end(self, *, kill: bool) -> int:
        """End the process; returns its exit code, negative for a signal."""
        assert self.process is not None
        process, self.process, self.fresh = self.process, None, False
        self.selector.unregister(process.channel)
        return self.launcher.end(process, kill=kill)

    def abandon(self) -> None:
        """Leave the process to the zygote, which ends it when it ends itself."""
        if self.process is not None:
            self.process.release()
            self.process = None


def death(code: int) -> Fault:
    """Describe the end of a worker in the middle of a call."""
    if code >= 0:
        return Fault(Status.ERROR, "exit", f"the reward ended its process, exit code {code}")
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = "; the system may have run out of memory" if name == "SIGKILL" else ""
    return Fault(Status.ERROR, name, f"its process died by {name}{hint}")
