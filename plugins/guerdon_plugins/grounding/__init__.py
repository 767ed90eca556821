"""Rewards for what an answer says about the picture: places, counts, text, facts."""

from guerdon_plugins.grounding.blind import BlindProbe
from guerdon_plugins.grounding.drawing import draw_boxes
from guerdon_plugins.grounding.reward import Grounding

__all__ = ["BlindProbe", "Grounding", "draw_boxes"]
