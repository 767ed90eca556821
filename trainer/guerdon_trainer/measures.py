"""Numbers worth a curve, from scored groups. Pure functions."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from guerdon import Record, Status
from guerdon.advantage import Advantages, ComponentMatrix
from guerdon.scoring.batch import ScoredGroup

TAKEN = frozenset({"mean", "spread", *(status.value for status in Status)})
"""Names under a component that a reward's own metric may not take over."""


def training_measures(
    scored: Sequence[ScoredGroup], matrix: ComponentMatrix, advantages: Advantages, outcome: str
) -> dict[str, float]:
    """Return total, advantages, constant groups, and every component's mean, spread and status shares."""
    totals = advantages.totals
    measures = {
        "total/mean": _mean(totals),
        "advantage/abs_mean": float(np.abs(advantages.advantages).mean()),
        "groups/constant": _constant_share(matrix.groups, advantages.advantages),
        "samples/trained": float(advantages.trained.mean()),
    }
    for column, name in enumerate(matrix.components):
        measures[f"component/{name}/spread"] = _mean_spread(matrix.values[:, column], matrix.groups)
    return measures | component_measures(scored, "component", outcome)


def component_measures(scored: Sequence[ScoredGroup], prefix: str, outcome: str) -> dict[str, float]:
    """Return each component's mean, status shares and own metrics under ``<prefix>/<component>/``."""
    measures: dict[str, float] = {}
    for column, name in enumerate(scored[0].components):
        records = [row[column] for group in scored for row in group.records]
        measures[f"{prefix}/{name}/mean"] = _mean(np.array([_value(record) for record in records]))
        for status in Status:
            share = sum(record.status is status for record in records) / len(records)
            measures[f"{prefix}/{name}/{status.value}"] = share
        measures |= {f"{prefix}/{name}/{key}": value for key, value in _own_metrics(records).items()}
        if name == outcome:
            measures[f"{prefix}/outcome"] = measures[f"{prefix}/{name}/mean"]
    return measures


def _value(record: Record) -> float:
    return math.nan if record.value is None else record.value


def _own_metrics(records: Sequence[Record]) -> Mapping[str, float]:
    gathered: dict[str, list[float]] = {}
    for record in records:
        for key, value in record.metrics.items():
            gathered.setdefault(key, []).append(value)
    return {key: float(np.mean(values)) for key, values in gathered.items() if key not in TAKEN}


def _mean(values: np.ndarray) -> float:
    usable = values[~np.isnan(values)]
    return float(usable.mean()) if len(usable) else math.nan


def _constant_share(groups: np.ndarray, advantages: np.ndarray) -> float:
    return float(np.mean([not advantages[groups == group].any() for group in np.unique(groups)]))


def _mean_spread(values: np.ndarray, groups: np.ndarray) -> float:
    """Return the mean over groups of highest less lowest value."""
    usable = ~np.isnan(values)
    spreads = [np.ptp(values[usable & (groups == group)]) for group in np.unique(groups[usable])]
    return float(np.mean(spreads)) if spreads else math.nan
