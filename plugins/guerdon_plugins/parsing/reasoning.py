"""Where the reasoning of a completion ends and its answer begins."""

import re
from dataclasses import dataclass

_TAG = re.compile(r"(?:<|◁)\s*+(/?)\s*+(think|thinking|thought|reasoning)\s*+(?:>|▷)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Visible:
    """The text outside the reasoning."""

    text: str
    """As long as the completion; the reasoning is white space between two newlines."""

    cut_off: bool
    """A reasoning block was opened and never closed: nothing after it is an answer."""


def outside_reasoning(completion: str) -> Visible:
    """Blank the reasoning of a completion.

    A closing tag without an opening one (the chat template supplied it) ends reasoning that
    began with the completion. A block that is never closed reaches to the end.
    """
    blocks, opened = _blocks(completion)
    if not blocks:
        return Visible(completion, cut_off=False)
    parts: list[str] = []
    position = 0
    for start, end in blocks:
        parts += (completion[position:start], "\n", " " * (end - start - 2), "\n")
        position = end
    parts.append(completion[position:])
    return Visible("".join(parts), cut_off=opened)


def _blocks(completion: str) -> tuple[list[tuple[int, int]], bool]:
    """Return the (start, end) of every block in order, and whether the last one is unclosed."""
    blocks: list[tuple[int, int]] = []
    start, name = 0, ""
    for tag in _TAG.finditer(completion):
        closing, kind = tag[1], tag[2].lower()
        if name and closing and kind == name:
            blocks.append((start, tag.end()))
            name = ""
        elif not name and closing:
            blocks = [(0, tag.end())]
        elif not name:
            start, name = tag.start(), kind
    if name:
        blocks.append((start, len(completion)))
    return blocks, bool(name)
