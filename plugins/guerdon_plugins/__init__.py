"""guerdon's own rewards."""

from collections.abc import Callable

from guerdon import Reward, hookimpl
from guerdon_plugins.correctness import Correctness
from guerdon_plugins.format import Format
from guerdon_plugins.grounding import BlindProbe, Grounding
from guerdon_plugins.judge import Judge
from guerdon_plugins.length import Length
from guerdon_plugins.safety import Safety

__all__ = ["BlindProbe", "Correctness", "Format", "Grounding", "Judge", "Length", "Safety"]


@hookimpl
def register_rewards(register: Callable[[type[Reward]], None]) -> None:
    """Register the built-in rewards."""
    for reward in (BlindProbe, Correctness, Format, Grounding, Judge, Length, Safety):
        register(reward)
