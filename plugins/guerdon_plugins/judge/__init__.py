"""The reward `judge`: a model says how good an answer is."""

from guerdon_plugins.judge.reward import Judge

__all__ = ["Judge"]
