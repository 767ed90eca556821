"""Faults of style for the SFT data, so that every reward component has something to gain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import Final

from guerdon_trainer.quickstart.prompts import Prompt

_VERBOSE: Final = {
    "color": "the color is {}",
    "shape": "the shape is a {}",
    "yes_no": "{} it is",
    "letter": "the answer is {}",
    "nth_color": "the color is {}",
    "same_color": "{} it is",
    "sum": "the sum is {}",
}


@dataclass(frozen=True, slots=True)
class Faults:
    """Shares, from 0 to 1, of the expected completions that are spoilt."""

    broken: float = 0.0
    """Share whose tags or box are damaged."""
    verbose: float = 0.0
    """Share whose answer is a sentence instead of the bare word."""


def write_completion(prompt: Prompt, faults: Faults, rng: Random) -> str:
    """Write the prompt's expected completion, spoilt as often as asked."""
    answer = _VERBOSE[prompt.kind].format(prompt.answer) if rng.random() < faults.verbose else prompt.answer
    text = f"<think>{prompt.thought}</think><answer>{answer}</answer>"
    return _break(text, rng) if rng.random() < faults.broken else text


def verbose_phrases() -> list[str]:
    """List the sentences around verbose answers, for the tokenizer's corpus."""
    return [phrase.format("") for phrase in _VERBOSE.values()]


def _break(text: str, rng: Random) -> str:
    damage = rng.random()
    if damage < 0.3:
        return text.replace("</think>", "")
    if damage < 0.6:
        return text.replace("</answer>", "")
    if damage < 0.8:
        return text.replace('{"bbox_2d": ', "", 1) if "bbox_2d" in text else text.replace("<think>", "")
    return re.sub(r"<think>.*</think>|</?answer>", "", text)
