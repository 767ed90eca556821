"""What runs in a worker process: take jobs, call rewards, send cells back."""

from collections.abc import Sequence
from time import monotonic

from guerdon.sample import Sample
from guerdon.scoring.arena import Arena
from guerdon.scoring.calls import Caller, Run
from guerdon.scoring.cells import Cell, Fault, is_plain
from guerdon.scoring.channel import Channel
from guerdon.scoring.marks import Marks
from guerdon.scoring.messages import Loaded, Piece, Reply, Whole, dump_replies, not_loaded, not_read
from guerdon.scoring.packing import Work, load, unpack_samples
from guerdon.scoring.surroundings import Surroundings

FLUSH_S = 0.002
"""Cells wait no longer than this before they are sent: what a kill can lose and must be repeated."""

LINGER_S = 0.0003
"""An idle worker waits this long for another job before it sends what it has."""


class Worker:
    """The loop of one worker process for rewards that are not async; these run one call at a time."""

    def __init__(self, channel: Channel, marks: Marks, arena: Arena, components: Sequence[Loaded]) -> None:
        self.channel = channel
        self.marks = marks
        self.arena = arena
        self.components = components
        self.surroundings = Surroundings()
        self.replies: list[Reply] = []
        self.pieces: list[Piece] = []
        """Of the job that runs."""
        self.flushed = monotonic()

    def serve(self) -> None:
        """Work until the parent closes the connection."""
        self.marks.clear()
        while True:
            frames = self.channel.receive()
            for frame in frames:
                self._run(load(self.arena.get(frame)))
            if not frames:
                self.marks.clear()
                if not self.channel.wait(LINGER_S if self.replies else None):
                    self._flush()

    def _run(self, work: Work) -> None:
        try:
            samples = unpack_samples(work.columns, work.contexts)
        except Exception as error:  # noqa: BLE001  # whatever unpickling a reference raises
            for component in work.components:
                self._refuse(work, component, not_read(error))
        else:
            for component in work.components:
                self._run_component(work, component, samples)
        self._finish(work)

    def _run_component(self, work: Work, component: int, samples: Sequence[Sample]) -> None:
        caller, problem = self.components[component]
        if caller is None:
            self._refuse(work, component, not_loaded(problem))
        elif caller.whole:
            self._run_whole(work.job, component, caller, samples)
        else:
            self._run_each(work.job, component, caller, samples)
        self.surroundings.restore()

    def _finish(self, work: Work) -> None:
        """Put the pieces of a job together, if none of them was sent before."""
        pieces, self.pieces = self.pieces, []
        if [(piece.component, len(piece.cells)) for piece in pieces] == [(k, work.size) for k in work.components]:
            columns, latencies = [piece.cells for piece in pieces], [piece.latencies for piece in pieces]
            self.replies.append(Whole(work.job, columns, latencies, all(map(is_plain, columns))))
        else:
            self.replies += pieces
        if monotonic() - self.flushed > FLUSH_S:
            self._flush()

    def _refuse(self, work: Work, component: int, fault: Fault) -> None:
        self._keep(work.job, component, 0, [fault] * work.size, [0.0] * work.size)

    def _run_each(self, job: int, component: int, caller: Caller, samples: Sequence[Sample]) -> None:
        position = 0
        while position < len(samples):
            run = Run(position, until=self.flushed + FLUSH_S)
            self.marks.write(job, component, position)
            caller.score_each(samples, run, self.marks.times, self.marks.places)
            self._keep(job, component, position, run.cells, run.latencies)
            position += len(run.cells)
            if isinstance(run.cells[-1], Fault) or monotonic() > run.until:
                self._flush()  # a fault at once: the process may not live long

    def _run_whole(self, job: int, component: int, caller: Caller, samples: Sequence[Sample]) -> None:
        before = monotonic()
        self.marks.write(job, component, 0)
        cells = caller.score_all(samples)
        share = (monotonic() - before) / max(1, len(samples))
        self._keep(job, component, 0, cells, [share] * len(samples))
        self._flush()

    def _keep(self, job: int, component: int, first: int, cells: list[Cell], latencies: list[float]) -> None:
        self.pieces.append(Piece(job, component, first, cells, latencies, is_plain(cells)))

    def _flush(self) -> None:
        self.replies += self.pieces
        self.pieces.clear()
        if self.replies:
            self.channel.send(dump_replies(self.replies))
            self.replies.clear()
        self.flushed = monotonic()
