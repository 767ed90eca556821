"""What scoring again changed: values, signs of advantages, and the order within groups."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from guerdon.ledger import Ledger
from guerdon.ledger.parts import Part
from guerdon.review.estimate import Floats, Ints
from guerdon.review.reweight import Bools, flips, ranking

SHOWN = 20
"""How many changed samples are named."""


@dataclass(frozen=True, slots=True)
class ComponentChange:
    """One component on all samples that both ledgers have."""

    same: bool
    """Code and configuration are the same, by their hashes."""
    compared: int = 0
    """Records; those that the infrastructure failed on either side are left out."""
    equal: int = 0
    """Of these, status and value are the same, bit for bit."""
    failed: int = 0
    """Records that are left out."""
    before: float = 0.0
    """Sum of the values where both sides have one."""
    after: float = 0.0
    both: int = 0
    """Records with a value on both sides."""

    @property
    def lacks(self) -> bool:
        """Tell whether a record differs."""
        return self.equal < self.compared

    def __add__(self, other: "ComponentChange") -> "ComponentChange":
        """Add another part of the ledger."""
        counts = {
            name: getattr(self, name) + getattr(other, name)
            for name in ("compared", "equal", "failed", "before", "after", "both")
        }
        return replace(self, same=self.same and other.same, **counts)


@dataclass(frozen=True, slots=True)
class Changed:
    """A sample that is scored otherwise."""

    part: str
    step: int
    sample_id: str
    values: Mapping[str, tuple[float | None, float | None]]
    """Before and after, of the components that changed."""
    advantage: tuple[float, float]


@dataclass(slots=True)
class Difference:
    """Two ledgers of the same completions."""

    components: dict[str, ComponentChange] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    """Components that only the first has."""
    added: set[str] = field(default_factory=set)
    samples: int = 0
    """That both have, with the same completion."""
    unmatched: int = 0
    """Of the second; the first has no such sample, or another completion under its id."""
    changed: int = 0
    """Samples of which a component changed."""
    flips: int = 0
    """Samples whose advantage changes sign."""
    groups: int = 0
    ordered: int = 0
    """Pairs of samples of one group with different advantages on both sides."""
    reversed: int = 0
    """Of these, the pairs whose order turns round."""
    winners: int = 0
    """Groups in which no sample is best on both sides."""
    shown: list[Changed] = field(default_factory=list)
    """The largest changes."""

    def reproduced(self) -> tuple[int, int]:
        """Return how many values of unchanged components are equal, and how many there are."""
        same = [change for change in self.components.values() if change.same]
        return sum(change.equal for change in same), sum(change.compared for change in same)


def compare(first: Ledger, second: Ledger) -> Difference:
    """Compare two ledgers part by part.

    Raises:
        LedgerError: a part is damaged.
    """
    result = Difference()
    olds = {(part.stem, part.step): part for part in first.parts()}
    for part in second.parts():
        new = _Rows.of(second, part)
        old_part = olds.get((part.stem, part.step))
        if old_part is None:
            result.unmatched += len(new.ids)
        else:
            _add(result, part, *_aligned(result, _Rows.of(first, old_part), new))
    return result


@dataclass(frozen=True, slots=True)
class _Rows:
    """One part: N samples, K components."""

    components: Sequence[str]
    sources: Sequence[tuple[Any, Any]]
    """[K], code and configuration hash."""
    ids: list[str]
    groups: list[str]
    completions: list[str]
    values: Floats
    """[N, K], NaN where there is none."""
    statuses: np.ndarray
    """[N, K]"""
    failed: Bools
    """[N, K], by the infrastructure."""
    advantages: Floats
    trained: Bools

    @classmethod
    def of(cls, ledger: Ledger, part: Part) -> "_Rows":
        samples, records = ledger.read("samples", [part]), ledger.read("records", [part])
        names = [component.name for component in ledger.rule(part).components]
        shape = (samples.num_rows, len(names))
        code, config = (records[name][: shape[1]].to_pylist() for name in ("code_hash", "config_hash"))
        return cls(
            names,
            list(zip(code, config, strict=True)),
            samples["sample_id"].to_pylist(),
            samples["group_id"].to_pylist(),
            samples["completion"].to_pylist(),
            _floats(records, "value").reshape(shape),
            np.array(records["status"].to_pylist(), dtype=np.str_).reshape(shape),
            (np.array(records["cause"].to_pylist(), dtype=np.str_) == "infrastructure").reshape(shape),
            _floats(samples, "advantage"),
            samples["trained"].to_numpy().astype(np.bool_),
        )

    def take(self, rows: Ints) -> "_Rows":
        """Return some samples, in this order."""
        return replace(
            self,
            ids=[self.ids[row] for row in rows],
            groups=[self.groups[row] for row in rows],
            completions=[],
            values=self.values[rows],
            statuses=self.statuses[rows],
            failed=self.failed[rows],
            advantages=self.advantages[rows],
            trained=self.trained[rows],
        )


def _floats(table: pa.Table, column: str) -> Floats:
    values: Floats = table[column].to_numpy().astype(np.float64)
    return values


def _aligned(result: Difference, old: _Rows, new: _Rows) -> tuple[_Rows, _Rows]:
    """Bring the samples that both have into the same order."""
    places = {(name, text): row for row, (name, text) in enumerate(zip(old.ids, old.completions, strict=True))}
    found = [places.get(key, -1) for key in zip(new.ids, new.completions, strict=True)]
    theirs = np.array(found, dtype=np.int64)
    mine = np.flatnonzero(theirs >= 0)
    result.unmatched += len(found) - len(mine)
    return old.take(theirs[mine]), new.take(mine)


def _add(result: Difference, part: Part, old: _Rows, new: _Rows) -> None:
    result.lost |= set(old.components) - set(new.components)
    result.added |= set(new.components) - set(old.components)
    result.samples += len(new.ids)
    differs: dict[str, Bools] = {}
    for name, change, changed in _components(old, new):
        result.components[name] = result.components[name] + change if name in result.components else change
        differs[name] = changed
    any_differs = np.any(list(differs.values()), axis=0) if differs else np.zeros(len(new.ids), dtype=np.bool_)
    result.changed += int(any_differs.sum())
    result.flips += int(flips(old.advantages, new.advantages).sum())
    _, groups = np.unique(np.array(new.groups, dtype=np.str_), return_inverse=True)
    moved = ranking(groups, old.trained & new.trained, old.advantages, new.advantages)
    result.groups += int(groups.max(initial=-1)) + 1
    result.ordered += moved.ordered
    result.reversed += moved.reversed
    result.winners += moved.winners
    found = [*result.shown, *_named(part, old, new, differs, any_differs)]
    result.shown = sorted(found, key=_size, reverse=True)[:SHOWN]


def _components(old: _Rows, new: _Rows) -> Iterator[tuple[str, ComponentChange, Bools]]:
    """Compare the components that both have; also tell which samples [N] changed."""
    for here, name in enumerate(new.components):
        if name not in old.components:
            continue
        there = list(old.components).index(name)
        before, after = old.values[:, there], new.values[:, here]
        equal = (before == after) | (np.isnan(before) & np.isnan(after))
        equal &= old.statuses[:, there] == new.statuses[:, here]
        failed = old.failed[:, there] | new.failed[:, here]
        both = ~np.isnan(before) & ~np.isnan(after)
        change = ComponentChange(
            old.sources[there] == new.sources[here],
            int((~failed).sum()),
            int((equal & ~failed).sum()),
            int(failed.sum()),
            float(before[both].sum()),
            float(after[both].sum()),
            int(both.sum()),
        )
        yield name, change, ~equal & ~failed


def _named(part: Part, old: _Rows, new: _Rows, differs: Mapping[str, Bools], any_differs: Bools) -> Iterator[Changed]:
    """Describe the samples of a part that changed the most."""
    candidates = np.flatnonzero(any_differs)
    size = np.abs(new.advantages - old.advantages)[candidates]
    for row in candidates[np.argsort(-size, kind="stable")[:SHOWN]]:
        values = {
            name: (
                _number(old.values[row, list(old.components).index(name)]),
                _number(new.values[row, list(new.components).index(name)]),
            )
            for name, changed in differs.items()
            if changed[row]
        }
        advantage = float(old.advantages[row]), float(new.advantages[row])
        yield Changed(part.stem, part.step, new.ids[row], values, advantage)


def _size(changed: Changed) -> tuple[float, float]:
    """Order by the change of the advantage, then by that of the values."""
    values = [
        abs(after - before) for before, after in changed.values.values() if before is not None and after is not None
    ]
    return abs(changed.advantage[1] - changed.advantage[0]), max(values, default=0.0)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
