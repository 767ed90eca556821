"""From components to advantages."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from guerdon.advantage.config import AdvantageConfig
from guerdon.advantage.grid import Grid, centre, deviation, spread, total, varies
from guerdon.advantage.matrix import Bools, ComponentMatrix, Floats
from guerdon.advantage.shapley import MOST, shapley
from guerdon.advantage.totals import Board, columns, contributions, play
from guerdon.errors import ConfigError

EPSILON = 1e-6
"""Added to a group's standard deviation, as SkyRL does."""


@dataclass(frozen=True, slots=True)
class Advantages:
    """What the update is made from. N samples in the order of the matrix, K components."""

    totals: Floats
    """[N], NaN where no component is left, and in ``lexicographic`` for masked samples."""

    trained: Bools
    """[N], whether the sample takes part in the update."""

    advantages: Floats
    """[N], exactly 0 where not trained and in groups without any difference."""

    shares: Floats | None
    """[N, K], what each component adds to the advantage; None above `MOST` components without a closed form."""

    contributions: Floats
    """[N, K], weight times value (under ``gate`` the value that counts), NaN where left out."""

    kept: Bools
    """[N], whether the filter keeps the sample's group."""


def compute_advantages(matrix: ComponentMatrix, config: AdvantageConfig) -> Advantages:
    """Apply the rule to a batch, in float64.

    Masked samples have no part in baseline, scale or update; a component that is missing for one
    usable sample is left out for its group; nothing is renormalised. Groups without any
    difference get exactly 0 and stay out of the batch's scale.

    Raises:
        ConfigError: the filter asks for an outcome that the matrix does not have.
    """
    grid = Grid.of(matrix.groups)
    board = _board(matrix, config, grid)
    everyone = np.ones(board.values.shape[-1], dtype=np.bool_)
    earned = contributions(board, everyone)
    scored = ~np.isnan(board.values).all(axis=-1)
    totals = np.where(scored, play(config.advantage, board, everyone), np.nan)
    member = board.member & scored
    kept = _kept(matrix, config, grid, np.where(member, totals, np.nan), board)
    member &= kept[:, None]
    shares, advantages = _advantages(config, board, totals, earned, member)
    trained = grid.gather(member)
    return Advantages(
        totals=grid.gather(totals),
        trained=trained,
        advantages=np.where(trained, grid.gather(advantages), 0.0),
        shares=None if shares is None else _widen(matrix, np.where(trained[:, None], grid.gather(shares), 0.0), 0.0),
        contributions=_widen(matrix, grid.gather(earned), np.nan),
        kept=kept[grid.group],
    )


def _board(matrix: ComponentMatrix, config: AdvantageConfig, grid: Grid) -> Board:
    """Lay out the trained components; whatever is missing for a usable sample is left out for all."""
    chosen = matrix.trained_on
    member = grid.flags(~matrix.masked)
    values = grid.spread_out(matrix.values[:, chosen])
    left_out = (np.isnan(values) & member[:, :, None]).any(axis=1, keepdims=True)
    gates, priority = columns(matrix, config)
    return Board(
        values=np.where(left_out, np.nan, values),
        member=member,
        weights=matrix.weights[chosen],
        low=matrix.low[chosen],
        high=matrix.high[chosen],
        min_spread=matrix.min_spread[chosen],
        gates=gates,
        priority=priority,
        threshold=config.gate_threshold,
    )


def _kept(matrix: ComponentMatrix, config: AdvantageConfig, grid: Grid, totals: Floats, board: Board) -> Bools:
    """Tell per group whether the filter keeps it."""
    if config.filter == "outcome":
        if matrix.outcome is None:
            raise ConfigError("algorithm.filter: outcome needs `outcome:` to name a component")
        outcome = np.where(board.member, grid.spread_out(matrix.values[:, matrix.outcome]), np.nan)
        return varies(outcome, outcome)
    if config.filter == "total":
        return varies(totals, _size(board))
    if config.filter == "any_component":
        return (_varying_components(board, board.member) & (board.weights > 0)).any(axis=-1)
    return np.ones(grid.shape[0], dtype=np.bool_)


def _size(board: Board) -> Floats:
    """Return how large the terms of each sample's total are [groups, places]."""
    return total(np.abs(board.values * board.weights), -1)


def _varying_components(board: Board, member: Bools) -> Bools:
    """Tell per group and component [groups, K] whether it differs by more than rounding and `min_spread`."""
    values = np.where(member[:, :, None], board.values, np.nan)
    return varies(values, values) & (spread(values) >= board.min_spread)


def _advantages(
    config: AdvantageConfig, board: Board, totals: Floats, earned: Floats, member: Bools
) -> tuple[Floats | None, Floats]:
    """Return shares [groups, places, K] and advantages [groups, places]; outside `member` anything."""
    if config.advantage == "gdpo":
        return _decoupled(config, board, member)
    loo = config.advantage_baseline == "leave_one_out"
    totals = np.where(member, totals, np.nan)
    size = totals if config.advantage in ("product", "lexicographic") else _size(board)
    flat = ~varies(totals, np.where(member, size, np.nan))[:, None]
    scale = deviation(totals) + EPSILON if config.advantage_scale == "std" else np.ones_like(totals[:, :1])
    advantages = np.where(flat, 0.0, centre(totals, leave_one_out=loo) / scale)
    parts = _parts(config, board, earned)
    if parts is None:
        return None, advantages
    parts = np.where(member[:, :, None], parts, np.nan)
    shares = np.where(flat[..., None], 0.0, centre(parts, leave_one_out=loo) / scale[..., None])
    return np.nan_to_num(shares), advantages


def _parts(config: AdvantageConfig, board: Board, earned: Floats) -> Floats | None:
    """Split totals into one part a component, up to a constant that the baseline takes out."""
    if config.advantage == "sum":
        return earned
    count = board.values.shape[-1]
    return shapley(count, partial(play, config.advantage, board)) if count <= MOST else None


def _decoupled(config: AdvantageConfig, board: Board, member: Bools) -> tuple[Floats, Floats]:
    """GDPO: normalise each component in its group, weigh, sum, and divide by the batch's deviation.

    The batch's mean is not subtracted: each group's is 0 already. The deviations carry no
    epsilon, since what is constant is told apart before.
    """
    values = np.where(member[:, :, None], board.values, np.nan)
    scale = np.where(_varying_components(board, member), deviation(values)[:, 0], np.inf)[:, None]
    loo = config.advantage_baseline == "leave_one_out"
    parts = np.nan_to_num(centre(values, leave_one_out=loo) / scale) * board.weights
    combined = np.where(member, total(parts, -1), np.nan)
    flat = ~varies(combined, np.where(member, total(np.abs(parts), -1), np.nan))
    batch = np.where(flat[:, None], np.nan, combined).reshape(1, -1)
    divisor = deviation(batch)[0, 0] if batch.size else 1.0
    divisor = divisor if divisor > 0 else 1.0
    zero = flat[:, None]
    return np.where(zero[..., None], 0.0, parts / divisor), np.where(zero, 0.0, combined / divisor)


def _widen(matrix: ComponentMatrix, narrow: Floats, fill: float) -> Floats:
    """Put the trained components' columns back among all components."""
    wide = np.full(matrix.values.shape, fill)
    wide[:, matrix.trained_on] = narrow
    return wide
