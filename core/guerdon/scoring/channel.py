"""Frames over a stream socket."""

import select
import socket
import struct
from collections import deque
from itertools import islice

_HEADER = struct.Struct("<Q")
_SMALL = 256
"""A frame of so many bytes is sent in one buffer with its header."""

_BUFFERS = 64
"""Buffers of one system call; it takes 1,024 at most."""


class Channel:
    """Length-prefixed frames over a stream socket that never blocks in the middle of one.

    Many small frames are better than one large: their memory is used again and again, while that
    of a large one is mapped anew each time, which costs more than copying it.
    """

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self.sock = sock
        self._outgoing: deque[memoryview] = deque()
        self._begin(bytearray(_HEADER.size), in_header=True)

    def _begin(self, buffer: bytearray, *, in_header: bool) -> None:
        self._buffer = buffer
        self._room = memoryview(buffer)
        self._in_header = in_header

    def fileno(self) -> int:
        """Return the socket's descriptor, for selectors."""
        return self.sock.fileno()

    @property
    def unsent(self) -> bool:
        """Something still waits to be sent."""
        return bool(self._outgoing)

    def queue(self, frame: bytes) -> int:
        """Keep a frame for the next `flush`; returns how many buffers wait."""
        header = _HEADER.pack(len(frame))
        if len(frame) <= _SMALL:
            self._outgoing.append(memoryview(header + frame))
        else:
            self._outgoing += [memoryview(header), memoryview(frame)]
        return len(self._outgoing)

    def send(self, frame: bytes) -> bool:
        """Send a frame, as far as the socket takes it; True if nothing waits.

        Raises:
            OSError: the other end is gone.
        """
        self.queue(frame)
        return self.flush()

    def flush(self) -> bool:
        """Send as much as the socket takes; True if nothing waits.

        Raises:
            OSError: the other end is gone.
        """
        while self._outgoing:
            try:
                sent = self.sock.sendmsg(list(islice(self._outgoing, _BUFFERS)))
            except BlockingIOError:
                return False
            while sent:
                head = self._outgoing.popleft()
                if sent < len(head):
                    self._outgoing.appendleft(head[sent:])
                sent -= min(sent, len(head))
        return True

    def receive(self) -> list[bytearray]:
        """Return the frames that have arrived in whole.

        Raises:
            EOFError: the other end closed, in a frame or between two.
            OSError: the connection broke.
        """
        frames: list[bytearray] = []
        while True:
            try:
                count = self.sock.recv_into(self._room)
            except BlockingIOError:
                break
            except OSError:
                if frames:
                    break  # these first; the end shows again
                raise
            if not count:
                if frames:
                    break
                raise EOFError("the other end closed the connection")
            self._room = self._room[count:]
            while not self._room:
                self._advance(frames)
        return frames

    def _advance(self, frames: list[bytearray]) -> None:
        """Go on from a full header to its body, or from a full body to the next header."""
        full = self._buffer
        if self._in_header:
            self._begin(bytearray(_HEADER.unpack(full)[0]), in_header=False)
        else:
            frames.append(full)
            self._begin(bytearray(_HEADER.size), in_header=True)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until something arrives, and meanwhile send what is left. False if nothing came in time."""
        writing = [self.sock] if self._outgoing else []
        readable, writable, _ = select.select([self.sock], writing, [], timeout_s)
        if writable:
            self.flush()
        return bool(readable or writable)

    def close(self) -> None:
        """Close the socket; what was not sent is dropped."""
        self.sock.close()
