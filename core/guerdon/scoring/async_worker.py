"""The loop of a worker process for async rewards: all calls at once, each with its own deadline.

A call that waits too long is cancelled here. One that blocks the loop leaves its mark, and the
trainer kills the process; that call alone is to blame, the others are made again.
"""

import asyncio
import inspect
import os
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from guerdon.sample import Sample
from guerdon.scoring.calls import Caller
from guerdon.scoring.cells import Cell, Fault, cell_of, error_of, is_plain, timeout_of
from guerdon.scoring.channel import Channel
from guerdon.scoring.limits import Limiter
from guerdon.scoring.marks import Marks
from guerdon.scoring.messages import Loaded, Piece, Work, loads, not_loaded, not_read
from guerdon.scoring.packing import unpack_samples
from guerdon.scoring.stepping import stepped

HEARTBEAT_S = 0.25
"""Seconds between the marks that show that the loop goes round."""

GRACE_S = 0.25
"""Seconds in which a cancelled call may clean up."""


@dataclass(slots=True, eq=False)
class Call:
    """One call in flight."""

    job: int
    component: int
    position: int
    samples: Sequence[Sample]
    caller: Caller
    limiter: Limiter | None
    task: asyncio.Task[None] | None = None
    alarm: asyncio.TimerHandle | None = None
    started: float = 0.0
    finished: bool = False

    @property
    def allowed_s(self) -> float:
        """Seconds that the call may take."""
        return self.caller.reward.timeout_s * len(self.samples)


@dataclass(slots=True, eq=False)
class AsyncWorker:
    """Everything of one process."""

    channel: Channel
    marks: Marks
    components: Sequence[Loaded]
    loop: asyncio.AbstractEventLoop
    limiters: list[Limiter | None] = field(init=False)
    pieces: list[Piece] = field(default_factory=list)
    open_calls: int = 0
    deaf: set[asyncio.Task[None]] = field(default_factory=set)
    """Tasks that were cancelled and still run."""

    def __post_init__(self) -> None:
        """Set the limits up."""
        limits = [loaded.caller.reward.limits if loaded.caller is not None else None for loaded in self.components]
        self.limiters = [Limiter(limit) if limit is not None else None for limit in limits]

    def beat(self) -> None:
        """Show that the loop goes round."""
        self.marks.clear()
        self.loop.call_later(HEARTBEAT_S, self.beat)

    def read(self) -> None:
        """Start the calls of the jobs that have arrived; end with the connection."""
        try:
            frames = self.channel.receive()
        except (EOFError, OSError):
            os._exit(0)
        for frame in frames:
            for work in loads(frame):
                self._start(Work(*work))

    def _start(self, work: Work) -> None:
        try:
            samples = unpack_samples(work.samples)
        except Exception as error:  # noqa: BLE001  # whatever unpickling a reference raises
            for component in work.components:
                self._refuse(work, component, not_read(error))
            return
        for component in work.components:
            caller, problem = self.components[component]
            if caller is None:
                self._refuse(work, component, not_loaded(problem))
            elif caller.whole:
                self._launch(work.job, component, 0, samples, caller)
            else:
                for position, sample in enumerate(samples):
                    self._launch(work.job, component, position, [sample], caller)

    def _refuse(self, work: Work, component: int, fault: Fault) -> None:
        self._deliver(Piece(work.job, component, 0, [fault] * work.size, [0.0] * work.size, plain=False))

    def _launch(self, job: int, component: int, position: int, samples: Sequence[Sample], caller: Caller) -> None:
        self.open_calls += 1
        call = Call(job, component, position, samples, caller, self.limiters[component])
        call.task = self.loop.create_task(self._run(call))

    async def _run(self, call: Call) -> None:
        if call.limiter is not None:
            await call.limiter.enter()
        call.started = monotonic()
        call.alarm = self.loop.call_later(call.allowed_s, self._expire, call)
        self._finish(call, await self._cells(call))

    async def _cells(self, call: Call) -> list[Cell]:
        caller, count = call.caller, len(call.samples)
        try:
            if call.limiter is None:
                verdicts = await self._verdicts(call)
            else:
                verdicts = await call.limiter.attempt(lambda: self._verdicts(call))
                for verdict in verdicts if caller.whole else [verdicts]:
                    call.limiter.count(verdict)
            self._mark(call)  # checking walks through what came back
            return caller.check_all(verdicts, count) if caller.whole else [cell_of(verdicts, caller.bounds)]
        except BaseException as exception:  # noqa: BLE001  # plugin code runs here
            return [error_of(exception)] * count
        finally:
            self.marks.clear()

    async def _verdicts(self, call: Call) -> Any:
        def mark() -> None:
            self._mark(call)

        mark()
        verdicts = call.caller.method(call.samples if call.caller.whole else call.samples[0])
        return await stepped(verdicts, mark, self.marks.clear) if inspect.isawaitable(verdicts) else verdicts

    def _mark(self, call: Call) -> None:
        self.marks.write(call.job, call.component, call.position)

    def _expire(self, call: Call) -> None:
        assert call.task is not None
        self.deaf.add(call.task)
        call.task.add_done_callback(self.deaf.discard)
        call.task.cancel()
        self._finish(call, [timeout_of(call.allowed_s)] * len(call.samples))

    def _finish(self, call: Call, cells: list[Cell]) -> None:
        if call.finished:
            return
        call.finished = True
        self.open_calls -= 1
        if call.alarm is not None:
            call.alarm.cancel()
        if call.limiter is not None:
            call.limiter.leave()
        share = (monotonic() - call.started) / max(1, len(cells))
        self._deliver(Piece(call.job, call.component, call.position, cells, [share] * len(cells), is_plain(cells)))

    def _deliver(self, piece: Piece) -> None:
        if not self.pieces:
            self.loop.call_soon(self._flush)
        self.pieces.append(piece)

    def _flush(self) -> None:
        frame = pickle.dumps([tuple(piece) for piece in self.pieces])
        self.pieces.clear()
        try:
            sent = self.channel.send(frame)
        except OSError:
            os._exit(0)
        if not sent:
            self.loop.add_writer(self.channel.fileno(), self._write)
        elif self.deaf and not self.open_calls:
            self.loop.call_later(GRACE_S, self._retire)

    def _write(self) -> None:
        if self.channel.flush():
            self.loop.remove_writer(self.channel.fileno())

    def _retire(self) -> None:
        """Make room for a clean process if tasks ignore that they were cancelled."""
        if self.deaf and not self.open_calls and not self.channel.unsent:
            os._exit(0)


def serve(channel: Channel, marks: Marks, components: Sequence[Loaded]) -> None:
    """Work until the trainer closes the connection."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.set_exception_handler(lambda _loop, _context: None)  # a deaf task's last words
    worker = AsyncWorker(channel, marks, components, loop)
    worker.beat()
    loop.add_reader(channel.fileno(), worker.read)
    loop.run_forever()
