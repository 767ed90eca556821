"""Mathematical answers: their structure is read here, their equality is judged by math-verify."""

from guerdon_plugins.correctness.maths.subject import Math

__all__ = ["Math"]
