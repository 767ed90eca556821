"""Settings for this folder's tests."""

from hypothesis import settings

settings.register_profile("guerdon", deadline=None)
settings.load_profile("guerdon")
"""A busy machine is no failure."""
