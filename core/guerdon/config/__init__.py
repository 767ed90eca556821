"""The configuration of a run: one YAML file, typed."""

from guerdon.config.load import build_config, dump_config, identity, load_config
from guerdon.config.run import RunConfig

__all__ = ["RunConfig", "build_config", "dump_config", "identity", "load_config"]
