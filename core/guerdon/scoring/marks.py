"""What a worker is doing, in memory that it shares with the trainer."""

import mmap
import os
import tempfile
from time import monotonic
from typing import NamedTuple

from guerdon.scoring.arena import OFFSET, SIZE


class Mark(NamedTuple):
    """What a worker is doing."""

    job: int
    """The job's number, or 0 between calls."""
    component: int
    position: int
    """Place of the sample in the job; 0 if the call takes all of them."""
    since: float
    """`time.monotonic` (one clock for all processes of a machine)."""


class Marks:
    """A mark in shared memory.

    The worker writes what it starts; the parent, which alone can kill, reads it when a deadline
    may have passed. So a call costs two stores and no message.
    """

    def __init__(self, fd: int) -> None:
        self._memory = mmap.mmap(fd, mmap.PAGESIZE)
        view = memoryview(self._memory)
        self.times = view[:8].cast("d")
        """[0]: when the call started, by `time.monotonic`. Written before the place."""
        self.places = view[8:32].cast("q")
        """Job, component, position."""

    @staticmethod
    def make_file() -> int:
        """Return the descriptor of a fresh file to share, with room for a mark and an arena."""
        if hasattr(os, "memfd_create"):
            fd = os.memfd_create("guerdon-marks")
        else:
            with tempfile.TemporaryFile() as file:
                fd = os.dup(file.fileno())
        os.ftruncate(fd, OFFSET + SIZE)
        return fd

    def write(self, job: int, component: int, position: int) -> None:
        """Note the call that starts now."""
        self.times[0] = monotonic()
        self.places[2] = position
        self.places[1] = component
        self.places[0] = job

    def clear(self) -> None:
        """Note that no call runs, and that this process is well."""
        self.write(0, 0, 0)

    def pause(self) -> None:
        """Note that the call does not run for the moment."""
        self.places[0] = 0

    def read(self) -> Mark:
        """Return a mark that was whole: two equal readings."""
        mark = self._read()
        while (again := self._read()) != mark:
            mark = again
        return mark

    def _read(self) -> Mark:
        return Mark(self.places[0], self.places[1], self.places[2], self.times[0])

    def close(self) -> None:
        """Give the memory back."""
        self.times.release()
        self.places.release()
        self._memory.close()
