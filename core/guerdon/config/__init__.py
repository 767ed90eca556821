"""The configuration of a run: one YAML file, typed."""

from guerdon.config.advice import advice
from guerdon.config.load import build_config, dump_config, identity, load_config
from guerdon.config.run import RunConfig

__all__ = ["RunConfig", "advice", "build_config", "dump_config", "identity", "load_config"]
