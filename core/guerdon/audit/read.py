"""From a ledger to a history."""

import math
from typing import Any, cast

import numpy as np

from guerdon.audit.history import Evaluation, Groups, History, Moments
from guerdon.ledger import Ledger, Phase, Sampling
from guerdon.ledger.rule import Rule
from guerdon.review.curves import metric_lines
from guerdon.review.estimate import Floats, Ints
from guerdon.review.groups import GroupTable, read_groups
from guerdon.review.prompts import read_prompts
from guerdon.review.run import Run

METRICS = ("kl", "entropy")

PAIRS = """
    WITH both_known AS (
        SELECT s.step, s.group_id, s.total AS y, s.token_count::DOUBLE AS length, r.value AS gold
        FROM samples s LEFT JOIN records r
            ON r.component = {outcome} AND r.phase = s.phase AND r.sampling = s.sampling AND r.step = s.step
               AND r.sample_id = s.sample_id
        WHERE s.phase = 'train'
    )
    SELECT step, group_id, count(*) AS size, coalesce(sum(y), 0) AS totals, count(y) AS total_counts, {sums}
    FROM both_known GROUP BY step, group_id
"""

_SUMS = """
    count(y * {x}) AS {x}_n, coalesce(sum({x}) FILTER (y IS NOT NULL), 0) AS {x}_x,
    coalesce(sum(y) FILTER ({x} IS NOT NULL), 0) AS {x}_y,
    coalesce(sum({x} * {x}) FILTER (y IS NOT NULL), 0) AS {x}_xx,
    coalesce(sum(y * y) FILTER ({x} IS NOT NULL), 0) AS {x}_yy, coalesce(sum({x} * y), 0) AS {x}_xy
"""


def read_history(run: Run) -> History:
    """Read a run's ledger, as far as it is on disk.

    Raises:
        LedgerError: the ledger is empty or damaged.
    """
    rule = run.rule()
    table = read_groups(run.ledger, read_prompts(run.ledger))
    groups = _groups(run.ledger, rule, table)
    steps = np.unique(groups.step)
    lines = metric_lines(run.ledger)
    metrics = {}
    for name in METRICS:
        values = np.full(len(steps), math.nan)
        if name in lines:
            known = dict(zip(lines[name].steps, lines[name].values, strict=True))
            values = np.array([known.get(int(step), math.nan) for step in steps])
        metrics[name] = values
    return History(run.name, rule.outcome, rule.components, steps, metrics, groups, _evaluations(table, rule.outcome))


def _groups(ledger: Ledger, rule: Rule, table: GroupTable) -> Groups:
    """Lay the sums by (step, component, group) out as rows of (step, group) and columns of components."""
    rows = table.chosen()
    prompts = table.prompts
    width = max(len(prompts.cluster), 1)
    keys, place = np.unique(table.step[rows] * width + table.prompt[rows], return_inverse=True)
    names = [component.name for component in rule.components]
    column = np.array([names.index(str(name)) if name in names else -1 for name in table.component[rows]], dtype=int)
    known = column >= 0

    def laid(values: Floats) -> Floats:
        grid = np.zeros((len(keys), len(names)))
        grid[place[known], column[known]] = values[rows][known]
        return grid

    numbers = table.numbers
    pairs = _pairs(ledger, rule.outcome, prompts.number, keys, width)
    prompt: Ints = keys % width
    visual = np.array([name != "text" for name in prompts.modality], dtype=np.bool_)
    return Groups(
        step=keys // width,
        prompt=prompt,
        cluster=np.array(prompts.cluster, dtype=np.int64)[prompt],
        visual=visual[prompt],
        size=pairs["size"],
        sums=laid(np.nan_to_num(numbers["sum"])),
        counts=laid(numbers["count"]),
        failed=laid(numbers["error"] + numbers["timeout"]),
        totals=pairs["totals"],
        total_counts=pairs["total_counts"],
        length=Moments(*(pairs[f"length_{name}"] for name in Moments.__slots__)),
        gold=Moments(*(pairs[f"gold_{name}"] for name in Moments.__slots__)),
    )


def _pairs(ledger: Ledger, outcome: str | None, number: Any, keys: Ints, width: int) -> dict[str, Floats]:
    """Read the sums over samples, in the order of `keys`."""
    name = "NULL" if outcome is None else "'" + outcome.replace("'", "''") + "'"
    sums = ", ".join(_SUMS.format(x=x) for x in ("length", "gold"))
    table = ledger.sql(PAIRS.format(outcome=name, sums=sums))
    prompt = np.array([number[group] for group in table["group_id"].to_pylist()], dtype=np.int64)
    found = table["step"].to_numpy().astype(np.int64) * width + prompt
    row = np.searchsorted(keys, found)
    here = np.isin(found, keys)  # a run in progress may have added a step since `keys` was read
    arrays = {}
    for column in table.column_names:
        if column not in ("step", "group_id"):
            arrays[column] = np.zeros(len(keys))
            arrays[column][row[here]] = table[column].to_numpy().astype(np.float64)[here]
    return arrays


def _evaluations(table: GroupTable, outcome: str | None) -> tuple[Evaluation, ...]:
    found = []
    mine = (table.component == (outcome or "")) & (table.phase != "train") & (table.numbers["count"] > 0)
    kinds = sorted(set(zip(table.phase[mine], table.sampling[mine], table.step[mine].tolist(), strict=True)))
    cluster = np.array(table.prompts.cluster, dtype=np.int64)
    visual = np.array([name != "text" for name in table.prompts.modality], dtype=np.bool_)
    for phase, sampling, step in kinds:
        rows = mine & (table.phase == phase) & (table.sampling == sampling) & (table.step == step)
        prompt = table.prompt[rows]
        found.append(
            Evaluation(
                cast("Phase", str(phase)),
                cast("Sampling", str(sampling)),
                int(step),
                prompt,
                cluster[prompt],
                visual[prompt],
                table.numbers["sum"][rows],
                table.numbers["count"][rows],
            )
        )
    return tuple(found)
