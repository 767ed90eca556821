"""The loop of a worker process for async rewards: all calls at once, each with its own deadline.

A call that waits too long is cancelled here. One that blocks the loop leaves its mark, and the
trainer kills the process; that call alone is to blame, the others are made again.
"""

import asyncio
import os
from collections import deque
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any

from guerdon.sample import Sample
from guerdon.scoring.arena import Arena
from guerdon.scoring.calls import Caller
from guerdon.scoring.cells import Cell, Fault, cell_of, error_of, is_plain, timeout_of
from guerdon.scoring.channel import Channel
from guerdon.scoring.limits import Limiter
from guerdon.scoring.marks import Marks
from guerdon.scoring.messages import Loaded, Piece, dump_replies, join_pieces, not_loaded, not_read
from guerdon.scoring.packing import Work, load, unpack_samples
from guerdon.scoring.stepping import stepped
from guerdon.scoring.surroundings import Surroundings

HEARTBEAT_S = 0.25
"""Seconds between the marks that show that the loop goes round."""

STALL_S = 0.02
"""A step that takes longer keeps others waiting."""

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
    started: float = 0.0
    excused: float = 0.0
    """The worker's stall when the call started, and since then the call's own part in it: seconds."""
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
    arena: Arena
    components: Sequence[Loaded]
    loop: asyncio.AbstractEventLoop
    limiters: list[Limiter | None] = field(init=False)
    pieces: list[Piece] = field(default_factory=list)
    open_calls: int = 0
    watched: dict[tuple[int, int], deque[Call]] = field(default_factory=dict)
    """Calls with a deadline, by component and size: those of one kind may all take the same time."""
    stall: float = 0.0
    """Seconds for which steps of calls kept the loop from going round; no call's time runs meanwhile."""
    surroundings: Surroundings = field(default_factory=Surroundings)
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
            self._start(load(self.arena.get(frame)))

    def _start(self, work: Work) -> None:
        try:
            samples = unpack_samples(work.columns, work.contexts)
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
        call.task = asyncio.Task(self._run(call), loop=self.loop, eager_start=True)

    async def _run(self, call: Call) -> None:
        if call.limiter is not None:
            await call.limiter.enter()
        call.started, call.excused = monotonic(), self.stall
        self._watch(call)
        try:
            ask = partial(self._ask, call)
            verdicts = await (ask() if call.limiter is None else call.limiter.attempt(ask))
            self._mark(call)  # checking walks through what came back
            cells = self._check(call, verdicts)
        except BaseException as exception:  # noqa: BLE001  # plugin code runs here
            cells = [error_of(exception)] * len(call.samples)
        self._pause(call)
        self._finish(call, cells)

    def _ask(self, call: Call) -> Awaitable[Any]:
        """Call the method; what it gives is awaited step by step, each under the call's mark."""
        mark = partial(self.marks.write, call.job, call.component, call.position)
        mark()
        verdicts = call.caller.method(call.samples if call.caller.whole else call.samples[0])
        return stepped(verdicts, mark, partial(self._pause, call))

    def _check(self, call: Call, verdicts: Any) -> list[Cell]:
        whole = call.caller.whole
        if call.limiter is not None:
            call.limiter.count(verdicts if whole else [verdicts])
        if whole:
            return call.caller.check_all(verdicts, len(call.samples))
        return [cell_of(verdicts, call.caller.bounds)]

    def _mark(self, call: Call) -> None:
        self.marks.write(call.job, call.component, call.position)

    def _pause(self, call: Call) -> None:
        """Note the end of a step. A long one is charged to its call alone."""
        took = monotonic() - self.marks.times[0]
        if took > STALL_S and self.marks.places[0]:
            self.stall += took
            call.excused += took
        self.marks.pause()

    def _watch(self, call: Call) -> None:
        """Have the call cancelled when its time is over. Calls of one kind end in order."""
        queue = self.watched.setdefault((call.component, len(call.samples)), deque())
        queue.append(call)
        if len(queue) == 1:
            self._look_later(queue, call.started + call.allowed_s)

    def _look_later(self, queue: deque[Call], due: float) -> None:
        self.loop.call_at(due, self._look, queue, due, self.stall)

    def _look(self, queue: deque[Call], due: float, stall: float) -> None:
        """Expire calls whose time is over, and look again when the next one's will be."""
        now = monotonic()
        if now - due > STALL_S and stall == self.stall:  # held up by what left no mark: a subtask, or a busy machine
            self.stall += now - due
        while queue:
            call = queue[0]
            due = call.started + call.allowed_s + self.stall - call.excused
            if not call.finished and due > now:
                self._look_later(queue, due)
                return
            queue.popleft()
            if not call.finished:
                self._expire(call)

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
        if call.limiter is not None:
            call.limiter.leave()
        share = (monotonic() - call.started) / max(1, len(cells))
        self._deliver(Piece(call.job, call.component, call.position, cells, [share] * len(cells), is_plain(cells)))

    def _deliver(self, piece: Piece) -> None:
        if not self.pieces:
            self.loop.call_soon(self._flush)
        self.pieces.append(piece)

    def _flush(self) -> None:
        self.surroundings.restore()
        frame = dump_replies(join_pieces(self.pieces))
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


def serve(channel: Channel, marks: Marks, arena: Arena, components: Sequence[Loaded]) -> None:
    """Work until the trainer closes the connection."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.set_exception_handler(lambda _loop, _context: None)  # a deaf task's last words
    worker = AsyncWorker(channel, marks, arena, components, loop)
    worker.beat()
    loop.add_reader(channel.fileno(), worker.read)
    loop.run_forever()
