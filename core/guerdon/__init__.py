"""guerdon: reward-function plugins for GRPO post-training of vision-language models.

Everything a plugin author or trainer needs by name. Importing it loads neither torch nor ray.
"""

from guerdon.errors import (
    BundleError,
    ConfigError,
    DataError,
    GuerdonError,
    LedgerError,
    PluginError,
    RunError,
    ScoringError,
    UnavailableError,
)
from guerdon.hookspecs import hookimpl
from guerdon.images import LazyImage
from guerdon.plugins import Plugins, load_plugins
from guerdon.reward import Reward
from guerdon.sample import Group, Sample
from guerdon.score import Abstain, Record, Score, Status
from guerdon.scoring.batch import ScoredGroup

__all__ = [
    "Abstain",
    "BundleError",
    "ConfigError",
    "DataError",
    "Group",
    "GuerdonError",
    "LazyImage",
    "LedgerError",
    "PluginError",
    "Plugins",
    "Record",
    "Reward",
    "RunError",
    "Sample",
    "Score",
    "ScoredGroup",
    "ScoringError",
    "Status",
    "UnavailableError",
    "hookimpl",
    "load_plugins",
]
