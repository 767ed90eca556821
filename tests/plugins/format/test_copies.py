import pytest

from guerdon import Sample
from guerdon_plugins.format import Format
from guerdon_plugins.format.content import prompt_text
from guerdon_plugins.format.values import is_hollow, same_json

TEMPLATE = "Answer as <think> reasons </think><answer> colour </answer>."


def value(completion, prompt=TEMPLATE, reference=None, **config):
    sample = Sample("s", completion, prompt=[{"role": "user", "content": prompt}], reference=reference or {})
    return Format(**{"reject_prompt_copy": True, **config}).score(sample).value


@pytest.mark.parametrize(
    ("think", "answer", "expected"),
    [
        ("The roof is the darkest part.", "brown", 1),
        (" reasons ", " colour ", 0),
        ("reasons", "colour", 0),
        ("Reasons.", "COLOUR!", 0),
        ("r\u200beasons", "c\u200bolour", 0),
        ("ｒｅａｓｏｎｓ", "colour", 0),
        ("**reasons**", "brown", 0),
        ("The roof is dark.", "colour", 0),
        ("reasons", "brown", 0),
        ("my reasons are good", "the colour is brown", 1),
        ("colour", "reasons", 1),
    ],
)
def test_the_prompts_template_does_not_fill_a_block(think, answer, expected):
    completion = f"<think>{think}</think><answer>{answer}</answer>"
    assert value(completion) == expected
    assert value(completion, reject_prompt_copy=False) == 1.0


def test_the_right_answer_is_no_copy_even_where_an_example_shows_it():
    completion = "<think>I see two cups.</think><answer>B</answer>"
    shown = "For example <think>...</think><answer>B</answer>"
    assert value(completion, shown) == 0.0
    assert value(completion, shown, {"type": "choice", "answer": "B", "options": ["A", "B"]}) == 1.0
    assert value(completion, shown, {"type": "choice", "answer": ["A", "B"]}) == 1.0
    assert value(completion, shown, {"answer": "A"}) == 0.0
    assert value(completion, shown, {"answer": [["C"], {"a": 1}, 3, None], "options": {"B": "cups"}}) == 0.0
    text = "<think>I see two cups.</think><answer>cups</answer>"
    shown = "<answer>cups</answer>"
    assert value(text, shown, {"answer": "B", "options": {"A": "plates", "B": "cups"}}) == 1.0


def test_what_is_longer_than_the_prompt_is_no_copy_of_it():
    assert value(f"<think>{'reasons ' * 5000}</think><answer>brown</answer>") == 1.0
    assert value(f"<think>{chr(0x200B) * 5000}reasons</think><answer>brown</answer>") == 0.0


def test_reasoning_that_repeats_the_question_is_a_copy():
    question = "How many of the red scooters that stand in front of the bakery carry a blue box on the rack?"
    assert value(f"<think>{question}</think><answer>2</answer>", question) == 0.0
    assert value(f"<think>{question.upper()}</think><answer>2</answer>", question) == 0.0
    assert value(f"<think>{question} I count two.</think><answer>2</answer>", question) == 1.0
    assert value("<think>red scooters</think><answer>2</answer>", question) == 1.0


def test_an_answer_that_the_question_mentions_is_no_copy():
    assert value("<think>Its wheels are round.</think><answer>brown</answer>", "Is it brown or black?") == 1.0


def test_a_box_of_the_prompt_does_not_fill_a_box():
    prompt = "Put the result in \\boxed{result}."
    assert value("so \\boxed{ Result }", prompt, format="boxed") == 0.0
    assert value("so \\boxed{7}", prompt, format="boxed") == 1.0
    assert value("so \\boxed{result}", prompt, {"answer": "result"}, format="boxed") == 1.0
    assert value("so \\boxed{" + "7" * 10_000 + "}", prompt, format="boxed") == 1.0


def test_only_the_completion_earns_the_form():
    sample = Sample("s", "The answer is 7.", prompt=[{"role": "user", "content": "Box it: \\boxed{}"}])
    assert Format(format="boxed").score(sample).value == 0.0
    sample = Sample("s", "7", prompt=[{"role": "user", "content": "<think>a</think><answer>7</answer>"}])
    assert Format().score(sample).value == 0.0


def test_texts_of_a_prompt_in_every_shape():
    prompt = [
        {"role": "system", "content": "one"},
        {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "two"}, "three"]},
        {"role": "assistant", "content": None},
        {"role": "tool"},
    ]
    assert prompt_text(prompt) == "one\ntwo\nthree"
    assert prompt_text(()) == ""


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        ([1, 2], [1.0, 2], True),
        ([0], [False], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        (None, False, False),
        ("1", 1, False),
        ([], {}, False),
    ],
)
def test_equality_of_json(a, b, same):
    assert same_json(a, b) is same


@pytest.mark.parametrize(
    ("value", "hollow"),
    [
        (None, True),
        ("", True),
        (" …\u200b", True),
        ({}, True),
        ([], True),
        ({"a": None, "b": [None, {"c": ""}]}, True),
        (0, False),
        (False, False),
        ({"a": None, "b": 0}, False),
        ("-", False),
    ],
)
def test_hollow_values(value, hollow):
    assert is_hollow(value) is hollow


def test_a_deep_value_is_judged_without_recursion():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    assert is_hollow(deep)
    while deep:
        deep = deep.pop()
