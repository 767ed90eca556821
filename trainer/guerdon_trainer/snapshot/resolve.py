"""From ``model.name_or_path`` and ``model.revision`` to a folder on this machine."""

from pathlib import Path

from guerdon import RunError
from guerdon.config import RunConfig
from guerdon_trainer.snapshot.files import Snapshot, missing_files, refuse_code, take_stock

SMALL = ["*.json", "*.py"]
"""What tells whether a model carries code, fetched before gigabytes of weights."""


def resolve_model(config: RunConfig) -> Snapshot:
    """Return the base model's files, fetched from the hub where its cache does not hold the commit.

    The cache comes first, so a run with a filled one needs no network; ``HF_HUB_OFFLINE``,
    ``HF_ENDPOINT``, ``HF_HOME`` and ``HF_TOKEN`` count as everywhere.

    Raises:
        RunError: no such folder, repository or commit; files are missing; or the model carries code
            and ``model.trust_remote_code`` does not allow it.
    """
    model = config.model
    name = model.name_or_path
    if Path(name).is_dir():
        return _take(name, model.revision, Path(name), trusted=model.trust_remote_code)
    if model.revision is None:
        raise RunError(f"model.name_or_path {name} is no folder")
    folder = _cached(name, model.revision) or _fetch(name, model.revision, trusted=model.trust_remote_code)
    return _take(name, model.revision, folder, trusted=model.trust_remote_code)


def with_local_model(config: RunConfig, snapshot: Snapshot) -> RunConfig:
    """Return the configuration that SkyRL and vLLM get to see: a folder in place of a hub name."""
    if config.model.name_or_path == str(snapshot.path):
        return config
    model = config.model.model_copy(update={"name_or_path": str(snapshot.path), "revision": None})
    return config.model_copy(update={"model": model})


def _take(name: str, commit: str | None, folder: Path, *, trusted: bool) -> Snapshot:
    if not trusted:
        refuse_code(folder, name)
    if missing := missing_files(folder):
        raise RunError(f"model.name_or_path {name}: {folder} has no {', '.join(missing)}; a safetensors model has")
    return Snapshot(name, commit, folder, take_stock(folder))


def _cached(name: str, commit: str) -> Path | None:
    """Return the cache's folder of a commit if it is complete."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(name, revision=commit, local_files_only=True))
    except LocalEntryNotFoundError:
        return None
    except HFValidationError as error:
        raise RunError(f"model.name_or_path {name} is neither a folder nor a hub name (org/name)") from error
    return None if missing_files(folder) else folder


def _fetch(name: str, commit: str, *, trusted: bool) -> Path:
    from httpx import HTTPError
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        folder = Path(snapshot_download(name, revision=commit, allow_patterns=SMALL))
        if not trusted:
            refuse_code(folder, name)
        return Path(snapshot_download(name, revision=commit))
    except HfHubHTTPError as error:
        raise RunError(
            f"{name} at {commit} cannot be fetched: {' '.join(str(error).split())} "
            "Check model.name_or_path and model.revision; a gated model needs HF_TOKEN in the environment"
        ) from error
    except (OSError, HTTPError) as error:  # LocalEntryNotFoundError and OfflineModeIsEnabled are OSErrors
        raise RunError(
            f"{name} at {commit} is not complete in the hub's cache, and the hub is out of reach "
            f"({type(error).__name__}). Fetch it where there is network: hf download {name} --revision {commit}"
        ) from error
