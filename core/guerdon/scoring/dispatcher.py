"""One thread that hands jobs to workers, collects cells, and kills what overruns its deadline."""

import logging
import os
import selectors
import socket
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from time import monotonic

from guerdon.errors import ScoringError
from guerdon.sample import Sample
from guerdon.scoring.cells import Cell, Fault, error_of, is_plain, timeout_of
from guerdon.scoring.jobs import MAX_LOSSES, Component, Job, Plan, Tally, Ticket, alone, infrastructure, remains
from guerdon.scoring.launcher import Launcher, LaunchError
from guerdon.scoring.marks import Mark
from guerdon.scoring.messages import Piece, Reply
from guerdon.scoring.packing import dump
from guerdon.scoring.retry import combine, repeatable
from guerdon.scoring.slots import Slot, death

log = logging.getLogger(__name__)

AHEAD_S = 0.002
"""A worker has jobs ahead for no more than this, by their expected time, or one."""

SOLO = 16
"""Processes that make one async call each, at a time; they mostly wait."""

type Request = tuple[Sequence[Sample], Callable[[Ticket], None]]
"""Samples of a group, and what to call when they are scored."""

CLOSED = "the engine was closed before the sample was scored"


class Dispatcher:
    """The pool. Any thread may call `start`, `submit` and `close`; the rest is its own thread's."""

    def __init__(self, components: Sequence[Component], launcher: Launcher, workers: int) -> None:
        self.components = components
        self.tally = Tally()
        self._plan = Plan(components)
        self._shortest = min(component.timeout_s for component in components)
        self._launcher = launcher
        self._selector = selectors.DefaultSelector()
        self._slots = [Slot(launcher, self._selector) for _ in range(workers)]
        self._async_slot = Slot(launcher, self._selector, asynchronous=True)
        self._extra: list[Slot] = []
        """Slots for one async call each: a retry, or one of those that were under way when a worker died."""
        self._queue: deque[Job] = deque()
        self._retries: deque[Job] = deque()
        self._async_queue: deque[Job] = deque()
        self._solo: deque[Job] = deque()
        self._tickets: set[Ticket] = set()
        self._pace = inf
        """Seconds a cell takes, on a moving average."""
        self._inbox: deque[Callable[[], None]] = deque()
        self._bell, self._ear = socket.socketpair()
        self._bell.setblocking(False)
        self._ear.setblocking(False)
        self._selector.register(self._ear, selectors.EVENT_READ)
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._closing = False
        self._ended = False
        self._asleep = False
        """The thread waits, or is about to; only then must it be rung for."""
        self._thread = threading.Thread(target=self._run, name="guerdon-scoring", daemon=True)
        self._thread.start()

    # --- for any thread

    def start(self) -> None:
        """Start all workers, and wait until they are there."""
        ready = threading.Event()
        self._post(partial(self._warm, ready))
        ready.wait()

    def submit(self, requests: Sequence[Request]) -> None:
        """Score groups' samples; each `done` is called from the dispatcher's thread.

        Raises:
            ScoringError: the dispatcher is closed.
        """
        self._post(partial(self._accept, requests))

    def close(self) -> None:
        """End all workers; what is still open is settled as a failure of the infrastructure."""
        if os.getpid() != self._pid:
            return  # a fork of the process that owns them
        self._closing = True
        self._ring()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _post(self, action: Callable[[], None]) -> None:
        if os.getpid() != self._pid:
            raise ScoringError("the engine was made in another process; make one here")
        with self._lock:  # so that nothing is posted after the thread's last look
            if self._ended:
                raise ScoringError("the engine is closed, or its thread failed (see the log); make a new one")
            self._inbox.append(action)
        if self._asleep:
            self._asleep = False
            self._ring()

    def _ring(self) -> None:
        with suppress(OSError):  # a full pipe rings as well; a closed one has no listener
            self._bell.send(b"\0")

    # --- the loop

    def _run(self) -> None:
        reason = CLOSED
        try:
            while not self._closing:
                for key, _ in self._wait():
                    if key.data is None:
                        self._listen()
                    else:
                        self._read(key.data)
                while self._inbox:
                    self._inbox.popleft()()
                self._kill_overdue()
                self._assign()
        except Exception as error:
            log.exception("the scoring thread failed; make a new engine, and please report this")
            reason = f"the scoring thread failed: {error_of(error).reason}"
        finally:
            self._shut_down(reason)

    def _wait(self) -> list[tuple[selectors.SelectorKey, int]]:
        pause = self._pause()
        self._asleep = True
        ready = self._selector.select(0 if self._inbox or self._closing else pause)
        self._asleep = False
        return ready

    def _listen(self) -> None:
        with suppress(BlockingIOError):
            self._ear.recv(4096)

    def _pause(self) -> float | None:
        """Return how long nothing can be due: a call that begins later has its whole time before it."""
        due = min((slot.due(self.components) for slot in self._busy()), default=inf)
        return None if due == inf else min(max(0.001, due - monotonic()), self._shortest)

    def _busy(self) -> list[Slot]:
        return [slot for slot in (*self._slots, self._async_slot, *self._extra) if slot.jobs]

    def _warm(self, ready: threading.Event) -> None:
        try:
            if self._ended:
                return
            self._launcher.start()
            if not all(component.asynchronous for component in self.components):
                for slot in self._slots:
                    slot.prepare()
            if any(component.asynchronous for component in self.components):
                self._async_slot.prepare()
        except LaunchError as error:
            log.error("no worker can be started: %s", error)  # noqa: TRY400  # the message says it all
        finally:
            ready.set()

    def _accept(self, requests: Sequence[Request]) -> None:
        for samples, done in requests:
            ticket = Ticket.of(samples, len(self.components), done)
            self._tickets.add(ticket)
            if ticket.left == 0:
                self._finish(ticket)
                continue
            for job in self._plan.cut(ticket):
                (self._async_queue if self._is_async(job) else self._queue).append(job)

    def _is_async(self, job: Job) -> bool:
        return self.components[job.components[0]].asynchronous

    def _shut_down(self, reason: str) -> None:
        with self._lock:
            self._ended = True
        while self._inbox:
            self._inbox.popleft()()
        for ticket in list(self._tickets):
            ticket.lay_out()
            for row in ticket.cells:
                row[:] = [infrastructure(reason) if cell is None else cell for cell in row]
            ticket.left, ticket.plain = 0, False
            self._finish(ticket)
        for slot in (*self._slots, self._async_slot, *self._extra):
            slot.abandon()
        self._launcher.close()
        self._selector.close()
        self._ear.close()
        self._bell.close()

    # --- jobs out

    def _assign(self) -> None:
        for slot in self._slots:
            if self._retries and not slot.jobs:
                self._send(slot, self._retries.popleft(), fresh=True)
        while self._queue and (free := [slot for slot in self._slots if self._has_room(slot)]):
            for slot in free[: len(self._queue)]:
                self._send(slot, self._queue.popleft())
        while self._async_queue:
            self._send(self._async_slot, self._async_queue.popleft())
        while self._solo and len(self._extra) < SOLO:
            slot = Slot(self._launcher, self._selector, asynchronous=True)
            self._extra.append(slot)
            self._send(slot, self._solo.popleft(), fresh=True)
            self._drop_if_idle(slot)

        for slot in self._busy():
            try:
                slot.flush()
            except OSError:
                self._died(slot)

    def _has_room(self, slot: Slot) -> bool:
        """Tell whether a worker may have another job: it is idle, or works off what it has in no time."""
        if not slot.jobs:
            return True
        if self._retries or next(iter(slot.jobs.values())).retry:  # a retry runs alone, and first
            return False
        return slot.cells * self._pace < AHEAD_S

    def _send(self, slot: Slot, job: Job, *, fresh: bool = False) -> None:
        try:
            frame = dump(job.number, job.components, [job.ticket.samples[i] for i in job.indices])
        except Exception as error:  # noqa: BLE001  # any object in a reference may refuse to pickle
            self._give_up(job, f"the sample cannot be sent to a worker: {error_of(error).reason}")
            return
        try:
            slot.prepare(fresh=fresh)
        except LaunchError as error:
            self._no_worker(job, str(error))
            return
        try:
            slot.send(frame, job)
        except OSError:
            self._died(slot)

    def _no_worker(self, job: Job, problem: str) -> None:
        log.error("no worker can be started: %s", problem)
        jobs = [job]
        for queue in (self._queue, self._retries, self._async_queue, self._solo):
            jobs.extend(queue)
            queue.clear()
        for each in jobs:
            self._give_up(each, f"no worker could be started: {problem}")

    # --- cells back

    def _read(self, slot: Slot) -> None:
        if slot.process is None:
            return
        try:
            replies = slot.receive()
        except (EOFError, OSError):
            self._died(slot)
            return
        for reply in replies:
            if job := slot.jobs.get(reply.job):
                self._deliver(slot, job, reply)
        self._drop_if_idle(slot)

    def _drop_if_idle(self, slot: Slot) -> None:
        if slot in self._extra and not slot.jobs:
            self._extra.remove(slot)
            if slot.process is not None:
                slot.end(kill=True)

    def _deliver(self, slot: Slot, job: Job, reply: Reply) -> None:
        ticket = job.ticket
        if isinstance(reply, Piece):
            slot.settle(job, len(reply.cells))
            indices = job.indices[reply.first : reply.first + len(reply.cells)]
            self._settle(job, reply.component, indices, reply.cells, reply.latencies)
            self._note_pace(sum(reply.latencies) / len(reply.cells))
        elif reply.plain and not job.retry and job.left == ticket.left == len(ticket.samples) * len(self.components):
            self._note_pace(sum(map(sum, reply.latencies)) / ticket.left)
            slot.settle(job, ticket.left)
            ticket.cells, ticket.latencies = reply.columns, reply.latencies  # type: ignore[assignment]  # none is None
            ticket.left = 0
            self._finish(ticket)
        else:
            for piece in reply.pieces(job.components):
                self._deliver(slot, job, piece)

    def _note_pace(self, cell_s: float) -> None:
        self._pace = cell_s if self._pace == inf else (self._pace + cell_s) / 2

    def _settle(
        self, job: Job, component: int, indices: Sequence[int], cells: Sequence[Cell], latencies: Sequence[float]
    ) -> None:
        """Enter cells; faults at the first attempt are kept and tried again in a fresh worker."""
        ticket = job.ticket
        ticket.lay_out()
        ticket.plain = ticket.plain and is_plain(cells)
        if not job.retry and (again := self._again(job, component, indices, cells)):
            self._retry(job, component, again)
        for index, cell, latency in zip(indices, cells, latencies, strict=True):
            if ticket.cells[component][index] is None and (job.retry or (component, index) not in ticket.first):
                first = ticket.first.pop((component, index), None)
                ticket.cells[component][index] = cell if first is None else combine(first, cell)
                ticket.latencies[component][index] = latency
                ticket.left -= 1
        self._finish(ticket)

    def _again(self, job: Job, component: int, indices: Sequence[int], cells: Sequence[Cell]) -> dict[int, Fault]:
        """Return the samples to try again, with their faults."""
        together = self.components[component].whole and not self.components[component].group and len(job.indices) > 1
        faults = {
            index: cell
            for index, cell in zip(indices, cells, strict=True)
            if isinstance(cell, Fault) and repeatable(cell, together=together)
        }
        if faults and self.components[component].group:
            any_fault = next(iter(faults.values()))
            return {index: faults.get(index, any_fault) for index in job.indices}
        return faults

    def _retry(self, job: Job, component: int, faults: dict[int, Fault]) -> None:
        self.tally.retries += 1 if self.components[component].group else len(faults)
        job.ticket.first.update({(component, index): fault for index, fault in faults.items()})
        together = [list(faults)] if self.components[component].group else [[index] for index in faults]
        queue = self._solo if self.components[component].asynchronous else self._retries
        queue.extend(Job(job.ticket, (component,), indices, retry=True) for indices in together)

    def _finish(self, ticket: Ticket) -> None:
        if ticket.left == 0 and ticket in self._tickets:
            self._tickets.remove(ticket)
            ticket.done(ticket)

    # --- workers lost

    def _kill_overdue(self) -> None:
        now = monotonic()
        for slot in self._busy():
            if slot.due(self.components) <= now:
                self._lost(slot, kill=True)

    def _died(self, slot: Slot) -> None:
        self._lost(slot, kill=False)

    def _lost(self, slot: Slot, *, kill: bool) -> None:
        """Settle what a worker was doing when it died or was killed; the rest is queued again."""
        mark = slot.mark()
        code = slot.end(kill=kill)
        jobs = slot.take_jobs()
        if slot in self._extra:
            self._extra.remove(slot)
        if jobs:
            self.tally.replacements += 1
        guilty = self._convict(jobs, mark, code, overdue=kill)
        for job in jobs.values():
            self._resume(job, blameless=guilty)

    def _convict(self, jobs: Mapping[int, Job], mark: Mark, code: int, *, overdue: bool) -> bool:
        """Enter the fault of the call that ended its worker; False if none did."""
        if not jobs:
            return False
        culprit = jobs.get(mark.job)
        if culprit is None:
            [culprit, *others] = jobs.values()
            if others or culprit.left != 1 or not self._is_async(culprit):
                return False  # no call was under way, or it cannot be told which one was
            mark = mark._replace(component=culprit.components[0], position=0)
        component, still = self.components[mark.component], culprit.open(mark.component)
        indices = still if component.whole else [i for i in still if i == culprit.indices[mark.position]]
        if indices:
            fault = timeout_of(component.allowed_s(len(indices))) if overdue else death(code)
            took = monotonic() - mark.since
            self._settle(culprit, mark.component, indices, [fault] * len(indices), [took] * len(indices))
        return bool(indices)

    def _resume(self, job: Job, *, blameless: bool) -> None:
        for rest in remains(job, blameless=blameless):
            if rest.losses > MAX_LOSSES:
                self._give_up(rest, f"its worker died {rest.losses} times before it was scored")
            elif self._is_async(rest):
                if blameless and not rest.retry:
                    self._async_queue.appendleft(rest)
                else:
                    self._solo.extendleft(alone(rest, self.components[rest.components[0]]))
            else:
                (self._retries if rest.retry else self._queue).appendleft(rest)

    def _give_up(self, job: Job, reason: str) -> None:
        for component in job.components:
            if indices := job.open(component):
                cells = [infrastructure(reason)] * len(indices)
                self._settle(job, component, indices, cells, [0.0] * len(indices))
