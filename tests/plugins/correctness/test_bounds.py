"""Time is linear and memory small, whatever a completion holds."""

import tracemalloc

import pytest
from correctness_judge import judge

from guerdon import Score

pytestmark = pytest.mark.bounds

LONG = 1_000_000

NASTY = {
    "letters": "A ",
    "digits": "7",
    "numbers": "7 ",
    "commas": "7,",
    "groups": "1,234",
    "openings of reasoning": "<think>",
    "reasoning": "<think></think>",
    "openings of answers": "<answer>",
    "answers": "<answer>A</answer>",
    "openings of boxes": "\\boxed{",
    "boxes": "\\boxed{1}",
    "braces": "{",
    "brackets": "(",
    "closing brackets": ")",
    "lines": "\n",
    "spaces": " ",
    "stops": ".",
    "sentences": "Yes. ",
    "hedges": "A or ",
    "negations": "not A ",
    "declarations": "Answer: ",
    "Chinese declarations": "答案是",
    "Chinese numerals": "一百",
    "number words": "one hundred and ",
    "JSON": '{"a":',
    "dollars": "$",
    "fractions": "\\frac{1}{",
    "markers": "####",
    "equals": "=1",
    "full width": "Ａ",
    "surrogates": "\ud83d",
    "quotes": '"',
    "backslashes": "\\",
    "angles": "<",
    "withdrawals": "wait ",
    "units": "5 kg ",
    "lists": "1. a\n",
}
REFERENCES = [
    {"type": "choice", "answer": "A", "options": {"A": "a cat", "B": "a dog"}},
    {"type": "exact", "answer": "cat"},
    {"type": "exact", "answer": "yes", "choices": ["yes", "no"]},
    {"type": "numeric", "answer": "7 kg"},
    {"type": "fields", "answer": {"a": 1}},
    {"type": "math", "answer": "\\frac{1}{2}"},
]
PLACES = [
    ({}, "{}"),
    ({"answer_from": "tag"}, "<answer>{}</answer>"),
    ({"answer_from": "boxed"}, "\\boxed{{{}}}"),
    ({"answer_from": "marker", "marker": "####"}, "#### {}"),
]


@pytest.mark.parametrize("name", NASTY)
def test_a_million_characters(name: str) -> None:
    text = NASTY[name] * (LONG // len(NASTY[name]))
    for number, reference in enumerate(REFERENCES):
        config, form = PLACES[number % len(PLACES)]
        for completion, options in ((text, {}), (form.format(text), config)):
            tracemalloc.start()
            score = judge(completion, reference, **options)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert isinstance(score, Score)
            assert peak < 200_000_000


def test_a_huge_reference_is_no_trap() -> None:
    options = {f"L{number}": f"text number {number}" for number in range(2000)}
    score = judge("Answer: L1234", {"type": "choice", "answer": "L1234", "options": options})
    assert isinstance(score, Score)
    assert score.value == 1.0
