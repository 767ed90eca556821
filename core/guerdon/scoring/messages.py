"""What trainer and workers send each other."""

import pickle
from typing import Any, NamedTuple

from guerdon.reward import Reward
from guerdon.score import Status
from guerdon.scoring.calls import IN_WORKER, Caller
from guerdon.scoring.cells import Cell, Fault, error_of
from guerdon.scoring.packing import Packed


def loads(frame: bytes) -> Any:
    """Read a message. Both ends are processes of one engine, so pickle brings in nothing foreign."""
    return pickle.loads(frame)  # noqa: S301  # see above


class Work(NamedTuple):
    """A job as it is sent: some samples of a group and the components to score them by."""

    job: int
    components: tuple[int, ...]
    size: int
    """Number of samples."""
    samples: Packed


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
