"""The exceptions guerdon raises. One root; each also is the standard exception that fits.

None has a custom ``__init__``, so all of them pickle across processes.
"""


class GuerdonError(Exception):
    """Root of everything guerdon raises on purpose."""


class ConfigError(GuerdonError, ValueError):
    """A configuration is wrong: names the field's path, the value found and the remedy."""


class PluginError(GuerdonError, ImportError):
    """A plugin cannot be loaded, or registers something that is no reward."""


class DataError(GuerdonError, ValueError):
    """A manifest line, picture or reference cannot be used: names the file, line and field."""


class ScoringError(GuerdonError, RuntimeError):
    """A component whose policy is ``missing: fail`` failed, or the engine itself cannot go on."""


class UnavailableError(GuerdonError, ConnectionError):
    """A service that a reward asks, such as a judge, does not answer or refuses.

    Raised by the reward. The completion is not to blame, so the sample is masked.
    """


class LedgerError(GuerdonError, OSError):
    """A ledger cannot be written, or what is on disk is no ledger of this version."""


class RunError(GuerdonError, RuntimeError):
    """A run cannot start, resume or go on as configured."""


class BundleError(GuerdonError, ValueError):
    """An exported adapter or its provenance is not what it must be."""
