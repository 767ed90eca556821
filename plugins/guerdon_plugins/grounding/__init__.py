"""Rewards for what an answer says about the picture: places, counts, text, facts."""

from guerdon_plugins.grounding.reward import Grounding

__all__ = ["Grounding"]
