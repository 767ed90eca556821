"""All hooks of guerdon. A plugin implements those it needs with `hookimpl`.

pluggy registers rewards and commands and notifies observers; it never scores.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import pluggy

from guerdon.reward import Reward
from guerdon.scoring.batch import ScoredGroup

if TYPE_CHECKING:
    import typer

    from guerdon.config import RunConfig

PROJECT = "guerdon"
"""The pluggy project name, and the entry-point group that packages declare their plugins in."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class Hooks:
    """The specifications."""

    @hookspec
    def register_rewards(self, register: Callable[[type[Reward]], None]) -> None:
        """Call ``register(MyReward)`` for each reward class that the plugin brings."""

    @hookspec
    def group_scored(self, scored: ScoredGroup) -> None:
        """Observe a group as soon as it is scored. An error here is logged and stops nothing."""

    @hookspec
    def register_commands(self, app: "typer.Typer") -> None:
        """Add commands to ``guerdon``. Import what is heavy inside them."""

    @hookspec
    def explain_config(self, config: "RunConfig") -> Mapping[str, str]:
        """Say what fields become elsewhere, by dotted path, for ``guerdon config explain``."""
        raise NotImplementedError
