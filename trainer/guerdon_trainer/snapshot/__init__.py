"""The base model as a local folder whose every file is known: what alone goes to SkyRL and vLLM."""

from guerdon_trainer.snapshot.files import Snapshot
from guerdon_trainer.snapshot.resolve import resolve_model, with_local_model

__all__ = ["Snapshot", "resolve_model", "with_local_model"]
