"""What trainer and workers send each other."""

import marshal
import pickle
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from guerdon.reward import Reward
from guerdon.score import Status
from guerdon.scoring.calls import IN_WORKER, Caller
from guerdon.scoring.cells import Cell, Fault, error_of, is_plain


def loads(frame: bytes | bytearray | memoryview) -> Any:
    """Read a message. Both ends are processes of one engine, so pickle brings in nothing foreign."""
    return pickle.loads(frame)  # noqa: S301  # see above


class Piece(NamedTuple):
    """Cells that go back: consecutive positions of one job and component."""

    job: int
    component: int
    first: int
    cells: list[Cell]
    latencies: list[float]
    """Seconds."""
    plain: bool
    """All cells are scores: no fault, no abstention."""


class Whole(NamedTuple):
    """All cells of a job at once, by component: what fast jobs send."""

    job: int
    columns: list[list[Cell]]
    latencies: list[list[float]]
    """Seconds."""
    plain: bool
    """All cells are scores: no fault, no abstention."""

    def pieces(self, components: tuple[int, ...]) -> "list[Piece]":
        """Return the same as pieces."""
        columns = zip(components, self.columns, self.latencies, strict=True)
        return [Piece(self.job, k, 0, cells, took, is_plain(cells)) for k, cells, took in columns]


def join_pieces(pieces: Iterable[Piece]) -> "list[Reply]":
    """Put pieces together that follow each other."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last and last[:2] == piece[:2] and last.first + len(last.cells) == piece.first:
            last.cells.extend(piece.cells)
            last.latencies.extend(piece.latencies)
            joined[-1] = last._replace(plain=last.plain and piece.plain)
        else:
            joined.append(piece)
    return list(joined)


type Reply = Whole | Piece


def dump_replies(replies: Sequence[Reply]) -> bytes:
    """Write replies as one message: by `marshal`, which is faster, where all cells are bare numbers."""
    written = [tuple(reply) for reply in replies]
    try:
        return b"m" + marshal.dumps(written, 2)
    except ValueError:  # a cell that is more than a number
        return b"p" + pickle.dumps(written)


def load_replies(frame: bytes | bytearray) -> list[Reply]:
    """Read what `dump_replies` wrote."""
    body = memoryview(frame)[1:]
    replies = marshal.loads(body) if frame[:1] == b"m" else loads(body)  # noqa: S302  # from our own process
    return [Whole(*reply) if len(reply) == len(Whole._fields) else Piece(*reply) for reply in replies]


class Loaded(NamedTuple):
    """A component in a worker: its caller, or why it could not be loaded."""

    caller: Caller | None
    problem: str = ""


def load(pickled: bytes) -> Loaded:
    """Unpickle a reward and have it prepare; a failure is kept as text."""
    try:
        reward = loads(pickled)
        if not isinstance(reward, Reward):
            return Loaded(None, f"it unpickles to {type(reward).__name__}, which is no Reward")
        reward.prepare()
        return Loaded(Caller(reward, IN_WORKER))
    except BaseException as exception:  # noqa: BLE001  # plugin code runs here
        return Loaded(None, error_of(exception).reason)


def not_loaded(problem: str) -> Fault:
    """Return the fault of every sample of a component that cannot be loaded."""
    reason = f"the reward cannot be loaded in a worker: {problem}"
    return Fault(Status.ERROR, "load", reason, infrastructure=True)


def not_read(error: Exception) -> Fault:
    """Return the fault of samples that do not unpickle in a worker."""
    reason = f"the sample cannot be read in a worker: {error_of(error).reason}"
    return Fault(Status.ERROR, "unpickle", reason, infrastructure=True)
