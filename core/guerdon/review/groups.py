"""Every component's sums by group: all that curves and comparisons are made of."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from guerdon.ledger import Ledger, Phase, Sampling
from guerdon.review.estimate import Floats, Ints, Observed
from guerdon.review.prompts import Prompts

type Bools = npt.NDArray[np.bool_]

QUERY = """
    SELECT phase, sampling, step, component, group_id,
           count(value) AS count, sum(value) AS sum, min(value) AS low, max(value) AS high,
           sum(value * value) AS squares,
           max(weight) AS weight, count(*) AS records, count(contribution) AS counted,
           coalesce(sum(contribution), 0) AS contribution,
           count(*) FILTER (status = 'ok') AS ok, count(*) FILTER (status = 'abstain') AS abstain,
           count(*) FILTER (status = 'error') AS error, count(*) FILTER (status = 'timeout') AS timeout
    FROM records GROUP BY ALL ORDER BY ALL
"""

STATUSES = ("ok", "abstain", "error", "timeout")


@dataclass(frozen=True, slots=True)
class GroupTable:
    """One row for every (phase, sampling, step, component, group). R rows."""

    phase: npt.NDArray[np.str_]
    sampling: npt.NDArray[np.str_]
    step: Ints
    component: npt.NDArray[np.str_]
    prompt: Ints
    """[R], numbers of `Prompts`."""

    numbers: dict[str, Floats]
    """[R] each: count, sum, low, high, squares, weight, records, counted, contribution, and
    each status."""

    prompts: Prompts

    def chosen(
        self,
        *,
        phase: Phase = "train",
        sampling: Sampling = "sampled",
        component: str | None = None,
        steps: Collection[int] | None = None,
        modalities: Collection[str] | None = None,
    ) -> Bools:
        """Say which rows belong to a slice [R]."""
        rows: Bools = (self.phase == phase) & (self.sampling == sampling)
        if component is not None:
            rows &= self.component == component
        if steps is not None:
            rows &= np.isin(self.step, list(steps))
        if modalities is not None:
            rows &= np.isin(np.array(self.prompts.modality), list(modalities))[self.prompt]
        return rows

    def steps(self, phase: Phase = "train", sampling: Sampling = "sampled") -> list[int]:
        """List the steps of a phase."""
        return [int(step) for step in np.unique(self.step[self.chosen(phase=phase, sampling=sampling)])]

    def components(self) -> list[str]:
        """List the components that have rows, sorted."""
        return [str(name) for name in np.unique(self.component)]

    def observed(self, rows: Bools, sums: str = "sum", counts: str = "count") -> Observed:
        """Sum the rows by prompt; prompts without a value are left out."""
        rows = rows & (self.numbers[counts] > 0)
        names, place = np.unique(self.prompt[rows], return_inverse=True)
        return Observed(
            np.bincount(place, self.numbers[sums][rows], minlength=len(names)),
            np.bincount(place, self.numbers[counts][rows], minlength=len(names)),
            np.array(self.prompts.cluster, dtype=np.int64)[names],
        )

    def statuses(self, rows: Bools) -> dict[str, int]:
        """Count the records of the rows by status."""
        return {status: int(self.numbers[status][rows].sum()) for status in STATUSES}


def read_groups(ledger: Ledger, prompts: Prompts) -> GroupTable:
    """Read the sums of a whole ledger."""
    table = ledger.sql(QUERY)

    def texts(name: str) -> npt.NDArray[np.str_]:
        return np.array(table[name].to_pylist(), dtype=np.str_)

    names: Sequence[str] = [name for name in table.column_names if name not in ("phase", "sampling", "component")]
    return GroupTable(
        phase=texts("phase"),
        sampling=texts("sampling"),
        step=table["step"].to_numpy().astype(np.int64),
        component=texts("component"),
        prompt=np.array([prompts.number[group] for group in table["group_id"].to_pylist()], dtype=np.int64),
        numbers={name: table[name].to_numpy().astype(np.float64) for name in names if name not in ("step", "group_id")},
        prompts=prompts,
    )
