"""A penalty for harmful text."""

from guerdon_plugins.safety.reward import Safety

__all__ = ["Safety"]
