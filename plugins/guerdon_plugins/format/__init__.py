"""The reward for the required form: blocks, boxes, JSON, coordinates, rules."""

from guerdon_plugins.format.reward import Format

__all__ = ["Format"]
