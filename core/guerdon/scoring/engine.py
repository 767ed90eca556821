"""The engine: runs every reward on every sample and returns a record for each, whatever happens."""

import logging
import threading
import time
import weakref
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self, cast

from guerdon.errors import ConfigError, ScoringError
from guerdon.plugins import Plugins
from guerdon.reward import Reward
from guerdon.sample import Group
from guerdon.scoring.batch import ScoredGroup
from guerdon.scoring.calls import IN_CALLER, Caller, Column, is_async
from guerdon.scoring.dispatcher import Dispatcher, Request
from guerdon.scoring.jobs import Component, Ticket
from guerdon.scoring.launcher import Launcher
from guerdon.scoring.observers import Notifier
from guerdon.scoring.policy import Settled, settle
from guerdon.scoring.records import Records
from guerdon.scoring.retry import score_inline
from guerdon.scoring.waiting import Batch, Receiver

log = logging.getLogger(__name__)

OBSERVERS_S = 10.0
"""Seconds that `Engine.score` and `Engine.close` wait for observers."""


@dataclass(frozen=True, slots=True)
class Counters:
    """What an engine has done since it was made."""

    groups: int
    samples: int
    records: int
    wait_s: float
    """Seconds that callers waited in `Engine.score` or in ``result()`` of a future."""
    replacements: int
    """Workers that died or were killed while they scored."""
    retries: int
    """Calls that failed and were made again: in a fresh worker, or inline."""


class Engine:
    """Scores groups. A context manager; `close` ends the workers.

    Rewards with ``isolation: inline`` run in the calling thread, all others in `workers`
    processes, async ones together in one more. `memory_mb` limits what a worker may add to its
    address space. Without `plugins`, rewards must be importable under their own names.
    """

    def __init__(
        self,
        rewards: Mapping[str, Reward],
        *,
        plugins: Plugins | None = None,
        workers: int = 2,
        observers: bool = True,
        memory_mb: int | None = None,
    ) -> None:
        if workers < 1:
            raise ConfigError(f"workers must be at least 1; found {workers}")
        for name, reward in rewards.items():
            check(name, reward)
        self.rewards = dict(rewards)
        self._names = tuple(rewards)
        self._inline = {name: Caller(r, IN_CALLER) for name, r in rewards.items() if r.isolation == "inline"}
        self._components = {name: Component.of(name, reward) for name, reward in rewards.items()}
        self._remote = {name: r for name, r in rewards.items() if name not in self._inline}
        self._launcher = Launcher(self._remote, plugins.files if plugins is not None else (), memory_mb)
        self._workers = workers
        self._notifier = Notifier(plugins if observers else None)
        self._dispatcher: Dispatcher | None = None
        self._lock = threading.Lock()
        self._closed = False
        self._prepared = False
        self._groups = self._samples = 0
        self._wait_s = 0.0
        self._second_calls = 0

    def __enter__(self) -> Self:
        """Start the workers."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def start(self) -> None:
        """Start and warm the workers; returns when they are there. `submit` does it otherwise."""
        self._prepare()
        if self._remote:
            self._pool().start()

    def score(self, groups: Iterable[Group]) -> list[ScoredGroup]:
        """Score all groups; the results are in their order.

        Raises:
            ScoringError: a component whose policy is ``missing: fail`` failed, or the engine is closed.
        """
        if not self._remote:
            return self._score_now(groups)
        if isinstance(groups, Sequence):
            scored = self._score_batch(groups)
        else:  # made one by one: each is scored while the next is made
            scored = [future.result() for future in [self.submit(group) for group in groups]]
        self._notifier.drain(OBSERVERS_S)
        return scored

    def _score_batch(self, groups: Sequence[Group]) -> list[ScoredGroup]:
        batch = Batch(len(groups))
        self._submit(groups, list(map(batch.place, range(len(groups)))))
        before = time.monotonic()
        try:
            return batch.wait()
        finally:
            self._wait_s += time.monotonic() - before

    def _score_now(self, groups: Iterable[Group]) -> list[ScoredGroup]:
        """Score where nothing runs in a worker."""
        self._check_open()
        before = time.monotonic()
        scored: list[ScoredGroup] = []
        for group in groups:
            scored.append(self._scored(group, self._score_inline(group), None))
            self._count(scored[-1])
        self._wait_s += time.monotonic() - before
        self._notifier.drain(OBSERVERS_S)
        return scored

    def submit(self, group: Group) -> Future[ScoredGroup]:
        """Score a group in the background, while others are still generated.

        The future raises ScoringError if a component with ``missing: fail`` failed. It cannot be
        cancelled.

        Raises:
            ScoringError: the engine is closed.
        """
        future = _TimedFuture(self)
        self._submit([group], [future])
        return future

    def _submit(self, groups: Sequence[Group], receivers: Sequence[Receiver]) -> None:
        self._check_open()
        requests: list[Request] = []
        for group, receiver in zip(groups, receivers, strict=True):
            inline = self._score_inline(group) if self._inline else {}
            if self._remote:
                requests.append((group.samples, partial(self._complete, group, inline, receiver)))
            else:
                self._complete(group, inline, receiver, None)
        if requests:
            self._pool().submit(requests)

    def close(self) -> None:
        """End the workers. Groups that are not scored come out as failures of the infrastructure."""
        with self._lock:
            self._closed = True
        if self._dispatcher is not None:
            self._dispatcher.close()
        self._notifier.close(OBSERVERS_S)

    @property
    def counters(self) -> Counters:
        """What the engine has done so far."""
        tally = self._dispatcher.tally if self._dispatcher is not None else None
        return Counters(
            self._groups,
            self._samples,
            self._samples * len(self._names),
            self._wait_s,
            tally.replacements if tally is not None else 0,
            self._second_calls + (tally.retries if tally is not None else 0),
        )

    @property
    def problems(self) -> Mapping[str, str]:
        """Components that cannot be loaded in a worker, and why; all their samples are masked."""
        return dict(self._launcher.problems)

    def _score_inline(self, group: Group) -> dict[str, Column]:
        columns: dict[str, Column] = {}
        for name, caller in self._inline.items():
            columns[name], calls = score_inline(caller, group.samples, group=self._components[name].group)
            self._second_calls += calls
        return columns

    def _check_open(self) -> None:
        if self._closed:
            raise ScoringError("the engine is closed; make a new one")
        if not self._prepared:
            self._prepare()

    def _prepare(self) -> None:
        with self._lock:
            if not self._prepared:
                self._prepared = True
                for caller in self._inline.values():
                    caller.reward.prepare()

    def _pool(self) -> Dispatcher:
        with self._lock:
            if self._closed:
                raise ScoringError("the engine is closed; make a new one")
            if self._dispatcher is None:
                components = [self._components[name] for name in self._remote]
                self._dispatcher = Dispatcher(components, self._launcher, self._workers)
                weakref.finalize(self, self._dispatcher.close)
            return self._dispatcher

    def _complete(self, group: Group, inline: Mapping[str, Column], receiver: Receiver, ticket: Ticket | None) -> None:
        """Make the result of a group whose cells are all there."""
        try:
            scored = self._scored(group, inline, ticket)
        except Exception as error:  # noqa: BLE001  # ScoringError, or a fault of ours: the caller must see it
            receiver.set_exception(error)
            return
        self._count(scored)
        receiver.set_result(scored)

    def _count(self, scored: ScoredGroup) -> None:
        self._groups += 1
        self._samples += len(scored.group.samples)
        self._notifier.post(scored)

    def _scored(self, group: Group, inline: Mapping[str, Column], ticket: Ticket | None) -> ScoredGroup:
        ids = [sample.id for sample in group.samples]
        if ticket is not None and ticket.plain and not inline:
            settled = cast("list[list[Settled]]", ticket.settled())
            return ScoredGroup(group, self._names, Records(ids, self._names, settled, ticket.latencies))
        columns = inline if ticket is None else self._merge(inline, ticket)
        mixed = [
            cast("Sequence[Settled]", columns[name].cells)
            if columns[name].plain
            else settle(name, self.rewards[name], group.samples, columns[name].cells)
            for name in self._names
        ]
        latencies = [columns[name].latencies for name in self._names]
        return ScoredGroup(group, self._names, Records(ids, self._names, mixed, latencies))

    def _merge(self, inline: Mapping[str, Column], ticket: Ticket) -> Mapping[str, Column]:
        remote = zip(self._remote, ticket.settled(), ticket.latencies, strict=True)
        return {**inline, **{name: Column(cells, latencies, ticket.plain) for name, cells, latencies in remote}}


class _TimedFuture(Future[ScoredGroup]):
    """A future that adds the time its caller waited to the engine's counter."""

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._engine = engine

    def cancel(self) -> bool:
        """Refuse: what is submitted is scored."""
        return False

    def result(self, timeout: float | None = None) -> ScoredGroup:
        """Wait for the group."""
        if self.done():
            return super().result()
        before = time.monotonic()
        try:
            return super().result(timeout)
        finally:
            self._engine._wait_s += time.monotonic() - before  # noqa: SLF001  # its own future


def check(name: str, reward: Reward) -> None:
    """Refuse a reward that cannot be run as configured.

    Raises:
        ConfigError: names the field and the remedy.
    """
    if reward.isolation == "inline" and not reward.bounded:
        raise ConfigError(
            f"rewards.{name}.isolation: inline needs a class that declares `bounded = True` (time and memory "
            f"proven to be bounded for any completion); {type(reward).__name__} does not. Use `isolation: process`"
        )
    if reward.isolation == "inline" and is_async(reward):
        raise ConfigError(f"rewards.{name}.isolation: an async reward runs in a worker. Use `isolation: process`")
    if reward.limits is not None and not is_async(reward):
        raise ConfigError(f"rewards.{name}.limits: only an async reward has them; make its method `async def`")
    low, high = reward.range()
    if not low <= high or (reward.missing == "minimum" and low == float("-inf")):
        raise ConfigError(
            f"rewards.{name}: its range is [{low}, {high}]; it must be ordered, and its minimum finite, because "
            "that is what a failure counts as. Mend value_range or range(), or choose another `missing`"
        )
