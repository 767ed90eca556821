"""Grade completions of the quickstart's prompts, strictly and leniently, for the SFT's own evaluation.

The rewards of a run come from plugins; this module only tells how good the shipped checkpoint is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from guerdon_trainer.quickstart.prompts import CHOICES, LETTERS, Prompt

_STRICT: Final = re.compile(r"<think>([^<>]+)</think><answer>([^<>]+)</answer>")
_BOX: Final = re.compile(r'"bbox_2d": ?\[(\d{1,4}), ?(\d{1,4}), ?(\d{1,4}), ?(\d{1,4})\]')


@dataclass(frozen=True, slots=True)
class Grade:
    """What one completion is worth."""

    formatted: bool
    """Exactly the expected form: both tags once, in order, and for one picture a JSON object of box and label."""
    strict: bool
    """Formatted, and the answer is the right word and nothing else."""
    lenient: bool
    """The right answer is the only one that is named outside the reasoning."""
    iou: float | None
    """Overlap of the box with the true one, 0 without a readable box; None unless the prompt shows one picture."""


def grade(prompt: Prompt, completion: str) -> Grade:
    """Grade the completion, without its end token, against the prompt's truth."""
    match = _STRICT.fullmatch(completion)
    formatted = match is not None and (prompt.modality != "image" or _is_grounding(match[1]))
    strict = formatted and match is not None and match[2] == prompt.answer
    lenient = _named(prompt, completion) == {prompt.answer}
    return Grade(formatted, strict, lenient, _box_iou(prompt, completion))


def iou(first: Sequence[float], second: Sequence[float]) -> float:
    """Intersection over union of two boxes, each left, top, right, bottom in the same unit; empty boxes give 0."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / (_area(first) + _area(second) - shared)


def _area(box: Sequence[float]) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _is_grounding(thought: str) -> bool:
    try:
        value = json.loads(thought)
    except ValueError:
        return False
    return isinstance(value, dict) and set(value) == {"bbox_2d", "label"} and len(value["bbox_2d"]) == 4


def _named(prompt: Prompt, completion: str) -> set[str]:
    """Collect the possible answers that occur as words after the reasoning."""
    words = set(re.findall(r"\w+", completion.rpartition("</think>")[2]))
    if prompt.kind == "sum":
        return {word for word in words if word.isdigit()}
    return words & set(CHOICES.get(prompt.kind, LETTERS))


def _box_iou(prompt: Prompt, completion: str) -> float | None:
    if prompt.modality != "image":
        return None
    found = _BOX.search(completion)
    return iou([int(edge) for edge in found.groups()], prompt.pictures[0].thousandths) if found else 0.0
