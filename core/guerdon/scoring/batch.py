"""The result of scoring one group: a record for every (sample, component)."""

from collections.abc import Sequence
from dataclasses import dataclass

from guerdon.sample import Group
from guerdon.score import Record
from guerdon.scoring.records import Records


@dataclass(frozen=True, slots=True)
class ScoredGroup:
    """A group and its records; ``records[i][k]`` belongs to sample i and component k."""

    group: Group
    components: Sequence[str]
    records: Sequence[Sequence[Record]]

    def values(self) -> list[tuple[float | None, ...]]:
        """Return `Record.value`, a tuple over the components for each sample.

        Cheap where the engine made the records: it writes them out only when somebody looks.
        """
        if isinstance(self.records, Records):
            return self.records.values()
        return [tuple(record.value for record in row) for row in self.records]
