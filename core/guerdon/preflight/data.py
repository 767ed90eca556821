"""Reading a manifest line by line, so that every wrong line is told of, not the first."""

from dataclasses import dataclass, field
from pathlib import Path

from guerdon.errors import DataError
from guerdon.manifest import Prompt, parse_line, prompt_of
from guerdon.preflight.result import Row


@dataclass(slots=True)
class Split:
    """The prompts of one manifest, and the lines that hold none."""

    name: str
    """``train`` or ``eval``."""

    path: str
    prompts: list[Prompt] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    """The line of each prompt, counted from 1."""

    broken: list[str] = field(default_factory=list)
    """What is wrong with other lines."""

    def where(self, place: int) -> str:
        """Name the file, line and id of a prompt."""
        return f"{self.path}:{self.lines[place]} ({self.prompts[place].id})"


def read_split(name: str, path: str) -> Split:
    """Read a manifest; what `read_manifest` would refuse is kept in `Split.broken`."""
    split = Split(name, path)
    file = Path(path)
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        split.broken.append(f"{path} cannot be read: {error}")
        return split
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            prompt = prompt_of(parse_line(line, where), file, where)
        except DataError as error:
            split.broken.append(str(error))
            continue
        if prompt.id in seen:
            split.broken.append(f"{where}: the id {prompt.id!r} stands also in line {seen[prompt.id]}")
        seen.setdefault(prompt.id, number)
        split.prompts.append(prompt)
        split.lines.append(number)
    if not split.prompts and not split.broken:
        split.broken.append(f"{path} holds no prompts")
    return split


def split_row(split: Split, *, least: int = 1) -> Row:
    """Say what a manifest holds.

    Args:
        split: the manifest.
        least: prompts that a training step needs.
    """
    kinds: dict[str, int] = {}
    for prompt in split.prompts:
        kinds[prompt.modality] = kinds.get(prompt.modality, 0) + 1
    held = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    few = [f"{split.path} holds {len(split.prompts)} prompts; a step needs {least} (runtime.prompts_per_step)"]
    short = few if len(split.prompts) < least and not split.broken else []
    return Row(f"{split.name} manifest", f"{len(split.prompts)} prompts: {held or 'none'}", (*split.broken, *short))
