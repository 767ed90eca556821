"""What each mode makes of the components of a sample: one total.

`play` gives the totals of a *coalition* of components; those outside it count as not configured.
The whole set gives the totals that are trained on, smaller sets give Shapley values.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from guerdon.advantage.config import AdvantageConfig
from guerdon.advantage.grid import total
from guerdon.advantage.matrix import Bools, ComponentMatrix, Floats


@dataclass(frozen=True, slots=True)
class Board:
    """The trained components of a batch, laid out by group."""

    values: Floats
    """[groups, places, K], NaN where left out."""

    member: Bools
    """[groups, places], who takes part."""

    weights: Floats
    low: Floats
    high: Floats
    min_spread: Floats
    gates: Mapping[int, int]
    """Gated column to gating column."""

    priority: tuple[int, ...]
    """Columns, the most important first."""

    threshold: float


def columns(matrix: ComponentMatrix, config: AdvantageConfig) -> tuple[Mapping[int, int], tuple[int, ...]]:
    """Translate the names in `gates` and `priority` to positions among the trained components."""
    names = [name for name, counts in zip(matrix.components, matrix.trained_on, strict=True) if counts]
    gates = {names.index(gated): names.index(gate) for gated, gate in config.gates.items()}
    return gates, tuple(names.index(name) for name in config.priority)


def contributions(board: Board, coalition: Bools) -> Floats:
    """Return weight times value [groups, places, K], NaN outside the coalition.

    A gated component whose gate does not pass counts as its lowest value, not as nothing: else a
    closed gate would spare a wrong answer its penalties. A gate that is left out stays open.
    """
    counted = board.values.copy()
    for gated, gate in board.gates.items():
        if coalition[gate]:
            closed = board.values[..., gate] < board.threshold  # NaN compares false: open
            counted[..., gated] = np.where(
                closed & ~np.isnan(counted[..., gated]), board.low[gated], counted[..., gated]
            )
    return np.where(coalition, counted * board.weights, np.nan)


def weighted_sum(board: Board, coalition: Bools) -> Floats:
    """Return the totals [groups, places] of ``sum``, ``gdpo`` and ``gate``."""
    return total(contributions(board, coalition), -1)


def weighted_product(board: Board, coalition: Bools) -> Floats:
    """Return the product of the components, each mapped to [0, 1] and raised to its weight.

    Mapping by the declared range keeps the product monotone: of two raw penalties the product
    would be a reward.
    """
    width = board.high - board.low
    unit = np.where(width > 0, (board.values - board.low) / np.where(width > 0, width, 1.0), 1.0)
    powers = np.clip(unit, 0.0, 1.0) ** board.weights
    factors = np.where(coalition & ~np.isnan(board.values), powers, 1.0)
    product: Floats = np.sort(factors, axis=-1).prod(axis=-1)
    return product


def win_rate(board: Board, coalition: Bools) -> Floats:
    """Return the share of its siblings that each sample beats, a tie counting a half.

    Two samples are compared on the first component of the priority on which they differ by more
    than rounding. A component's `min_spread` and weight 0 turn it off as in ``gdpo``.
    """
    pairs = board.member[:, :, None] & board.member[:, None, :]
    result = np.zeros(pairs.shape)
    for column in board.priority:
        if coalition[column] and board.weights[column] > 0:
            level = _levels(board.values[..., column], board.min_spread[column])
            difference = np.nan_to_num(level[:, :, None] - level[:, None, :])
            result = np.where(result == 0, np.sign(difference), result)
    siblings = np.maximum(board.member.sum(axis=1) - 1, 1)
    won = np.where(pairs, result, 0.0).sum(axis=2)  # whole numbers: exact in any order
    return np.where(board.member, 0.5 + won / siblings[:, None] / 2, np.nan)


def _levels(values: Floats, tie: float) -> Floats:
    """Round to multiples of the tie, so that being equal is transitive."""
    width = max(tie, 1e-9)
    return np.round(values / width)


def play(mode: str, board: Board, coalition: Bools) -> Floats:
    """Return the totals [groups, places] that the components of the coalition earn."""
    if mode == "product":
        return weighted_product(board, coalition)
    if mode == "lexicographic":
        return win_rate(board, coalition)
    return weighted_sum(board, coalition)
