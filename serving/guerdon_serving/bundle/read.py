"""Opening a bundle, and the checks that need no tensors."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from guerdon_serving.bundle.base import WEIGHTS, check_revision
from guerdon_serving.bundle.files import CODE_SUFFIXES, canonical, digest, file_facts
from guerdon_serving.bundle.schema import SCHEMA_VERSION, BundleFacts, FileFacts
from guerdon_serving.codes import Code, RefusedError

FACTS: Final = "bundle.json"
SEAL: Final = "bundle.sha256"
"""``sha256sum``'s line for bundle.json."""
MAX_FACTS_BYTES: Final = 32 * 1024**2
MAX_FILES: Final = 1000


@dataclass(frozen=True, slots=True)
class Bundle:
    """An adapter with its whole provenance, on disk."""

    folder: Path
    id: str
    """sha256 of bundle.json."""
    facts: BundleFacts

    @property
    def adapter(self) -> Path:
        """Folder in PEFT's format."""
        return self.folder / "adapter"

    @property
    def base(self) -> Path:
        """Folder with the small files of the base: configuration, tokenizer, processor, template."""
        return self.folder / "base"

    @property
    def digest12(self) -> str:
        """The id, shortened as served names bear it."""
        return self.id[:12]

    def files(self) -> dict[str, FileFacts]:
        """Return every file that may lie in the folder, by path, apart from bundle.json and its seal."""
        facts = self.facts
        return {
            facts.card.path: facts.card,
            **{f"adapter/{file.path}": file for file in facts.adapter.files},
            **{f"base/{file.path}": file for file in facts.base.files},
        }


def open_bundle(folder: Path, *, expected_id: str | None = None) -> Bundle:
    """Read ``bundle.json`` and hold it to its schema, its own bytes and the id asked for.

    Raises:
        RefusedError: the first thing that is wrong.
    """
    raw = _read_facts(folder)
    data = _parse(raw)
    facts = _validate(data)
    check_revision(facts.base)
    if canonical(data) != raw:
        raise RefusedError(Code.BUNDLE_NOT_CANONICAL, f"{folder / FACTS} is not in canonical JSON, so it was edited")
    identity = digest(raw)
    _check_seal(folder, identity)
    if expected_id is not None and not identity.startswith(expected_id):
        raise RefusedError(Code.BUNDLE_ID, f"{folder} is the bundle {identity}, not {expected_id}")
    return Bundle(folder, identity, facts)


def check_files(bundle: Bundle) -> None:
    """Hold the folder to the list: nothing missing, changed, added, linked; nothing that is code.

    Raises:
        RefusedError: the first thing that is wrong.
    """
    listed = bundle.files()
    found = _walk(bundle.folder, {name.rpartition("/")[0] for name in listed})
    for name in sorted(found - listed.keys() - {FACTS, SEAL}):
        raise RefusedError(Code.FILE_UNLISTED, f"{bundle.folder / name} is not in {FACTS}")
    for name, file in listed.items():
        if name in found:
            _check_file(bundle.folder / name, file, name)
        elif not (name.startswith("base/") and name.endswith(WEIGHTS)):
            raise RefusedError(Code.FILE_MISSING, f"{bundle.folder / name} is missing")


def seal(folder: Path, facts: BundleFacts) -> Bundle:
    """Write ``bundle.json`` and its seal."""
    raw = canonical(facts.model_dump(mode="json"))
    (folder / FACTS).write_bytes(raw)
    (folder / SEAL).write_text(f"{digest(raw)}  {FACTS}\n", encoding="ascii", newline="\n")
    return Bundle(folder, digest(raw), facts)


def _read_facts(folder: Path) -> bytes:
    path = folder / FACTS
    if path.is_symlink():
        raise RefusedError(Code.FILE_LINK, f"{path} is a link")
    if not path.is_file():
        raise RefusedError(Code.BUNDLE_MISSING, f"{folder} is no bundle: there is no {FACTS}")
    if path.stat().st_size > MAX_FACTS_BYTES:
        raise RefusedError(Code.BUNDLE_TOO_LARGE, f"{path} has {path.stat().st_size} bytes, at most {MAX_FACTS_BYTES}")
    return path.read_bytes()


def _parse(raw: bytes) -> dict[str, Any]:
    try:
        data = json.loads(raw, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise RefusedError(Code.BUNDLE_MALFORMED, f"{FACTS} is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise RefusedError(Code.BUNDLE_MALFORMED, f"{FACTS} holds {type(data).__name__}, not an object")
    version = data.get("schema_version")
    if version != SCHEMA_VERSION:
        raise RefusedError(
            Code.BUNDLE_VERSION, f"{FACTS} has schema_version {version!r}; this guerdon reads {SCHEMA_VERSION}"
        )
    return data


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _validate(data: dict[str, Any]) -> BundleFacts:
    try:
        return BundleFacts.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = [str(part) for part in first["loc"]]
        code = Code.FILE_PATH if path[-1:] == ["path"] else Code.BUNDLE_MALFORMED
        more = f" and {error.error_count() - 1} more" if error.error_count() > 1 else ""
        raise RefusedError(code, f"{FACTS}: {'.'.join(path)}: {first['msg']}{more}") from None


def _check_seal(folder: Path, identity: str) -> None:
    path = folder / SEAL
    if not path.is_file() or path.is_symlink():
        raise RefusedError(Code.FILE_MISSING, f"{path}, the seal, is missing")
    expected = f"{identity}  {FACTS}\n".encode()
    if path.stat().st_size != len(expected) or path.read_bytes() != expected:
        raise RefusedError(Code.BUNDLE_SEAL, f"{folder / FACTS} has the sha256 {identity}, and {SEAL} says otherwise")


def _walk(folder: Path, folders: set[str]) -> set[str]:
    """List the files below a folder; links are seen, not followed."""
    names: set[str] = set()
    for parent, inner, files in os.walk(folder):
        for path in (Path(parent) / name for name in sorted(inner + files)):
            name = path.relative_to(folder).as_posix()
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                raise RefusedError(Code.FILE_LINK, f"{path} is a link or no plain file")
            if path.suffix in CODE_SUFFIXES:
                raise RefusedError(Code.FILE_CODE, f"{path} is code, or of a format that runs code when it is loaded")
            if path.is_dir() and name not in folders:
                raise RefusedError(Code.FILE_UNLISTED, f"the folder {path} holds nothing that {FACTS} lists")
            if path.is_file():
                names.add(name)
        if len(names) > MAX_FILES:
            raise RefusedError(Code.BUNDLE_TOO_LARGE, f"{folder} holds more than {MAX_FILES} files")
    return names


def _check_file(path: Path, expected: FileFacts, name: str) -> None:
    size = path.stat().st_size
    if size != expected.size:
        raise RefusedError(Code.FILE_CHANGED, f"{path} has {size} bytes, {FACTS} says {expected.size}")
    found = file_facts(path, expected.path)
    if found != expected:
        raise RefusedError(
            Code.FILE_CHANGED, f"{path} has changed: its sha256 is {found.sha256}, expected {expected.sha256} ({name})"
        )
