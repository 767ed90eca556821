"""The reward that pays for right answers."""

from guerdon_plugins.correctness.reward import Correctness

__all__ = ["Correctness"]
