"""Each kind of prompt asks what its truth answers."""

import json
from random import Random

import pytest

from guerdon_trainer.quickstart.pictures import COLOURS, load_picture
from guerdon_trainer.quickstart.prompts import (
    all_sums,
    ask_letter,
    ask_nth_color,
    ask_question,
    ask_same_color,
    ask_sum,
)
from guerdon_trainer.quickstart.questions import Question

FIRST = load_picture("train", 0)
SECOND = load_picture("train", 1)
GROUNDING = {
    "boxes": [list(FIRST.box)],
    "ref_space": "abs",
    "ref_order": "xyxy",
    "labels": [FIRST.label],
}


def test_a_question_about_one_picture_carries_answer_and_box():
    prompt = ask_question(Question("what color is the shape?", "blue", "train", 0))
    assert (prompt.kind, prompt.modality, prompt.pictures) == ("color", "image", (FIRST,))
    assert prompt.reference["type"] == "exact"
    assert prompt.reference["answer"] == "blue"
    assert "teal" in prompt.reference["choices"]
    assert GROUNDING.items() <= prompt.reference.items()


def test_the_expected_completion_has_box_label_and_answer():
    completion = ask_question(Question("what is the blue shape?", "rectangle", "train", 0)).completion
    thought, answer = completion.removeprefix("<think>").split("</think>")
    assert json.loads(thought) == {"bbox_2d": list(FIRST.thousandths), "label": "blue rectangle"}
    assert answer == "<answer>rectangle</answer>"


def test_a_letter_question_lists_the_true_colour_once():
    for seed in range(20):
        prompt = ask_letter(Random(seed), FIRST)
        options = prompt.reference["options"]
        assert prompt.reference["type"] == "choice"
        assert list(options) == ["A", "B", "C"]
        assert len(set(options.values())) == 3
        assert options[prompt.answer] == FIRST.colour
        assert prompt.text.endswith(" ".join(f"{letter} {colour}" for letter, colour in options.items()))
        assert GROUNDING.items() <= prompt.reference.items()


def test_the_true_letter_varies():
    assert {ask_letter(Random(seed), FIRST).answer for seed in range(20)} == {"A", "B", "C"}


@pytest.mark.parametrize(("nth", "target"), [("first", FIRST), ("second", SECOND)])
def test_nth_color_asks_for_one_of_two_pictures(nth, target):
    prompt = ask_nth_color(FIRST, SECOND, nth=nth)
    assert (prompt.modality, prompt.text) == ("images", f"what color is the {nth} shape?")
    assert prompt.reference == {"type": "exact", "answer": target.colour, "choices": list(COLOURS)}
    thought = f"{FIRST.label}, {SECOND.label}"
    assert prompt.completion == f"<think>{thought}</think><answer>{target.colour}</answer>"


def test_same_color_compares_the_pictures():
    assert ask_same_color(FIRST, FIRST).answer == "yes"
    other = next(it for it in (load_picture("train", n) for n in range(50)) if it.colour != FIRST.colour)
    assert ask_same_color(FIRST, other).answer == "no"


def test_a_sum_is_numeric_and_shows_no_picture():
    prompt = ask_sum(3, 4)
    assert (prompt.modality, prompt.text) == ("text", "what is 3 plus 4?")
    assert prompt.reference == {"type": "numeric", "answer": 7}
    assert prompt.completion == "<think>3 + 4</think><answer>7</answer>"


def test_there_are_a_hundred_sums():
    assert len(set(all_sums())) == 100
