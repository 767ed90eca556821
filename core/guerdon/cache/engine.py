"""The engine with a cache before it: what is known is looked up, the rest is scored and kept."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from guerdon.cache.entries import dump_record, keepable, load_record
from guerdon.cache.keys import SampleKeys, alone, component_digest, together
from guerdon.cache.store import ScoreCache
from guerdon.plugins import Plugins
from guerdon.reward import Reward
from guerdon.sample import Group
from guerdon.score import Record
from guerdon.scoring.batch import ScoredGroup
from guerdon.scoring.engine import Engine

MAX_ENGINES = 3
"""Different sets of components that get an engine of their own; further ones use that of all."""


@dataclass(slots=True)
class Tally:
    """How many records came from where."""

    found: int = 0
    scored: int = 0

    @property
    def share(self) -> float:
        """The share of records that was found."""
        return self.found / (self.found + self.scored) if self.found + self.scored else 0.0


@dataclass(slots=True)
class Pending:
    """A group under way."""

    group: Group
    digests: Mapping[str, Sequence[bytes]]
    """By component that may be kept."""
    known: dict[str, list[Record]]
    """By component that was found for all samples."""
    future: Future[ScoredGroup] | None = field(default=None, repr=False)


class CachedEngine:
    """Scores groups as `Engine` does, and looks up what a component is known to say of a whole group.

    A component is scored where a sample of the group is unknown, or where its reward is not
    `cacheable`. Without a cache, everything is scored. Observers are not notified.
    """

    def __init__(
        self,
        rewards: Mapping[str, Reward],
        cache: ScoreCache | None,
        *,
        plugins: Plugins | None = None,
        workers: int = 2,
    ) -> None:
        self.rewards = dict(rewards)
        self.tally = Tally()
        self._cache = cache
        self._plugins, self._workers = plugins, workers
        kept = {name: component_digest(reward, plugins) for name, reward in rewards.items()} if cache else {}
        self._components = {name: digest for name, digest in kept.items() if digest is not None}
        self._alone = {name for name in self._components if alone(rewards[name])}
        self._keys = SampleKeys()
        self._engines: dict[frozenset[str], Engine] = {}

    def __enter__(self) -> Self:
        """Return the engine itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End the workers. The cache is its owner's to close."""
        for engine in self._engines.values():
            engine.close()

    def submit(self, groups: Sequence[Group]) -> list[Pending]:
        """Look groups up and begin to score what is not known; `collect` waits for it."""
        pending = [self._pending(group) for group in groups]
        if self._cache is not None:
            for name, component in self._components.items():
                self._look_up(name, component, pending)
        for one in pending:
            missing = frozenset(self.rewards.keys() - one.known.keys())
            if missing:
                one.future = self._engine(missing).submit(one.group)
        return pending

    def collect(self, pending: Sequence[Pending]) -> list[ScoredGroup]:
        """Wait for groups, and keep what was scored.

        Raises:
            ScoringError: a component whose policy is ``missing: fail`` failed.
        """
        return [self._collect(one) for one in pending]

    def score(self, groups: Sequence[Group]) -> list[ScoredGroup]:
        """Score all groups; the results are in their order."""
        return self.collect(self.submit(groups))

    def _pending(self, group: Group) -> Pending:
        digests = self._keys.of_group(group.samples) if self._components else None
        if digests is None:
            return Pending(group, {}, {})
        whole = together(digests) if self._alone != self._components.keys() else digests
        by_component = {name: digests if name in self._alone else whole for name in self._components}
        return Pending(group, by_component, {})

    def _look_up(self, name: str, component: bytes, pending: Sequence[Pending]) -> None:
        assert self._cache is not None
        readable = [one for one in pending if name in one.digests]
        found = self._cache.get(component, [digest for one in readable for digest in one.digests[name]])
        for one in readable if found else ():
            entries = [found.get(digest, b"") for digest in one.digests[name]]
            if all(entries):
                places = zip(one.group.samples, one.digests[name], entries, strict=True)
                records = [load_record(entry, component + key, sample.id, name) for sample, key, entry in places]
                whole = [record for record in records if record is not None]
                if len(whole) == len(records):
                    one.known[name] = whole

    def _engine(self, missing: frozenset[str]) -> Engine:
        """Return an engine that scores at least these components."""
        if missing not in self._engines and len(self._engines) >= MAX_ENGINES:
            missing = frozenset(self.rewards)
        if missing not in self._engines:
            rewards = {name: reward for name, reward in self.rewards.items() if name in missing}
            self._engines[missing] = Engine(rewards, plugins=self._plugins, workers=self._workers, observers=False)
        return self._engines[missing]

    def _collect(self, one: Pending) -> ScoredGroup:
        columns: dict[str, Sequence[Record]] = dict(one.known)
        if one.future is not None:
            scored = one.future.result()
            rows = list(scored.records)
            for place, name in enumerate(scored.components):
                if name not in columns:
                    columns[name] = [row[place] for row in rows]
                    self._keep(name, one, columns[name])
        self.tally.found += len(one.known) * len(one.group.samples)
        self.tally.scored += (len(columns) - len(one.known)) * len(one.group.samples)
        records = list(zip(*(columns[name] for name in self.rewards), strict=True))
        return ScoredGroup(one.group, tuple(self.rewards), records)

    def _keep(self, name: str, one: Pending, column: Sequence[Record]) -> None:
        digests = one.digests.get(name)
        if self._cache is None or digests is None or not keepable(column):
            return
        component = self._components[name]
        pairs = zip(digests, column, strict=True)
        self._cache.put(component, {digest: dump_record(record, component + digest) for digest, record in pairs})
