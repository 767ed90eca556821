"""The prompts that lost most, with both answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from guerdon.comparison.answers import Joined
from guerdon.comparison.sides import Side
from guerdon.ledger import Sampling

COUNT = 10

QUERY = """
    SELECT group_id, arg_min(completion, repetition) AS answer FROM samples
    WHERE phase = 'eval' AND sampling = '{sampling}' AND step = {step} AND group_id IN ({names}) GROUP BY group_id
"""


@dataclass(frozen=True, slots=True)
class Regression:
    """A prompt on which the outcome fell."""

    prompt: str
    before: float
    after: float
    answers: tuple[str, str]
    """The first completion of each side."""


def regressions(
    joined: Joined, sides: tuple[Side, Side], pair: tuple[int, int], sampling: Sampling, outcome: str | None
) -> tuple[Regression, ...]:
    """Return the prompts with the largest falls of the outcome, at most `COUNT`."""
    if outcome is None or (outcome, "value") not in joined.values:
        return ()
    before, after = (joined.values[outcome, "value"][side] for side in pair)
    moved = np.nan_to_num(after - before, nan=0.0)
    worst = [int(place) for place in np.argsort(moved, kind="stable")[:COUNT] if moved[place] < 0]
    if not worst:
        return ()
    names = [joined.ids[place] for place in worst]
    first, second = (_answers(side, sampling, names) for side in sides)
    return tuple(
        Regression(name, float(before[place]), float(after[place]), (first.get(name, ""), second.get(name, "")))
        for name, place in zip(names, worst, strict=True)
    )


def _answers(side: Side, sampling: Sampling, names: Sequence[str]) -> dict[str, str]:
    quoted = ", ".join("'" + name.replace("'", "''") + "'" for name in names)
    rows = side.run.ledger.sql(QUERY.format(sampling=sampling, step=side.step, names=quoted)).to_pylist()
    return {row["group_id"]: row["answer"] or "" for row in rows}
