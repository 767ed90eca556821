"""The pieces that scoring is cut into, and what is known of each group while it is under way."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple, cast

from guerdon.reward import Reward
from guerdon.sample import Sample
from guerdon.score import Status
from guerdon.scoring.calls import is_async, method_of
from guerdon.scoring.cells import Cell, Fault

JOB_SAMPLES = 16
"""Samples of a job, where they are scored one by one; larger groups are spread over the workers."""

MAX_LOSSES = 2
"""A job whose worker died that often before it came to it is a failure of the infrastructure."""


class Component(NamedTuple):
    """What the dispatcher must know of a reward."""

    name: str
    timeout_s: float
    whole: bool
    """One call takes all samples."""
    group: bool
    """The samples must stay together: `score_group`."""
    asynchronous: bool

    def allowed_s(self, samples: int) -> float:
        """Return the seconds that a call in a job of so many samples may take."""
        return self.timeout_s * samples if self.whole else self.timeout_s

    @classmethod
    def of(cls, name: str, reward: Reward) -> "Component":
        """Describe a reward."""
        method = method_of(reward)
        return cls(name, reward.timeout_s, method != "score", method == "score_group", is_async(reward))


@dataclass(slots=True, eq=False)
class Ticket:
    """A group under way. ``cells[component][sample]`` is None until it is settled."""

    samples: Sequence[Sample] = field(repr=False)
    done: Callable[["Ticket"], None] = field(repr=False)
    """Called once, when no cell is None."""
    components: int
    left: int
    """Cells that are not settled."""
    cells: list[list[Cell | None]] = field(default_factory=list, repr=False)
    latencies: list[list[float]] = field(default_factory=list, repr=False)
    """Seconds. Both are laid out when the first cell comes, unless all come at once."""
    first: dict[tuple[int, int], Fault] = field(default_factory=dict)
    """First faults, by component and sample; a retry of each is under way."""
    plain: bool = True
    """All cells so far are scores: no fault, no abstention."""

    @classmethod
    def of(cls, samples: Sequence[Sample], components: int, done: Callable[["Ticket"], None]) -> "Ticket":
        """Return a ticket on which nothing is settled."""
        return cls(samples, done, components, len(samples) * components)

    def lay_out(self) -> None:
        """Make room for cells that come one by one."""
        if not self.cells:
            size = len(self.samples)
            self.cells = [[None] * size for _ in range(self.components)]
            self.latencies = [[0.0] * size for _ in range(self.components)]

    def settled(self) -> list[list[Cell]]:
        """Return the cells of a group that is done."""
        assert self.left == 0
        self.lay_out()
        return cast("list[list[Cell]]", self.cells)


@dataclass(slots=True)
class Tally:
    """What the dispatcher counts."""

    retries: int = 0
    replacements: int = 0


_numbers = count(1)


@dataclass(slots=True, eq=False)
class Job:
    """Some samples of a group and the components to score them by, in one worker."""

    ticket: Ticket = field(repr=False)
    components: tuple[int, ...]
    indices: Sequence[int]
    """Places of the samples in the group."""
    retry: bool = False
    """The second and last attempt, in a worker that has run nothing else."""
    losses: int = 0
    number: int = field(default_factory=_numbers.__next__)
    left: int = field(init=False)
    """Cells that this job still owes."""

    def __post_init__(self) -> None:
        """Count the cells."""
        self.left = len(self.components) * len(self.indices)

    def open(self, component: int) -> list[int]:
        """Places of the samples that this job still owes a cell for `component`."""
        self.ticket.lay_out()
        cells, first = self.ticket.cells[component], self.ticket.first
        return [i for i in self.indices if cells[i] is None and (self.retry or (component, i) not in first)]


class Plan:
    """How groups are cut into jobs."""

    def __init__(self, components: Sequence[Component]) -> None:
        self._waiting = tuple(k for k, c in enumerate(components) if c.asynchronous)
        self._working = tuple(k for k, c in enumerate(components) if not c.asynchronous)
        self._whole = tuple(k for k in self._working if components[k].whole)
        self._single = tuple(k for k in self._working if not components[k].whole)

    def cut(self, ticket: Ticket) -> Iterable[Job]:
        """Cut a group: async components apart, large groups in slices where samples are scored alone."""
        everything = range(len(ticket.samples))
        if self._waiting:
            yield Job(ticket, self._waiting, everything)
        if len(everything) > JOB_SAMPLES:
            yield from (Job(ticket, (component,), everything) for component in self._whole)
            if self._single:
                starts = range(0, len(everything), JOB_SAMPLES)
                yield from (Job(ticket, self._single, everything[i : i + JOB_SAMPLES]) for i in starts)
        elif self._working:
            yield Job(ticket, self._working, everything)


def remains(job: Job, *, blameless: bool) -> list[Job]:
    """Return what is to be done again of a job whose worker is gone; `blameless` if another call is to blame."""
    losses = job.losses + (not blameless)
    return [
        Job(job.ticket, (component,), still, retry=job.retry, losses=losses)
        for component in job.components
        if (still := job.open(component))
    ]


def alone(job: Job, component: Component) -> list[Job]:
    """Split a job of one component into its calls."""
    if component.whole:
        return [job]
    return [Job(job.ticket, job.components, [i], retry=job.retry, losses=job.losses) for i in job.indices]


def infrastructure(reason: str) -> Fault:
    """Return a fault that no completion is to blame for."""
    return Fault(Status.ERROR, "infrastructure", reason, infrastructure=True)
