"""The second attempt at a call that failed."""

from collections.abc import Sequence

from guerdon.sample import Sample
from guerdon.scoring.calls import Caller, Column, score_here
from guerdon.scoring.cells import Cell, Fault, Scored, is_plain

FRESH = "a fresh worker"
AGAIN = "a second call"


def combine(first: Fault, cell: Cell, where: str = FRESH) -> Cell:
    """Return what stands after two attempts: the second, with a word on the first."""
    if isinstance(cell, Fault):
        if cell.infrastructure:
            return cell
        note = f"again on {where}" if cell.kind == first.kind else f"at first: {first.reason}"
        return cell._replace(reason=f"{cell.reason} ({note})")
    note = f"{where} scored it; at first: {first.reason}"
    if isinstance(cell, float):
        return Scored(cell, note, "", {})
    return cell._replace(reason=f"{cell.reason} ({note})" if cell.reason else note)


def repeatable(cell: Cell, *, together: bool = False) -> bool:
    """Tell whether a cell is a fault to be looked at again: one that the completion may have caused.

    Where one call spoke for several samples (`together`), a fault of infrastructure is too: it may be a sibling's.
    """
    return isinstance(cell, Fault) and (together or not cell.infrastructure)


def score_inline(caller: Caller, samples: Sequence[Sample], *, group: bool) -> tuple[Column, int]:
    """Score in this process; what fails is called once more, alone or, for a `group`, with its siblings.

    Returns the cells, and the number of second calls.
    """
    column = score_here(caller, samples)
    if column.plain:
        return column, 0
    together = caller.whole and not group and len(samples) > 1
    faulty = [index for index, cell in enumerate(column.cells) if repeatable(cell, together=together)]
    if not faulty:
        return column, 0
    cells, latencies = list(column.cells), list(column.latencies)
    for call in [list(range(len(samples)))] if group else [[index] for index in faulty]:
        again = score_here(caller, [samples[index] for index in call])
        for index, cell, latency in zip(call, again.cells, again.latencies, strict=True):
            first = cells[index]
            cells[index] = combine(first, cell, AGAIN) if isinstance(first, Fault) else cell
            latencies[index] = latency
    return Column(cells, latencies, is_plain(cells)), 1 if group else len(faulty)
