"""The result of scoring one group: a record for every (sample, component)."""

from collections.abc import Sequence
from dataclasses import dataclass

from guerdon.sample import Group
from guerdon.score import Record


@dataclass(frozen=True, slots=True)
class ScoredGroup:
    """A group and its records; ``records[i][k]`` belongs to sample i and component k."""

    group: Group
    components: Sequence[str]
    records: Sequence[Sequence[Record]]
