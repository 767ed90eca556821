"""Which samples a page of bounded size shows, where it cannot show all."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from guerdon.ledger import Ledger

MAX_RECORDS = 20_000
EVALUATION_SHARE = 0.6
"""At most this share of the records is for evaluations, so that training is always seen."""

GROUPS = """
    SELECT phase, sampling, step, group_id, count(*) AS records,
           count(*) FILTER (status IN ('error', 'timeout')) AS failed
    FROM records GROUP BY ALL ORDER BY ALL
"""


@dataclass(frozen=True, slots=True)
class GroupKey:
    """A group in a ledger."""

    phase: str
    sampling: str
    step: int
    group_id: str


@dataclass(frozen=True, slots=True)
class Selection:
    """Groups to show, and how many there are."""

    chosen: frozenset[GroupKey]
    groups: int
    records: int
    records_chosen: int


@dataclass(frozen=True, slots=True)
class _Candidate:
    key: GroupKey
    records: int
    failed: int

    def order(self) -> tuple[bool, str]:
        """Put groups with failures first, the others in an order that has nothing to do with content."""
        return (self.failed == 0, hashlib.sha256(self.key.group_id.encode()).hexdigest())


def select_groups(ledger: Ledger, limit: int = MAX_RECORDS, wanted: frozenset[GroupKey] = frozenset()) -> Selection:
    """Choose whole groups, at most `limit` records in all.

    Those `wanted` come before all others; then first and last evaluation, prompt by prompt on both
    sides; then training, an equal share of every step, groups with failures ahead; then the
    evaluations between.
    """
    found = [
        _Candidate(GroupKey(row["phase"], row["sampling"], row["step"], row["group_id"]), row["records"], row["failed"])
        for row in ledger.sql(GROUPS).to_pylist()
    ]
    chosen = [one for one in found if one.key in wanted]
    limit -= _records(chosen)
    rest = [one for one in found if one.key not in wanted]
    training = [one for one in rest if one.key.phase == "train"]
    other = [one for one in rest if one.key.phase != "train"]
    outer, inner = _ends(other)
    filled = _fill(_by_prompt(outer), int(limit * (EVALUATION_SHARE if training else 1.0)))
    filled += _fill(_by_step(training), limit - _records(filled))
    filled += _fill(_by_prompt(inner), limit - _records(filled))
    chosen += filled
    return Selection(
        chosen=frozenset(one.key for one in chosen),
        groups=len(found),
        records=_records(found),
        records_chosen=_records(chosen),
    )


def _records(candidates: Sequence[_Candidate]) -> int:
    return sum(one.records for one in candidates)


def _ends(candidates: Sequence[_Candidate]) -> tuple[list[_Candidate], list[_Candidate]]:
    steps = sorted({one.key.step for one in candidates})
    ends = {steps[0], steps[-1]} if steps else set()
    return [one for one in candidates if one.key.step in ends], [one for one in candidates if one.key.step not in ends]


def _by_prompt(candidates: Sequence[_Candidate]) -> list[list[_Candidate]]:
    """Bundle the groups of a prompt, so that it is chosen on all sides or not at all."""
    bundles: dict[str, list[_Candidate]] = {}
    for one in sorted(candidates, key=_Candidate.order):
        bundles.setdefault(one.key.group_id, []).append(one)
    return list(bundles.values())


def _by_step(candidates: Sequence[_Candidate]) -> list[list[_Candidate]]:
    """Deal the steps in turn: one group of each, then the next of each."""
    steps: dict[int, list[_Candidate]] = {}
    for one in sorted(candidates, key=_Candidate.order):
        steps.setdefault(one.key.step, []).append(one)
    rounds = zip_longest(*(steps[step] for step in sorted(steps)))
    return [[one] for one in chain.from_iterable(rounds) if one is not None]


def _fill(bundles: Sequence[Sequence[_Candidate]], room: int) -> list[_Candidate]:
    return list(chain.from_iterable(_while_room(bundles, room)))


def _while_room(bundles: Sequence[Sequence[_Candidate]], room: int) -> Iterator[Sequence[_Candidate]]:
    for bundle in bundles:
        size = _records(bundle)
        if size <= room:
            room -= size
            yield bundle
