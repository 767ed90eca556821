"""The base model: finding its folder, and holding it to what the bundle says."""

import re
from pathlib import Path
from typing import Final

from guerdon_serving.bundle.files import CODE_SUFFIXES, file_facts, list_digest, model_files, read_json
from guerdon_serving.bundle.schema import BaseFacts, FileFacts
from guerdon_serving.codes import Code, RefusedError

COMMIT: Final = re.compile(r"[0-9a-f]{40}")
LIST_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
WEIGHTS: Final = ".safetensors"
CONFIG: Final = "config.json"
TOKENIZERS: Final = frozenset({"tokenizer.json", "tokenizer.model", "vocab.json"})


def describe_base(folder: Path, repo: str, revision: str | None) -> BaseFacts:
    """Digest a base model.

    Args:
        folder: holds its files.
        repo: the hub's name, or any name for a local folder.
        revision: the 40-hex commit; None makes the digest of its files its revision.

    Raises:
        RefusedError: incomplete, or it brings code of its own.
    """
    config = read_json(folder / CONFIG, Code.BASE_INCOMPLETE)
    refuse_code(folder)
    files = [file_facts(path, path.name) for path in model_files(folder)]
    _require_complete(folder, {file.path for file in files})
    return BaseFacts(
        repo=repo,
        revision=revision or list_digest(files),
        files=files,
        architecture=str((config.get("architectures") or ["unknown"])[0]),
        model_type=str(config.get("model_type")),
        tie_word_embeddings=bool(config.get("tie_word_embeddings", False)),
        dtype=config.get("dtype") or config.get("torch_dtype"),
    )


def find_base(facts: BaseFacts, bundle: Path, given: Path | None) -> Path:
    """Return the folder of the base: the one given, the bundle's own copy, that of the run whose folder the
    bundle lies in, or the hub's cache. Nothing is downloaded.

    Raises:
        RefusedError: it is in none of them.
    """
    if given is not None:
        if not given.is_dir():
            raise RefusedError(Code.BASE_NOT_FOUND, f"there is no folder {given}")
        return given
    if holds_weights(facts, bundle / "base"):
        return bundle / "base"
    recorded = _recorded_by_run(bundle)
    if recorded is not None and recorded.is_dir():
        return recorded
    cached = hub_snapshot(facts.repo, facts.revision)
    if cached is None:
        raise RefusedError(
            Code.BASE_NOT_FOUND,
            f"the base {facts.repo} at {facts.revision} is not in the bundle, beside it, or in the hub's cache",
        )
    return cached


def check_base(facts: BaseFacts, folder: Path) -> None:
    """Compare every file of the base with the bundle's digests.

    Raises:
        RefusedError: the folder holds another base, or another state of it.
    """
    expected = {file.path: file for file in facts.files}
    found = {path.name for path in model_files(folder)} if folder.is_dir() else set()
    if found != expected.keys():
        missing, extra = sorted(expected.keys() - found), sorted(found - expected.keys())
        raise RefusedError(
            Code.BASE_MISMATCH,
            f"{folder} is not {facts.repo} at {facts.revision}: missing {missing}, unknown {extra}",
        )
    for name, file in expected.items():
        _check_file(folder / name, file, facts)


def check_revision(facts: BaseFacts) -> None:
    """Check that the base is pinned, by commit or by the digest of its own list of files.

    Raises:
        RefusedError: no revision, no revision's form, or the digest of other files.
    """
    if not facts.revision:
        raise RefusedError(
            Code.BASE_NO_REVISION,
            f"bundle.json names no revision of the base {facts.repo}, so nothing says which weights it belongs to",
        )
    if LIST_DIGEST.fullmatch(facts.revision):
        if facts.revision != list_digest(facts.files):
            raise RefusedError(Code.BASE_REVISION, f"base.revision {facts.revision} is not the digest of base.files")
    elif not COMMIT.fullmatch(facts.revision):
        raise RefusedError(
            Code.BASE_REVISION, f"base.revision {facts.revision!r} is neither a 40-hex commit nor sha256:<64 hex>"
        )


def refuse_code(folder: Path) -> None:
    """Refuse a model whose configuration, tokenizer or processor names classes of its own.

    Raises:
        RefusedError: names the file with ``auto_map``.
    """
    for path in model_files(folder):
        if path.suffix == ".json" and "auto_map" in read_json(path, Code.BASE_INCOMPLETE):
            raise RefusedError(Code.BASE_CODE, f"{path} has auto_map: the model would run code of its own")


def holds_weights(facts: BaseFacts, folder: Path) -> bool:
    """Say whether the folder has all weight files by name."""
    return all((folder / file.path).is_file() for file in facts.files if file.path.endswith(WEIGHTS))


def hub_snapshot(repo: str, revision: str | None) -> Path | None:
    """Return the folder of a commit in the hub's cache; None if it is not there."""
    if revision is None or not COMMIT.fullmatch(revision):
        return None
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(repo, revision=revision, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError):
        return None


def _recorded_by_run(bundle: Path) -> Path | None:
    record = bundle.resolve().parent / "run.json"
    if not record.is_file():
        return None
    model = read_json(record, Code.RUN_MISSING).get("config", {}).get("model", {})
    return Path(str(model.get("name_or_path")))


def _check_file(path: Path, expected: FileFacts, facts: BaseFacts) -> None:
    if path.stat().st_size == expected.size and file_facts(path, expected.path) == expected:
        return
    raise RefusedError(
        Code.BASE_MISMATCH, f"{path} is not the {expected.path} of {facts.repo} at {facts.revision}: its sha256 differs"
    )


def _require_complete(folder: Path, names: set[str]) -> None:
    if not any(name.endswith(WEIGHTS) for name in names):
        others = sorted(path.name for path in folder.iterdir() if path.suffix in CODE_SUFFIXES)
        raise RefusedError(
            Code.BASE_INCOMPLETE, f"{folder} holds no safetensors (found {', '.join(others) or 'no weights'})"
        )
    if not names & TOKENIZERS:
        raise RefusedError(Code.BASE_INCOMPLETE, f"{folder} holds no tokenizer ({', '.join(sorted(TOKENIZERS))})")
