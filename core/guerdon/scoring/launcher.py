"""The trainer's side of the zygote: starts and ends worker processes."""

import logging
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from guerdon.plugins import InlineFile
from guerdon.reward import Reward
from guerdon.scoring.arena import Arena
from guerdon.scoring.cells import error_of
from guerdon.scoring.channel import Channel
from guerdon.scoring.marks import Marks
from guerdon.scoring.zygote import Command, CountThreads, End, Fork, LoadFile, LoadReward, receive, send

log = logging.getLogger(__name__)

LOAD_S = 120.0
"""Seconds that importing one plugin file or one reward may take."""

ANSWER_S = 15.0
"""Seconds that starting or ending a process may take."""

_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


_MOVE = "workers do not run that. Move the class to a file and name the file under `plugins:`"


class LaunchError(Exception):
    """A process could not be started; the message says why."""


@dataclass(slots=True, eq=False)
class Process:
    """A worker process as the trainer sees it."""

    pid: int
    channel: Channel
    marks: Marks
    arena: Arena
    zygote: int
    """Process id of the zygote that it was forked from."""

    def release(self) -> None:
        """Give up what the trainer shares with it."""
        self.channel.close()
        self.marks.close()
        self.arena.close()


class Launcher:
    """Owns the zygote. Not thread-safe: one thread at a time calls it."""

    def __init__(self, rewards: Mapping[str, Reward], files: Sequence[InlineFile], memory_mb: int | None) -> None:
        self.problems: dict[str, str] = {}
        """Components that cannot be loaded in a worker, and why."""
        self._pickled = {name: self._pickle(name, reward) for name, reward in rewards.items()}
        self._files = files
        self._memory = None if memory_mb is None else memory_mb << 20
        self._zygote: subprocess.Popen[bytes] | None = None
        self._sock: socket.socket | None = None

    def _pickle(self, name: str, reward: Reward) -> bytes:
        if type(reward).__module__ == "__main__":
            self._broken(name, f"{type(reward).__name__} is defined in the main script; {_MOVE}")
            return b""
        try:
            return pickle.dumps(reward)
        except Exception as error:  # noqa: BLE001  # any __reduce__ may run here
            self._broken(name, f"its configuration does not pickle ({error_of(error).reason})")
            return b""

    def _broken(self, name: str, problem: str) -> None:
        self.problems[name] = problem
        log.error("component %r cannot be loaded in a worker, so all its samples are masked: %s", name, problem)

    def start(self) -> None:
        """Start the zygote and load the rewards in it, unless it runs already.

        Raises:
            LaunchError: it does not start.
        """
        if self._zygote is not None and self._zygote.poll() is None:
            return
        if not self._load(preload=True):
            log.warning("a plugin starts threads when it is imported; workers load it one by one, which is slower")
            self._load(preload=False)

    def _load(self, *, preload: bool) -> bool:
        """Start a zygote with every component in it. Returns False if it must not be forked."""
        while True:
            self._spawn(preload=preload)
            culprit = self._load_all()
            if culprit is None:
                break
            self._broken(culprit, f"loading it ended the process or took more than {LOAD_S:g} s")
        return not preload or self._ask(CountThreads(), ANSWER_S) == 1

    def _load_all(self) -> str | None:
        """Load files and rewards; return the component that the process did not survive."""
        for file in self._files:
            self._ask(LoadFile(file), LOAD_S)  # what fails is told again by each reward that needs it
        for name, pickled in self._pickled.items():
            try:
                problem = self._ask(LoadReward(pickled, self.problems.get(name, "")), LOAD_S)
            except LaunchError:
                return name
            if problem and name not in self.problems:
                self._broken(name, str(problem))
        return None

    def _spawn(self, *, preload: bool) -> None:
        self.close()
        mine, theirs = socket.socketpair()
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            f"from guerdon.scoring.zygote import run; run({theirs.fileno()}, {preload})"
        )
        environment = dict.fromkeys(_ONE_THREAD, "1") | dict(os.environ)
        with theirs:
            try:
                self._zygote = subprocess.Popen(  # noqa: S603  # this interpreter, our own code
                    [sys.executable, "-c", code],
                    pass_fds=[theirs.fileno()],
                    env=environment,
                    start_new_session=True,
                    stdin=subprocess.DEVNULL,
                )
            except OSError as error:
                mine.close()
                raise LaunchError(f"no process can be started: {error}") from error
        self._sock = mine

    def fork(self, *, asynchronous: bool) -> Process:
        """Start a worker.

        Raises:
            LaunchError: neither this zygote nor a new one could.
        """
        try:
            return self._fork(asynchronous)
        except LaunchError as error:
            log.warning("the worker server failed (%s); starting another", error)
            self.close()
            return self._fork(asynchronous)

    def _fork(self, asynchronous: bool) -> Process:
        self.start()
        assert self._zygote is not None
        with ExitStack() as stack:
            try:
                mine, theirs = socket.socketpair()
                undo = stack.enter_context(ExitStack())
                undo.callback(mine.close)
                stack.callback(theirs.close)
                fd = Marks.make_file()
                stack.callback(os.close, fd)
                marks = Marks(fd)
                undo.callback(marks.close)
                arena = Arena(fd, writable=True)
                undo.callback(arena.close)
            except OSError as error:
                raise LaunchError(f"no descriptors or memory for a worker: {error}") from error
            pid = int(self._ask(Fork(asynchronous, self._memory), ANSWER_S, [theirs.fileno(), fd]))
            undo.pop_all()
            return Process(pid, Channel(mine), marks, arena, self._zygote.pid)

    def end(self, process: Process, *, kill: bool) -> int:
        """End a worker; returns its exit code, negative for a signal."""
        process.release()
        if self._zygote is not None and self._zygote.pid == process.zygote:
            try:
                return int(self._ask(End(process.pid, kill), ANSWER_S))
            except LaunchError:
                log.warning("the worker server does not answer; ending it with all its workers")
                self.close()
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            return 0
        return -signal.SIGKILL

    def _ask(self, command: Command, timeout_s: float, fds: Sequence[int] = ()) -> int | str:
        assert self._sock is not None
        try:
            self._sock.settimeout(timeout_s)
            send(self._sock, command, fds)
            answer: int | str = receive(self._sock)[0]
        except (EOFError, OSError) as error:
            raise LaunchError(f"{type(command).__name__}: {error}") from error
        return answer

    def close(self) -> None:
        """End the zygote and all workers."""
        if self._sock is not None:
            self._sock.close()
            self._sock = None
        if self._zygote is not None:
            try:
                self._zygote.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._zygote.kill()
                self._zygote.wait()
            self._zygote = None
