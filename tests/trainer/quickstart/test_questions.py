"""The questions are free of easy-VQA's trap, and no picture belongs to two pools."""

from collections import Counter
from itertools import combinations

import pytest

from guerdon_trainer.quickstart.questions import (
    POOLS,
    by_kind,
    collection_of,
    in_pool,
    is_negated,
    load_questions,
    pool_numbers,
    yes_no_pairs,
)

NEGATED = ["is there not a red shape?", "does the image not contain a circle?", "is no teal shape present?"]
PLAIN = ["is there a red shape?", "does the image contain a circle?", "what color is the shape?"]


@pytest.mark.parametrize("text", NEGATED)
def test_negated_questions_are_recognised(text):
    assert is_negated(text)


@pytest.mark.parametrize("text", PLAIN)
def test_plain_questions_are_kept(text):
    assert not is_negated(text)


@pytest.mark.parametrize("pool", POOLS)
def test_no_negated_question_is_left(pool):
    assert not [question.text for question in load_questions(pool) if is_negated(question.text)]


def test_pools_are_disjoint_and_together_everything():
    members = {pool: {(collection_of(pool), number) for number in pool_numbers(pool)} for pool in POOLS}
    assert {pool: len(pictures) for pool, pictures in members.items()} == {
        "sft": 2400,
        "train": 1200,
        "eval": 400,
        "test": 1000,
    }
    for first, second in combinations(POOLS, 2):
        assert not members[first] & members[second]


@pytest.mark.parametrize("pool", POOLS)
def test_questions_stay_in_their_pool(pool):
    assert all(in_pool(pool, question.number) for question in load_questions(pool))
    assert {question.collection for question in load_questions(pool)} == {collection_of(pool)}


@pytest.mark.parametrize("pool", POOLS)
def test_yes_and_no_are_paired_for_each_text(pool):
    pairs = yes_no_pairs(pool)
    assert len(pairs) > 100
    assert all(yes.text == no.text and (yes.answer, no.answer) == ("yes", "no") for yes, no in pairs)


def test_no_question_is_in_two_pairs():
    rows = [(question.text, question.number) for pair in yes_no_pairs("train") for question in pair]
    available = Counter((question.text, question.number) for question in by_kind("train")["yes_no"])
    assert not Counter(rows) - available


def test_kinds_follow_from_the_answers():
    kinds = by_kind("eval")
    assert set(kinds) == {"color", "shape", "yes_no"}
    assert {question.answer for question in kinds["yes_no"]} == {"yes", "no"}
