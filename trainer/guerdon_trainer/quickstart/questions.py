"""easy-VQA's questions, without its trap, and the pools of pictures that keep the splits apart."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from guerdon_trainer.quickstart.pictures import COLOURS, SHAPES, Collection, package_folder

type Pool = Literal["sft", "train", "eval", "test"]
"""Which pictures a split may use. ``sft`` trained the shipped checkpoint; no pool shares a picture with another."""

POOLS: Final[tuple[Pool, ...]] = ("sft", "train", "eval", "test")
_DECIMALS: Final[dict[Pool, frozenset[int]]] = {
    "sft": frozenset(range(6)),
    "train": frozenset({6, 7, 8}),
    "eval": frozenset({9}),
}
"""Last digits of the picture numbers of easy-VQA's training part: 2,400, 1,200 and 400 pictures."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question of easy-VQA about one picture."""

    text: str
    answer: str
    collection: Collection
    number: int
    """The picture's number within its collection."""

    @property
    def kind(self) -> str:
        """Tell ``color``, ``shape`` and ``yes_no`` apart by the answer."""
        if self.answer in COLOURS:
            return "color"
        return "shape" if self.answer in SHAPES else "yes_no"


def collection_of(pool: Pool) -> Collection:
    """Name the part of easy-VQA that a pool draws from; ``test`` is easy-VQA's own test part."""
    return "test" if pool == "test" else "train"


def in_pool(pool: Pool, number: int) -> bool:
    """Say whether the picture of this number, in the pool's collection, belongs to the pool."""
    return pool == "test" or number % 10 in _DECIMALS[pool]


@cache
def pool_numbers(pool: Pool) -> tuple[int, ...]:
    """List the pool's pictures in ascending order of their numbers."""
    return tuple(sorted({number for _, _, number in _rows(collection_of(pool)) if in_pool(pool, number)}))


@cache
def load_questions(pool: Pool) -> tuple[Question, ...]:
    """Read the pool's questions without the negated ones.

    A model that hardly sees scores 0.82 on easy-VQA's yes/no questions, because "is there not a red
    shape?" is mostly "yes" and "is there a red shape?" mostly "no".
    """
    collection = collection_of(pool)
    return tuple(
        Question(text, answer, collection, number)
        for text, answer, number in _rows(collection)
        if in_pool(pool, number) and not is_negated(text)
    )


def is_negated(text: str) -> bool:
    """Recognise "is there not a ...", "does the image not contain ..." and "is no ... present?"."""
    return " not " in text or " no " in text


def by_kind(pool: Pool) -> dict[str, list[Question]]:
    """Sort the pool's questions by kind, in file order."""
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in load_questions(pool):
        groups[question.kind].append(question)
    return dict(groups)


def yes_no_pairs(pool: Pool) -> list[tuple[Question, Question]]:
    """Pair each "yes" with a "no" to the same text, as many as the rarer answer allows, text by text."""
    groups: dict[str, dict[str, list[Question]]] = defaultdict(lambda: {"yes": [], "no": []})
    for question in by_kind(pool)["yes_no"]:
        groups[question.text][question.answer].append(question)
    return [pair for sides in groups.values() for pair in zip(sides["yes"], sides["no"], strict=False)]


@cache
def _rows(collection: Collection) -> tuple[tuple[str, str, int], ...]:
    content = json.loads((package_folder() / collection / "questions.json").read_text(encoding="utf-8"))
    return tuple((str(text), str(answer), int(number)) for text, answer, number in content)
