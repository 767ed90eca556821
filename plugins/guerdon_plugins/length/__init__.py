"""The penalties for length and redundancy."""

from guerdon_plugins.length.reward import Length

__all__ = ["Length"]
