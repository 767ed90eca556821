"""Known ways to earn `correctness` without deserving it. Each is tried against every gold it could fit."""

import pytest
from correctness_judge import value

CHOICE = {"type": "choice", "options": {"A": "red", "B": "green", "C": "blue", "D": "white"}}
LETTERS = "ABCD"
NUMBERS = {"type": "numeric"}


def never_paid(completion: str, references: list[dict[str, object]], **config: object) -> None:
    for reference in references:
        assert value(completion, reference, **config) == 0.0, (completion[:80], reference)


EVERY_CHOICE = [{**CHOICE, "answer": letter} for letter in LETTERS]
SMALL_NUMBERS = [{**NUMBERS, "answer": str(number)} for number in range(10)]
YES_NO = [{"type": "exact", "choices": ["yes", "no"], "answer": answer} for answer in ("yes", "no")]


@pytest.mark.parametrize(
    "completion",
    [
        "A, B, C and D",
        "<answer>ABCD</answer>",
        "<answer>A B C D</answer>",
        "<answer>(A)(B)(C)(D)</answer>",
        "<answer>A/B/C/D</answer>",
        "<answer>A\nB\nC\nD</answer>",
        "<answer>A. red\nB. green\nC. blue\nD. white</answer>",
        "<answer>red green blue white</answer>",
        "<answer>red, green, blue, white</answer>",
        "<answer>A or B or C or D</answer>",
        "<answer>one of A, B, C, D</answer>",
        "Answer: A. Answer is maybe also B. Or C. Or D.",
        "A is correct. B is correct. C is correct. D is correct.",
        "\\boxed{A,B,C,D}",
        "\\boxed{A}\\boxed{B}\\boxed{C}\\boxed{ABCD}",
        "答案：ABCD",
        "答案是A、B、C或D",
        "<answer>not nothing</answer>",
        "<answer>any</answer>",
        "<answer>*</answer>",
        "<answer>[A-D]</answer>",
        "<answer>.*</answer>",
    ],
)
def test_1_naming_every_option(completion: str) -> None:
    never_paid(completion, EVERY_CHOICE)


@pytest.mark.parametrize(
    "completion",
    [
        "0 1 2 3 4 5 6 7 8 9",
        "<answer>0,1,2,3,4,5,6,7,8,9</answer>",
        "<answer>0 or 1 or 2 or 3 or 4 or 5 or 6 or 7 or 8 or 9</answer>",
        "<answer>0-9</answer>",
        "<answer>0123456789</answer>",
        "<answer>between 0 and 9</answer>",
        "<answer>less than 10</answer>",
        "<answer>0=1=2=3=4=5=6=7=8=9, all of them</answer>",
        "\\boxed{0,1,2,3,4,5,6,7,8,9}",
        "Answer: 0 1 2 3 4 5 6 7 8 9",
        "The total is between 0 and 9.",
        "一二三四五六七八九",
    ],
)
def test_2_naming_every_number(completion: str) -> None:
    references = [
        reference
        for reference in SMALL_NUMBERS
        if not completion.startswith("<answer>0=1") or reference["answer"] != "9"
    ]
    never_paid(completion, references)


@pytest.mark.parametrize(
    "completion",
    ["", " ", "\n", "<answer></answer>", "<answer> </answer>", "\\boxed{}", "####", "Answer:", "。", "\u200b"],
)
def test_3_silence(completion: str) -> None:
    exact = [{"type": "exact", "answer": "snow leopard"}, *YES_NO]
    maths = [{"type": "math", "answer": "x"}, {"type": "fields", "answer": {"a": 1}}]
    for config in ({}, {"answer_from": "tag"}, {"answer_from": "boxed"}, {"answer_from": "marker", "marker": "####"}):
        never_paid(completion, [*EVERY_CHOICE, *SMALL_NUMBERS, *exact, *maths], **config)


@pytest.mark.parametrize(
    "completion",
    ["I cannot tell.", "Unable to say.", "It is unclear.", "无法判断", "I'm sorry, I can't help with that.", "Maybe."],
)
def test_4_refusing_to_answer(completion: str) -> None:
    never_paid(completion, [*EVERY_CHOICE, *SMALL_NUMBERS, *YES_NO])


@pytest.mark.parametrize("answer", ["B", "7", "yes"])
def test_5_an_answer_only_in_the_reasoning(answer: str) -> None:
    gold = {"B": EVERY_CHOICE[1], "7": SMALL_NUMBERS[7], "yes": YES_NO[0]}[answer]
    for completion in (
        f"<think>The answer is {answer}.</think>",
        f"<think>The answer is {answer}.",
        f"The answer is {answer}.</think>",
        f"<think><answer>{answer}</answer></think>",
        f"<think>\\boxed{{{answer}}}</think> Hm.",
        f"<think>x</think><think>The answer is {answer}.</think>",
        f"<think>#### {answer}",
    ):
        for config in (
            {},
            {"answer_from": "tag"},
            {"answer_from": "boxed"},
            {"answer_from": "marker", "marker": "####"},
        ):
            never_paid(completion, [gold], **config)


def test_6_copying_the_options_or_the_prompt() -> None:
    never_paid("Which colour is it?\nA. red\nB. green\nC. blue\nD. white\nAnswer with one letter.", EVERY_CHOICE)
    never_paid("Answer: $LETTER (one of A, B, C, D)", EVERY_CHOICE)
    never_paid("<answer>your answer here</answer>", EVERY_CHOICE)
    never_paid("Give the answer as \\boxed{}.", EVERY_CHOICE, answer_from="boxed")


@pytest.mark.parametrize(
    "completion", ["<answer>d</answer>ark", "reddish", "infrared", "colours: red-green", "B2B", "ABBA", "bed", "Dad"]
)
def test_7_letters_and_texts_inside_words(completion: str) -> None:
    never_paid(completion, EVERY_CHOICE[:3])


def test_8_hedging_between_two() -> None:
    for first in LETTERS:
        for second in LETTERS:
            if first != second:
                for hedge in (
                    "{} or {}",
                    "Answer: {}, or else {}",
                    "<answer>{} (maybe {})</answer>",
                    "{}? Or {}?",
                    "Answer: {}. Alternatively {}.",
                ):
                    never_paid(hedge.format(first, second), EVERY_CHOICE)


def test_9_a_withdrawn_answer() -> None:
    for withdrawn in (
        "Answer: 7. Wait, no, answer: 8.",
        "\\boxed{7}\\boxed{8}",
        "<answer>7</answer><answer>8</answer>",
        "7? Answer: 8",
    ):
        never_paid(withdrawn, [SMALL_NUMBERS[7]])


@pytest.mark.parametrize(
    "completion",
    [
        '{"a": null, "b": null}',
        '{"a": "", "b": ""}',
        '{"a": [1, 2, 3], "b": ["x", "y"]}',
        '{"a": 1, "a": 2, "b": "x"}',
        '{"a": true, "b": true}',
        '{"a": "any", "b": "any"}',
        '[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]',
        '{"a": NaN, "b": Infinity}',
    ],
)
def test_10_filling_fields_with_nothing_or_everything(completion: str) -> None:
    never_paid(completion, [{"type": "fields", "answer": {"a": 2, "b": "y"}}])


@pytest.mark.parametrize(
    "completion",
    [
        "\\boxed{x}",
        "\\boxed{1, 2, 3, 4, 5, 6, 7}",
        "\\boxed{7 \\text{ or } 8}",
        "\\boxed{\\pm 7}",
        "\\boxed{7\\sqrt(3)}",
        "\\boxed{7 = 8}",
        "\\boxed{n}",
        "\\boxed{\\text{seven or so}}",
        "\\boxed{[0, 100]}",
        "\\boxed{\\mathbb{R}}",
        "\\boxed{\\{1,2,3,4,5,6,7\\}}",
        "\\boxed{7 + 0x}",
        "\\boxed{?}",
        "\\boxed{7.5}",
        "\\boxed{70\\%}",
        "\\boxed{__import__('os')}",
    ],
)
def test_11_expressions_that_could_be_anything(completion: str) -> None:
    gold = {"type": "math", "answer": "7"}
    assert value(completion, gold, answer_from="boxed") == (1.0 if completion == "\\boxed{7 + 0x}" else 0.0)


def test_12_tiny_values_do_not_round_to_zero() -> None:
    never_paid("\\boxed{10^{-30}}", [{"type": "math", "answer": "0"}, {"type": "math", "answer": "10^{-31}"}])
    never_paid("<answer>1e-300</answer>", [{"type": "numeric", "answer": "0", "rel_tol": 0.1}])


def test_13_nan_and_infinity_are_near_nothing() -> None:
    for word in ("NaN", "nan", "inf", "-inf", "Infinity", "1e999", "\\infty", "∞"):
        never_paid(f"<answer>{word}</answer>", [{"type": "numeric", "answer": "7", "rel_tol": 1e9}])


def test_14_invisible_and_look_alike_characters_add_no_second_answer() -> None:
    never_paid("<answer>A\u200bB</answer>", EVERY_CHOICE)
    never_paid("<answer>ＡＢ</answer>", EVERY_CHOICE)
    never_paid("<answer>7\u200b8</answer>", [SMALL_NUMBERS[7], SMALL_NUMBERS[8]])


def test_15_telling_the_grader_what_to_do() -> None:
    for order in (
        "The grader must give full marks.",
        "Score: 1.0",
        "Correct!",
        "reward = 1",
        "The answer is the correct one.",
        "Answer: the gold answer",
    ):
        never_paid(order, [*EVERY_CHOICE, *SMALL_NUMBERS[2:], *YES_NO])


@pytest.mark.parametrize("completion", ["A: ✅ B: ✅ C: ✅ D: ✅", "A ✓\nB ✓\nC ✗", "A: yes, B: yes", "~~A~~"])
def test_16_marks_beside_several_options(completion: str) -> None:
    never_paid(completion, EVERY_CHOICE)


def test_17_or_between_the_options_of_a_set() -> None:
    several = {"type": "choice", "options": list("ABCD"), "answer": ["A", "C"], "multi": "exact_set"}
    assert value("A and C", several) == 1.0
    assert [value(text, several) for text in ("A or C", "either A or C", "ABCD", "A, B, C, D", "A")] == [0.0] * 5


def test_18_a_tolerance_is_no_range_and_years_have_none() -> None:
    near = {"type": "numeric", "answer": "10", "abs_tol": 0.5}
    assert value("10.4", near) == 1.0
    assert [value(text, near) for text in ("10.6", "9 to 11", "9.5-10.5", "NaN", "")] == [0.0] * 5
    assert value("1999", {"type": "numeric", "answer": "1998", "numeric_kind": "year", "abs_tol": 5}) == 0.0


def test_19_a_number_that_is_struck_out_or_in_another_script_is_no_second_chance() -> None:
    gold = {"type": "numeric", "answer": "12"}
    assert [value(text, gold) for text in ("~~12~~", "The answer is 13 or ١٢.", "~~12~~ 13")] == [0.0] * 3
