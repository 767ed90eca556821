"""Memory in which the trainer lays jobs out for a worker: one copy in place of three through a socket."""

import mmap
import struct

SIZE = 4 << 20
"""Bytes. Only what was ever used of it takes memory."""

OFFSET = mmap.ALLOCATIONGRANULARITY
"""Where it begins in the shared file; a worker's mark lies before it."""

_PLACE = struct.Struct("<QQ")


class Arena:
    """The trainer fills it from the start whenever the worker owes nothing; a worker can only read it."""

    def __init__(self, fd: int, *, writable: bool) -> None:
        self._memory = mmap.mmap(fd, SIZE, prot=mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0), offset=OFFSET)
        self._view = memoryview(self._memory)
        self._filled = 0

    def clear(self) -> None:
        """Begin at the start again: nothing of what lies here is needed any more."""
        self._filled = 0

    def put(self, frame: bytes) -> bytes:
        """Lay a frame down, if there is room, and return what to send in its place."""
        begin, end = self._filled, self._filled + len(frame)
        if end > SIZE:
            return frame
        self._view[begin:end] = frame
        self._filled = end
        return _PLACE.pack(begin, end)

    def get(self, frame: bytes | bytearray) -> bytes | bytearray | memoryview:
        """Return the frame that was put, from what was sent. A frame is never as short as its place."""
        if len(frame) != _PLACE.size:
            return frame
        begin, end = _PLACE.unpack(frame)
        return self._view[begin:end]

    def close(self) -> None:
        """Give the memory back."""
        self._view.release()
        self._memory.close()
