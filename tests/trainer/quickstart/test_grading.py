"""Strict and lenient reading of completions."""

from random import Random

import pytest

from guerdon_trainer.quickstart.grading import grade, iou
from guerdon_trainer.quickstart.pictures import load_picture
from guerdon_trainer.quickstart.prompts import ask_letter, ask_question, ask_same_color, ask_sum
from guerdon_trainer.quickstart.questions import Question

COLOUR = ask_question(Question("what color is the shape?", "blue", "train", 0))
SUM = ask_sum(3, 4)


def test_the_expected_completion_gets_everything():
    result = grade(COLOUR, COLOUR.completion)
    assert (result.formatted, result.strict, result.lenient, result.iou) == (True, True, True, 1.0)


@pytest.mark.parametrize("prompt", [SUM, ask_same_color(load_picture("train", 0), load_picture("train", 1))])
def test_only_one_picture_has_an_iou(prompt):
    result = grade(prompt, prompt.completion)
    assert (result.strict, result.iou) == (True, None)


@pytest.mark.parametrize(
    "completion",
    [
        COLOUR.completion.replace("</think>", ""),
        COLOUR.completion.replace("</answer>", ""),
        COLOUR.completion + COLOUR.completion,
        "x" + COLOUR.completion,
        "<think>a blue one</think><answer>blue</answer>",
        '<think>{"bbox_2d": [1, 2, 3]}</think><answer>blue</answer>',
        "blue",
        "",
    ],
)
def test_any_other_form_is_not_formatted(completion):
    result = grade(COLOUR, completion)
    assert not result.formatted
    assert not result.strict


@pytest.mark.parametrize("answer", ["the color is blue", "blue.", "blue"])
def test_a_sentence_that_names_the_answer_is_leniently_right(answer):
    assert grade(COLOUR, f"<think>..</think><answer>{answer}</answer>").lenient


@pytest.mark.parametrize("answer", ["red", "blue or red", "bluegreen", "", "Blue"])
def test_hedges_and_other_words_are_wrong(answer):
    assert not grade(COLOUR, f"<think>blue</think><answer>{answer}</answer>").lenient


def test_the_reasoning_does_not_count_as_an_answer():
    assert not grade(COLOUR, "<think>blue</think>").lenient


def test_numbers_and_letters_are_read_as_words():
    assert grade(SUM, "<think>3 + 4</think><answer>the sum is 7</answer>").lenient
    assert not grade(SUM, "<think>3 + 4</think><answer>17</answer>").lenient
    letter = ask_letter(Random(0), load_picture("train", 0))
    assert grade(letter, f"the answer is {letter.answer}").lenient


def test_a_wrong_answer_keeps_its_box():
    result = grade(COLOUR, COLOUR.completion.replace(">blue<", ">red<"))
    assert (result.formatted, result.strict, result.lenient, result.iou) == (True, False, False, 1.0)


def test_no_box_overlaps_nothing():
    assert grade(COLOUR, "<answer>blue</answer>").iou == 0.0


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((0, 0, 10, 10), (0, 0, 10, 10), 1.0),
        ((0, 0, 10, 10), (5, 0, 15, 10), 1 / 3),
        ((0, 0, 10, 10), (10, 10, 20, 20), 0.0),
        ((10, 10, 0, 0), (0, 0, 10, 10), 0.0),
        ((5, 5, 5, 5), (0, 0, 10, 10), 0.0),
    ],
)
def test_iou(first, second, expected):
    assert iou(first, second) == pytest.approx(expected)
    assert iou(second, first) == pytest.approx(expected)
