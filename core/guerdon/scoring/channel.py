"""Frames over a stream socket."""

import socket
import struct
from collections import deque

_HEADER = struct.Struct("<Q")
_CHUNK = 1 << 18


class Channel:
    """Length-prefixed frames over a stream socket; it never blocks in the middle of a frame.

    On a non-blocking socket `send` keeps what does not fit and `flush` sends it later. On a
    blocking one, `send` sends all and `receive` waits for something.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._blocking = sock.getblocking()
        self._incoming = bytearray()
        self._outgoing: deque[memoryview] = deque()

    def fileno(self) -> int:
        """Return the socket's descriptor, for selectors."""
        return self.sock.fileno()

    @property
    def unsent(self) -> bool:
        """Something still waits to be sent."""
        return bool(self._outgoing)

    def send(self, frame: bytes) -> bool:
        """Send a frame, or queue it; True if nothing waits.

        Raises:
            OSError: the other end is gone.
        """
        self._outgoing.append(memoryview(_HEADER.pack(len(frame)) + frame))
        return self.flush()

    def flush(self) -> bool:
        """Send as much as the socket takes; True if nothing waits."""
        while self._outgoing:
            head = self._outgoing[0]
            try:
                sent = self.sock.send(head)
            except BlockingIOError:
                return False
            if sent == len(head):
                self._outgoing.popleft()
            else:
                self._outgoing[0] = head[sent:]
        return True

    def receive(self) -> list[bytes]:
        """Return the frames that have arrived in whole.

        Raises:
            EOFError: the other end closed, in a frame or between two.
            OSError: the connection broke.
        """
        frames: list[bytes] = []
        while not frames:
            try:
                chunk = self.sock.recv(_CHUNK)
            except BlockingIOError:
                break
            if not chunk:
                raise EOFError("the other end closed the connection")
            self._incoming += chunk
            frames = self._cut()
            if not self._blocking and len(chunk) < _CHUNK:
                break
        return frames

    def _cut(self) -> list[bytes]:
        frames: list[bytes] = []
        start, size = 0, len(self._incoming)
        while size - start >= _HEADER.size:
            (length,) = _HEADER.unpack_from(self._incoming, start)
            end = start + _HEADER.size + length
            if end > size:
                break
            frames.append(bytes(self._incoming[start + _HEADER.size : end]))
            start = end
        del self._incoming[:start]
        return frames

    def close(self) -> None:
        """Close the socket; what was not sent is dropped."""
        self.sock.close()
