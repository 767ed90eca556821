"""A bundle as one tar file, as SageMaker unpacks it into ``/opt/ml/model``."""

import gzip
import shutil
import tarfile
from pathlib import Path
from typing import Final

from guerdon_serving.bundle.read import MAX_FILES, Bundle, check_files, open_bundle
from guerdon_serving.codes import Code, RefusedError

MAX_BYTES: Final = 512 * 1024**3
MTIME: Final = 0


def pack(bundle: Bundle, target: Path) -> Path:
    """Write ``.tar.gz``, the same bytes for the same bundle: no times, no owners, sorted."""
    staged = target.with_name(f".{target.name}.tmp")
    with (
        staged.open("wb") as raw,
        gzip.GzipFile("", "wb", mtime=MTIME, fileobj=raw) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in sorted(path for path in bundle.folder.rglob("*") if path.is_file()):
            info = tarfile.TarInfo(path.relative_to(bundle.folder).as_posix())
            info.size, info.mtime, info.mode = path.stat().st_size, MTIME, 0o644
            with path.open("rb") as file:
                archive.addfile(info, file)
    staged.replace(target)
    return target


def unpack(archive: Path, folder: Path) -> Bundle:
    """Unpack into a new folder: plain files below it only, no links, within count and size.

    Raises:
        RefusedError: the archive holds anything else, or no bundle.
    """
    if folder.exists():
        raise RefusedError(Code.BUNDLE_OUTPUT, f"{folder} is there already")
    staged = folder.with_name(f".{folder.name}.tmp")
    shutil.rmtree(staged, ignore_errors=True)
    try:
        with tarfile.open(archive) as opened:
            _extract(opened, staged, archive)
        staged.rename(folder)
    except (tarfile.TarError, OSError, EOFError) as error:
        raise RefusedError(Code.ARCHIVE_UNSAFE, f"{archive} cannot be unpacked: {error}") from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    bundle = open_bundle(folder)
    check_files(bundle)
    return bundle


def _extract(opened: tarfile.TarFile, folder: Path, archive: Path) -> None:
    count, size = 0, 0
    folder.mkdir(parents=True)
    for member in opened:
        count, size = count + 1, size + member.size
        if not (member.isreg() or member.isdir()) or member.name.startswith("/"):
            raise RefusedError(Code.ARCHIVE_UNSAFE, f"{archive} holds {member.name}: a link, device or absolute path")
        if count > MAX_FILES or size > MAX_BYTES:
            raise RefusedError(Code.ARCHIVE_UNSAFE, f"{archive} holds more than {MAX_FILES} files or {MAX_BYTES} bytes")
        opened.extract(member, folder, filter="data")
