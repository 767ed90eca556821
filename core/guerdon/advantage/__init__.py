"""From the scores of a batch to advantages and each component's share of them. Pure numpy."""

from guerdon.advantage.compute import Advantages, compute_advantages
from guerdon.advantage.config import AdvantageConfig, check_advantage
from guerdon.advantage.matrix import ComponentMatrix, matrix_from
from guerdon.advantage.passk import pass_at_k

__all__ = [
    "AdvantageConfig",
    "Advantages",
    "ComponentMatrix",
    "check_advantage",
    "compute_advantages",
    "matrix_from",
    "pass_at_k",
]
