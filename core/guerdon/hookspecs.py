"""All hooks of guerdon. A plugin implements those it needs with `hookimpl`.

pluggy registers rewards and notifies observers; it never scores.
"""

from collections.abc import Callable

import pluggy

from guerdon.reward import Reward
from guerdon.scoring.batch import ScoredGroup

PROJECT = "guerdon"
"""The pluggy project name, and the entry-point group that packages declare their plugins in."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class RewardHooks:
    """The specifications."""

    @hookspec
    def register_rewards(self, register: Callable[[type[Reward]], None]) -> None:
        """Call ``register(MyReward)`` for each reward class that the plugin brings."""

    @hookspec
    def group_scored(self, scored: ScoredGroup) -> None:
        """Observe a group as soon as it is scored. An error here is logged and stops nothing."""
