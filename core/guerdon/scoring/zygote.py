"""A small process that imports the rewards once and forks workers from that state in milliseconds.

It has one thread and holds no CUDA context, so forking it is safe whatever the trainer holds.
It dies with the trainer, and takes all workers with it.
"""

import contextlib
import ctypes
import gc
import os
import pickle
import resource
import signal
import socket
import struct
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from guerdon.plugins import InlineFile
from guerdon.scoring import async_worker
from guerdon.scoring.arena import Arena
from guerdon.scoring.channel import Channel
from guerdon.scoring.marks import Marks
from guerdon.scoring.messages import Loaded, load, loads
from guerdon.scoring.worker import Worker

_HEADER = struct.Struct("<Q")
_PR_SET_CHILD_SUBREAPER = 36
_WAIT_S = 0.5
"""Seconds in which a worker whose connection closed must have ended by itself."""


@dataclass(frozen=True, slots=True)
class LoadFile:
    """Import a plugin file. Answer: why it failed, or an empty string."""

    file: InlineFile


@dataclass(frozen=True, slots=True)
class LoadReward:
    """Unpickle the next component's reward. Answer: why it failed, or an empty string."""

    pickled: bytes
    problem: str = ""
    """Why it must not be loaded at all."""


@dataclass(frozen=True, slots=True)
class CountThreads:
    """Answer: threads of this process. More than one forbids to fork it."""


@dataclass(frozen=True, slots=True)
class Fork:
    """Start a worker; two descriptors follow: its socket, its marks. Answer: its process id."""

    asynchronous: bool
    memory: int | None
    """Bytes of address space that it may add."""


@dataclass(frozen=True, slots=True)
class End:
    """End a worker. Answer: its exit code, negative for a signal."""

    pid: int
    kill: bool
    """At once; else it is known to be ending."""


type Command = LoadFile | LoadReward | CountThreads | Fork | End


def send(sock: socket.socket, message: object, fds: Sequence[int] = ()) -> None:
    """Send a message and descriptors."""
    frame = pickle.dumps(message)
    socket.send_fds(sock, [_HEADER.pack(len(frame))], fds)
    sock.sendall(frame)


def receive(sock: socket.socket) -> tuple[Any, list[int]]:
    """Wait for a message and its descriptors.

    Raises:
        EOFError: the other end closed.
        OSError: the connection broke, or its timeout passed.
    """
    head, fds, _, _ = socket.recv_fds(sock, _HEADER.size, 2)
    if len(head) < _HEADER.size:
        raise EOFError("the other end closed the connection")
    (length,) = _HEADER.unpack(head)
    frame = bytearray()
    while len(frame) < length:
        chunk = sock.recv(length - len(frame))
        if not chunk:
            raise EOFError("the other end closed the connection")
        frame += chunk
    return loads(bytes(frame)), fds


@dataclass(slots=True)
class Zygote:
    """The loop of the process."""

    sock: socket.socket
    preload: bool
    components: list[Loaded | bytes] = field(default_factory=list)
    children: set[int] = field(default_factory=set)

    def serve(self) -> NoReturn:
        """Answer commands until the trainer closes the connection or is gone."""
        try:
            while True:
                command, fds = receive(self.sock)
                send(self.sock, self._answer(command, fds))
        except (EOFError, OSError):
            left = descendants(os.getpid())
            for pid in list(self.children):
                self._end(pid, kill=True)
            _kill(left)
            os._exit(0)

    def _answer(self, command: Command, fds: list[int]) -> int | str:
        match command:
            case LoadFile(file):
                return self._load_file(file)
            case LoadReward(pickled, problem):
                return self._load_reward(pickled, problem)
            case CountThreads():
                gc.collect()
                gc.freeze()  # the pages of what is loaded stay shared
                return count_threads()
            case Fork(asynchronous, memory):
                return self._fork(fds, asynchronous, memory)
            case End(pid, kill):
                return self._end(pid, kill=kill)

    def _load_file(self, file: InlineFile) -> str:
        try:
            file.load()
        except BaseException as exception:  # noqa: BLE001  # plugin code runs here
            return f"{type(exception).__name__}: {exception}"
        return ""

    def _load_reward(self, pickled: bytes, problem: str) -> str:
        if problem or not self.preload:
            self.components.append(Loaded(None, problem) if problem else pickled)
            return problem
        self.components.append(loaded := load(pickled))
        return loaded.problem

    def _fork(self, fds: list[int], asynchronous: bool, memory: int | None) -> int:
        pid = os.fork()
        if pid:
            self.children.add(pid)
            for fd in fds:
                os.close(fd)
            return pid
        try:
            self.sock.close()
            _enter(memory)
            work(socket.socket(fileno=fds[0]), fds[1], self.components, asynchronous)
        except BaseException:  # noqa: BLE001  # the parent sees the exit code
            traceback.print_exc()
        finally:
            os._exit(70)

    def _end(self, pid: int, *, kill: bool) -> int:
        if pid not in self.children:
            return 0
        deadline = time.monotonic() + _WAIT_S
        while not kill and not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            kill = time.monotonic() > deadline
            time.sleep(0.001)
        left = descendants(pid)
        _kill_group(pid)  # before it is reaped, while its number is still taken
        _kill(left)
        _, status = os.waitpid(pid, 0)
        self.children.discard(pid)
        return os.waitstatus_to_exitcode(status)


def count_threads() -> int:
    """Return the number of threads of this process; 1 where the system does not tell."""
    try:
        return len(list(Path("/proc/self/task").iterdir()))
    except OSError:
        return 1


def _enter(memory: int | None) -> None:
    """Make a forked process a worker: a process group of its own, first to go when memory is short."""
    os.setpgid(0, 0)
    os.dup2(2, 1)  # what a reward prints must not mix into the trainer's output
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")
    if memory is not None:
        limit = _address_space() + memory
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _address_space() -> int:
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def work(sock: socket.socket, shared: int, components: Sequence[Loaded | bytes], asynchronous: bool) -> None:
    """Be a worker until the trainer closes the connection."""
    channel, marks, arena = Channel(sock), Marks(shared), Arena(shared, writable=False)
    os.register_at_fork(after_in_child=channel.close)  # a child that a reward forks must not answer
    loaded = [load(item) if isinstance(item, bytes) else item for item in components]
    try:
        if asynchronous:
            async_worker.serve(channel, marks, arena, loaded)
        else:
            Worker(channel, marks, arena, loaded).serve()
    except (EOFError, OSError):
        os._exit(0)


def descendants(pid: int) -> list[int]:
    """Return a process's children and theirs, those with a session of their own too; none where /proc tells nothing."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text(encoding="ascii").split()):
                found += [child, *descendants(child)]
    return found


def _kill(pids: Sequence[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _adopt() -> None:
    """Become the parent of what workers leave behind, so that it ends with this process."""
    with contextlib.suppress(AttributeError, OSError):  # Linux alone has it
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def run(fd: int, preload: bool) -> NoReturn:
    """Run the zygote in this process; `fd` is the connection to the trainer."""
    devnull = os.open(os.devnull, os.O_RDONLY)
    os.dup2(devnull, 0)
    os.dup2(2, 1)
    _adopt()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # a TextIOWrapper unless someone replaced it
    Zygote(socket.socket(fileno=fd), preload).serve()
