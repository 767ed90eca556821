"""The shipped SFT checkpoint, and the check that it is the one that was shipped.

``python -m guerdon_trainer.quickstart.checkpoint DIR`` replaces it by the model that ``sft.py`` wrote to DIR.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path
from typing import Final

from guerdon import RunError

CHECKPOINT: Final = Path(__file__).parent / "checkpoint"
DIGESTS: Final = Path(__file__).parent / "checkpoint.sha256"
"""One line for each file of the checkpoint, as ``sha256sum`` writes and checks them."""
NOTE: Final = "README.md"
"""Tells how the checkpoint was trained; not part of the model."""
_REMEDY: Final = (
    "reinstall guerdon (pip install --force-reinstall --no-deps guerdon), or restore the file from the repository"
)


class CheckpointError(RunError):
    """The shipped checkpoint is not the one that was shipped."""


def checkpoint_path() -> Path:
    """Return the folder of the shipped model after checking each file's SHA-256, about 2 MB in all.

    The folder loads offline with ``AutoProcessor``, ``AutoTokenizer`` and ``AutoModelForImageTextToText``.

    Raises:
        CheckpointError: a file is missing, changed or unexpected; the message names it and the remedy.
    """
    verify(CHECKPOINT, DIGESTS)
    return CHECKPOINT


def verify(folder: Path, digests: Path) -> None:
    """Check that the folder holds exactly the listed files, each with the listed SHA-256.

    Raises:
        CheckpointError: it does not.
    """
    expected = _read(digests)
    for name, digest in expected.items():
        _verify_file(folder / name, digest)
    for path in sorted(folder.iterdir()):
        if path.name not in expected and path.name != NOTE:
            raise CheckpointError(
                f"{path} does not belong to the shipped checkpoint: {digests} does not list it; delete it"
            )


def ship(source: Path, folder: Path, digests: Path) -> None:
    """Replace the model in the folder by the source's files and list their digests; the note stays."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.name != NOTE:
            path.unlink()
    names = sorted(path.name for path in source.iterdir())
    for name in names:
        shutil.copyfile(source / name, folder / name)
    lines = [f"{_digest(folder / name)}  {folder.name}/{name}\n" for name in names]
    digests.write_text("".join(lines), encoding="utf-8", newline="\n")


def _read(digests: Path) -> dict[str, str]:
    """Read file name -> hexadecimal digest.

    Raises:
        CheckpointError: the list is missing.
    """
    try:
        lines = digests.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError as error:
        raise CheckpointError(f"{digests}, the checkpoint's list of digests, is missing; {_REMEDY}") from error
    pairs = (line.split(maxsplit=1) for line in lines)
    return {Path(name).name: digest for digest, name in pairs}


def _verify_file(path: Path, expected: str) -> None:
    if not path.is_file():
        raise CheckpointError(f"{path} is missing (expected SHA-256 {expected}); {_REMEDY}")
    found = _digest(path)
    if found != expected:
        raise CheckpointError(f"{path} has changed: its SHA-256 is {found}, expected {expected}; {_REMEDY}")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    ship(Path(sys.argv[1]), CHECKPOINT, DIGESTS)
