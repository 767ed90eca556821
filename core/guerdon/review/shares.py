"""What the update was told: each component's part in rewards and advantages, and groups that say nothing."""

from dataclasses import dataclass

from guerdon.ledger import Ledger

SHARES = """
    WITH told AS (
        SELECT r.component, r.step, r.group_id, r.contribution AS part, s.total AS whole,
               r.advantage_share AS share, s.advantage
        FROM records r JOIN samples s USING (phase, sampling, step, sample_id)
        WHERE phase = 'train' AND s.trained AND r.role = 'train'
    ), by_group AS (
        SELECT component, coalesce(covar_pop(part, whole) * count(part), 0) AS together, sum(share * advantage) AS moved
        FROM told GROUP BY component, step, group_id
    )
    SELECT component, sum(together) AS together, sum(moved) AS moved FROM by_group GROUP BY component
"""

WHOLE = """
    WITH by_group AS (
        SELECT var_pop(total) * count(*) AS spread, sum(advantage * advantage) AS size
        FROM samples WHERE phase = 'train' AND trained GROUP BY step, group_id
    )
    SELECT sum(spread) AS spread, sum(size) AS size FROM by_group
"""

CONSTANT = """
    WITH by_group AS (
        SELECT s.step, s.group_id, bool_and(s.advantage = 0) AS silent,
               min(r.value) AS lowest, max(r.value) AS highest, count(r.value) AS judged
        FROM samples s LEFT JOIN records r
            ON r.component = {outcome} AND r.phase = s.phase AND r.sampling = s.sampling AND r.step = s.step
               AND r.sample_id = s.sample_id
        WHERE s.phase = 'train' GROUP BY s.step, s.group_id
    )
    SELECT step, count(*) AS groups, count(*) FILTER (silent) AS constant,
           count(*) FILTER (silent AND judged > 0 AND lowest >= {middle}) AS all_right,
           count(*) FILTER (silent AND judged > 0 AND highest < {middle}) AS all_wrong
    FROM by_group GROUP BY step ORDER BY step
"""


@dataclass(frozen=True, slots=True)
class Share:
    """A component's part in what the groups of a run were told. Each sums to 1 over the components."""

    of_reward: float | None
    """Within groups, ``Cov(contribution, total) / Var(total)``; None in a mode whose total is no
    sum of contributions, and where no total varies."""

    of_update: float | None
    """``sum(share * advantage) / sum(advantage^2)``; None where the ledger has no shares."""


@dataclass(frozen=True, slots=True)
class ConstantGroups:
    """Groups of one step whose advantages are all 0: their completions cost time and teach nothing."""

    step: int
    groups: int
    constant: int
    all_right: int
    """Constant, with every outcome in the upper half of its range."""

    all_wrong: int
    """Constant, with every outcome in the lower half."""


def read_shares(ledger: Ledger, *, additive: bool) -> dict[str, Share]:
    """Return each trained component's shares over all training steps.

    Args:
        ledger: the ledger.
        additive: whether a total is the sum of its contributions: modes ``sum``, ``gdpo``, ``gate``.
    """
    whole = ledger.sql(WHOLE).to_pylist()[0]
    return {
        row["component"]: Share(
            _ratio(row["together"], whole["spread"]) if additive else None, _ratio(row["moved"], whole["size"])
        )
        for row in ledger.sql(SHARES).to_pylist()
    }


def _ratio(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def read_constant_groups(ledger: Ledger, outcome: str | None, middle: float) -> list[ConstantGroups]:
    """Count the constant groups of each training step.

    Args:
        ledger: the ledger.
        outcome: the component that tells right from wrong; without one neither is counted.
        middle: outcomes from here on are right.
    """
    name = "NULL" if outcome is None else "'" + outcome.replace("'", "''") + "'"
    query = CONSTANT.format(outcome=name, middle=f"'{float(middle)}'::DOUBLE")
    return [ConstantGroups(**row) for row in ledger.sql(query).to_pylist()]
