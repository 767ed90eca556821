"""How many prompts of each kind a data set holds, and which pictures they show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final

from guerdon_trainer.quickstart.pictures import Picture, load_picture
from guerdon_trainer.quickstart.prompts import (
    Prompt,
    all_sums,
    ask_letter,
    ask_nth_color,
    ask_question,
    ask_same_color,
    ask_sum,
)
from guerdon_trainer.quickstart.questions import Pool, by_kind, collection_of, pool_numbers, yes_no_pairs

SHARES: Final[dict[str, float]] = {
    "color": 0.20,
    "shape": 0.26,
    "yes_no": 0.21,
    "letter": 0.08,
    "nth_color": 0.05,
    "same_color": 0.07,
    "sum": 0.13,
}
"""Share of each kind: 75% with one picture, 12% with two, 13% without."""
_BALANCED: Final = ("yes_no", "nth_color", "same_color")
"""Kinds with two answers, or about one of two pictures, each equally often."""


def draw_prompts(pool: Pool, count: int, *, seed: int) -> list[Prompt]:
    """Draw a shuffled mixture of prompts, the same for the same arguments.

    Yes/no answers are balanced for each question text. A question comes back only when the pool has
    no other of its kind left.

    Raises:
        ValueError: ``count`` is negative.
    """
    rng = Random(f"{seed}/{pool}")  # noqa: S311 - a reproducible draw, nothing secret
    prompts = [prompt for kind, number in kind_counts(count).items() for prompt in _MAKERS[kind](rng, pool, number)]
    rng.shuffle(prompts)
    return prompts


def kind_counts(count: int) -> dict[str, int]:
    """Split a number of prompts by :data:`SHARES`; the balanced kinds get even numbers, ``color`` the rest.

    Raises:
        ValueError: ``count`` is negative.
    """
    if count < 0:
        raise ValueError(f"a data set cannot hold {count} prompts; ask for 0 or more")
    others = {kind: share for kind, share in SHARES.items() if kind != "color"}
    counts = {kind: _round(share * count, 2 if kind in _BALANCED else 1) for kind, share in others.items()}
    return {"color": count - sum(counts.values()), **counts}


def _round(number: float, step: int) -> int:
    return step * round(number / step)


def _questions(kind: str) -> Callable[[Random, Pool, int], list[Prompt]]:
    def make(rng: Random, pool: Pool, count: int) -> list[Prompt]:
        return [ask_question(question) for question in _take(rng, by_kind(pool)[kind], count)]

    return make


def _yes_no(rng: Random, pool: Pool, count: int) -> list[Prompt]:
    pairs = _take(rng, yes_no_pairs(pool), count // 2)
    return [ask_question(question) for pair in pairs for question in pair]


def _letters(rng: Random, pool: Pool, count: int) -> list[Prompt]:
    return [ask_letter(rng, picture) for picture in _pictures(rng, pool, count)]


def _nth(rng: Random, pool: Pool, count: int) -> list[Prompt]:
    pairs = [_couple(rng, pool, picture, same=False) for picture in _pictures(rng, pool, count)]
    return [ask_nth_color(*pair, nth="second" if index % 2 else "first") for index, pair in enumerate(pairs)]


def _same(rng: Random, pool: Pool, count: int) -> list[Prompt]:
    pictures = _pictures(rng, pool, count)
    return [ask_same_color(*_couple(rng, pool, picture, same=index % 2 == 0)) for index, picture in enumerate(pictures)]


def _sums(rng: Random, _pool: Pool, count: int) -> list[Prompt]:
    return [ask_sum(left, right) for left, right in _take(rng, all_sums(), count)]


def _pictures(rng: Random, pool: Pool, count: int) -> list[Picture]:
    return [load_picture(collection_of(pool), number) for number in _take(rng, pool_numbers(pool), count)]


def _couple(rng: Random, pool: Pool, picture: Picture, *, same: bool) -> tuple[Picture, Picture]:
    """Find the picture another one of the same, or of another, colour."""
    others = (load_picture(collection_of(pool), number) for number in _endlessly(rng, pool_numbers(pool)))
    return picture, next(it for it in others if (it.colour == picture.colour) is same and it is not picture)


def _endlessly[T](rng: Random, items: Sequence[T]) -> Iterator[T]:
    while True:
        yield rng.choice(items)


def _take[T](rng: Random, items: Sequence[T], count: int) -> list[T]:
    """Draw without replacement, starting over only when everything has been drawn."""
    drawn: list[T] = []
    while len(drawn) < count:
        drawn += rng.sample(items, min(count - len(drawn), len(items)))
    return drawn


_MAKERS: Final[dict[str, Callable[[Random, Pool, int], list[Prompt]]]] = {
    "color": _questions("color"),
    "shape": _questions("shape"),
    "yes_no": _yes_no,
    "letter": _letters,
    "nth_color": _nth,
    "same_color": _same,
    "sum": _sums,
}
