"""Scores kept by content: what is scored a second time with the same code and fields is looked up."""

from guerdon.cache.engine import CachedEngine, Pending, Tally
from guerdon.cache.keys import component_digest
from guerdon.cache.store import ScoreCache, default_path

__all__ = ["CachedEngine", "Pending", "ScoreCache", "Tally", "component_digest", "default_path"]
