"""Which of SkyRL's checkpoint folders count."""

import shutil
from pathlib import Path

MARKER = "latest_ckpt_global_step.txt"
"""SkyRL writes it last, so it names the newest complete checkpoint."""


def committed_step(folder: Path) -> int:
    """Return the step of the newest complete checkpoint, 0 if there is none."""
    try:
        return int((folder / MARKER).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return 0


def drop_uncommitted(folder: Path) -> None:
    """Remove what a killed save left: folders of steps beyond the committed one."""
    newest = committed_step(folder)
    for path in folder.glob("global_step_*"):
        if int(path.name.removeprefix("global_step_")) > newest:
            shutil.rmtree(path)
