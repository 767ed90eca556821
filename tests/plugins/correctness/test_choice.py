"""Choices: which option a completion chooses, and what no longer counts as choosing."""

import pytest
from correctness_judge import judge, reason, value

ABCD = {"type": "choice", "options": ["A", "B", "C", "D"]}
PETS = {
    "type": "choice",
    "options": {"A": "a cat on a chair", "B": "a dog lying on the rug", "C": "an empty room", "D": "a parrot"},
}
COLOURS = {"type": "choice", "options": {"A": "red", "B": "dark red", "C": "blue"}}
NUMBERS = {"type": "choice", "options": {"A": "3", "B": "5", "C": "12", "D": "15"}}


def chosen(completion: str, reference: dict[str, object], **config: object) -> str:
    """Return the label that the completion is paid for, or ``-``."""
    labels = list(reference["options"])  # type: ignore[call-overload]
    paid = [label for label in labels if value(completion, {**reference, "answer": label}, **config) == 1.0]
    assert len(paid) <= 1
    return paid[0] if paid else "-"


@pytest.mark.parametrize(
    ("completion", "wanted"),
    [
        ("Answer: **C**", "C"),
        ("The correct answer is b.", "B"),
        ("Answer: (d)", "D"),
        ("B", "B"),
        ("(B)", "B"),
        ("**B**", "B"),
        ("B.", "B"),
        ("$B$", "B"),
        ("\\boxed{B}", "B"),
        ("\\boxed{\\text{(C)}}", "C"),
        ("\\boxed{\\mathrm{D}}", "D"),
        ("<answer>B</answer>", "B"),
        ("<ANSWER> B </ANSWER>", "B"),
        ("<answer>Option C</answer>", "C"),
        ("<answer>\\boxed{A}</answer>", "A"),
        ("Final Answer: D", "D"),
        ("**Final Answer**\n\nC", "C"),
        ("### Answer\nB", "B"),
        ("Answer - C", "C"),
        ("answer = C", "C"),
        ("Answer: $C", "C"),
        ("Answer: $\\boxed{C}$", "C"),
        ("The answer is option C.", "C"),
        ('The answer is: "D"', "D"),
        ("The best choice would be A.", "A"),
        ("I choose B.", "B"),
        ("I'd go with C because of the legend.", "C"),
        ("So I'll pick D", "D"),
        ("My final answer: B) the left one", "B"),
        ("The correct option is C: the bar is taller.", "C"),
        ("Option B is correct.", "B"),
        ("B is the correct answer.", "B"),
        ("Only C is right.", "C"),
        ("Therefore, the answer must be D.", "D"),
        ("ＡＮＳＷＥＲ：Ｂ", "B"),
        ("Answer: Ⓑ", "B"),
        ("Answer: 𝐁", "B"),
        ("Answer: [B]", "B"),
        ("Answer: `B`", "B"),
        ("Answer: _B_", "B"),
        ("Answer: B\nThat is my view.", "B"),
        ("#### B", "B"),
        ("It shows a cat.\n\nB", "B"),
        ("B\n\nReason: panel A is too dark and C has no bar.", "B"),
        ("A, because the bar is tall.", "A"),
        ("A is correct since the label says so.", "A"),
        ("Answer: A", "A"),
        ("answer: a", "A"),
        ("The answer is A because the others are wrong.", "A"),
    ],
)
def test_forms_of_one_choice(completion: str, wanted: str) -> None:
    assert chosen(completion, ABCD) == wanted


@pytest.mark.parametrize(
    ("completion", "wanted"),
    [
        ("因此答案是：（B）。", "B"),
        ("答案：C", "C"),
        ("答案为Ｄ", "D"),
        ("正确答案是 A。", "A"),
        ("故选B。", "B"),
        ("所以选C", "C"),
        ("因此，应选D项。", "D"),
        ("我选择B", "B"),
        ("选项C正确。", "C"),
        ("选项A的数据对不上，选项B也没有依据，只有选项C是对的。", "C"),
        ("A和C都可以排除，答案应为D。", "D"),
        ("A、B、C都不对，所以选D。", "D"),
        ("答案不是A，而是B。", "B"),
        ("答案是A。不对，应该是B，答案是B。", "B"),
        ("最终答案：A", "A"),
        ("答案是A或B", "-"),
        ("可能是A，也可能是B", "-"),
        ("答案是选项B，因为A太短", "B"),
        ("本题选B", "B"),
        ("不能确定", "-"),
    ],
)
def test_chinese_forms(completion: str, wanted: str) -> None:
    assert chosen(completion, ABCD) == wanted


@pytest.mark.parametrize(
    "completion",
    [
        "",
        " ",
        "ANSWER: Unable to say",
        "Answer: none of the above",
        "Apples Bananas Cherries",
        "A dog is lying on a rug.",
        "I think it is a dog.",
        "Can't decide.",
        "Answer:",
        "<answer></answer>",
        "<answer>E</answer>",
        "Answer: AB",
        "Answer: ABCD",
        "I can't tell which.",
        "The answer is based on the chart.",
        "DNA and ABBA",
        "Vitamin C is good for you.",
        "Point B lies on line D.",
        "Answer: X",
        "a b c",
    ],
)
def test_nothing_chosen(completion: str) -> None:
    assert chosen(completion, ABCD) == "-"


@pytest.mark.parametrize(
    "completion",
    [
        "A or B",
        "Answer: A or B",
        "Answer: A/B",
        "Answer: A, B",
        "Answer: A & B",
        "Answer: A and B",
        "Answer: A, B, C, D",
        "Answer: A. B. C. D.",
        "Answer: (A) (B) (C) (D)",
        "Answer: A B C D",
        "Answer: A; B; C; D",
        "Answer: A-D",
        "Answer: A~D",
        "Answer: A|B|C|D",
        "Answer: A\nB\nC\nD",
        "A\nB\nC\nD",
        "<answer>A, or B, possibly C</answer>",
        "<answer>A or maybe B</answer>",
        "<answer>either A or D</answer>",
        "<answer>A (or B)</answer>",
        "<answer>A B</answer>",
        "Answer: A. Or maybe B.",
        "Answer: A, though it could be B.",
        "The answer is A. It could also be B.",
        "The answer is A, alternatively B.",
        "A is correct. B is also correct.",
        "Both A and B are correct.",
        "\\boxed{A, B}",
        "\\boxed{A \\text{ or } B}",
        "A: maybe, B: maybe, C: maybe, D: maybe",
        "Answer: A. cat B. dog C. bird D. fish",
        "Any of A, B, C or D.",
        "答案是A和B",
        "答案：A、B、C、D",
        "A，B，C，D",
    ],
)
def test_hedges_and_lists_choose_nothing(completion: str) -> None:
    assert chosen(completion, ABCD) == "-"


@pytest.mark.parametrize(
    ("completion", "wanted"),
    [
        ("Answer: surely not C; I settle on A", "A"),
        ("The answer is not A but B.", "B"),
        ("The answer isn't A, it's B.", "B"),
        ("Answer: B, not A", "B"),
        ("Answer: B rather than A", "B"),
        ("Answer: B (not A)", "B"),
        ("I rule out A, C and D, so B.", "B"),
        ("Neither A nor C fits, so the answer is D.", "D"),
        ("A is wrong. B is wrong. C is wrong. D is right.", "D"),
        ("Option A is incorrect, option B is correct.", "B"),
        ("We can eliminate A and B. C is impossible. Hence D.", "D"),
        ("The answer is not A.", "-"),
        ("It is not B.", "-"),
        ("The correct answer is D. Option A fails because its bar is shorter, and option C confuses the axes.", "D"),
        ("Answer: D because it is taller than A.", "D"),
        ("Answer: D since A is too short and B is too wide", "D"),
        ("Answer: C. The other options A, B and D do not match.", "C"),
    ],
)
def test_negation_and_explanation(completion: str, wanted: str) -> None:
    assert chosen(completion, ABCD) == wanted


@pytest.mark.parametrize(
    ("completion", "wanted"),
    [
        ("ANSWER: A\nHold on, the legend colours are reversed.\nANSWER: C", "C"),
        ("The answer is A. Wait, no, the answer is B.", "B"),
        ("Answer: A. Actually, B.", "B"),
        ("<answer>A</answer> Sorry. <answer>B</answer>", "B"),
        ("\\boxed{A} ... correction: \\boxed{B}", "B"),
        ("<answer>A</answer>\nFinal answer: B", "B"),
        ("Answer: A, no wait, B", "B"),
        ("I choose A. On second thought I choose B.", "B"),
        ("Answer: A\nAnswer: B\nAnswer: C\nAnswer: D", "D"),
        ("The answer is A.\n\nI can't be sure, so the answer is unclear.", "-"),
    ],
)
def test_last_declaration_wins(completion: str, wanted: str) -> None:
    assert chosen(completion, ABCD) == wanted


@pytest.mark.parametrize(
    ("completion", "wanted"),
    [
        ("<answer>A dog lying on the rug</answer>", "B"),
        ("<answer>a dog lying on the rug.</answer>", "B"),
        ("The answer is a parrot.", "D"),
        ("It shows an empty room.", "C"),
        ("Answer: B. a dog lying on the rug", "B"),
        ("Answer: B) A dog lying on the rug", "B"),
        ("A parrot", "D"),
        ("A cat", "-"),
        ("a parrot and an empty room", "-"),
        ("It is not a parrot but an empty room.", "C"),
        ("<answer>B: a parrot</answer>", "-"),
        ("<answer>A. a parrot</answer>", "-"),
    ],
)
def test_option_text_stands_for_its_letter(completion: str, wanted: str) -> None:
    assert chosen(completion, PETS) == wanted


@pytest.mark.parametrize(
    ("completion", "wanted"),
    [
        ("<answer>dark red</answer>", "B"),
        ("<answer>red</answer>", "A"),
        ("<answer>It is dark red.</answer>", "B"),
        ("<answer>bluered</answer>", "-"),
        ("<answer>red, dark red, blue</answer>", "-"),
        ("<answer>infrared</answer>", "-"),
    ],
)
def test_longest_option_text_wins(completion: str, wanted: str) -> None:
    assert chosen(completion, COLOURS) == wanted


@pytest.mark.parametrize(
    ("completion", "wanted"),
    [
        ("<answer>5</answer>", "B"),
        ("There are 12 cups.", "C"),
        ("115", "-"),
        ("Answer: 1.5", "-"),
        ("3.5", "-"),
        ("Answer: D (15)", "D"),
    ],
)
def test_numbers_as_option_texts(completion: str, wanted: str) -> None:
    assert chosen(completion, NUMBERS) == wanted


def test_many_letters_and_words_with_capitals() -> None:
    options = {"type": "choice", "options": [chr(code) for code in range(ord("A"), ord("Q"))]}
    assert chosen("Answer: Looking at the chart, the second series peaks, so the answer is (H).", options) == "H"
    assert chosen("I think the answer is (I).", options) == "I"
    assert chosen("I am not sure.", options) == "-"
    assert chosen("Answer: I", options) == "I"


@pytest.mark.parametrize(
    ("completion", "paid"),
    [
        ("<answer>C and A</answer>", 1.0),
        ("<answer>A, C</answer>", 1.0),
        ("<answer>AC</answer>", 1.0),
        ("<answer>A</answer>", 0.0),
        ("<answer>A, B, C</answer>", 0.0),
        ("<answer>A, B, C, D</answer>", 0.0),
        ("<answer>A and C, not B</answer>", 1.0),
        ('<answer>["A", "C"]</answer>', 1.0),
        ("<answer></answer>", 0.0),
        ("答案是A和C", 1.0),
        ("答案：AC", 1.0),
        ("The correct answers are A and C. B and D are wrong.", 1.0),
    ],
)
def test_exact_sets(completion: str, paid: float) -> None:
    gold = {**ABCD, "answer": ["A", "C"], "multi": "exact_set"}
    assert value(completion, gold) == paid


def test_labels_need_not_be_letters() -> None:
    digits = {"type": "choice", "options": ["1", "2", "3"]}
    assert chosen("Answer: 2", digits) == "2"
    assert chosen("Answer: 12", digits) == "-"
    assert chosen("<answer>1, 2</answer>", digits) == "-"
    words = {"type": "choice", "options": ["north", "south", "north-east"]}
    assert chosen("The arrow points north-east.", words) == "north-east"
    assert chosen("north", words) == "north"


@pytest.mark.parametrize(
    ("reference", "word"),
    [
        ({"answer": "E", "options": ["A", "B"]}, "none of the options"),
        ({"answer": "", "options": ["A", "B"]}, "empty"),
        ({"answer": None, "options": ["A", "B"]}, "empty"),
        ({"answer": [], "options": ["A", "B"]}, "empty"),
        ({"answer": "A"}, "no options"),
        ({"answer": "A", "options": []}, "no options"),
        ({"answer": "A", "options": "AB"}, "no options"),
        ({"answer": float("nan"), "options": ["A", "B"]}, "none of the options"),
        ({"answer": ["A", "Z"], "options": ["A", "B"], "multi": "exact_set"}, "none of the options"),
        ({"answer": ["A"], "options": ["A", "B"], "multi": "some"}, "multi"),
    ],
)
def test_bad_gold_is_unscorable(reference: dict[str, object], word: str) -> None:
    said = reason({"type": "choice", **reference}, "Answer: A")
    assert said.startswith("unscorable: ")
    assert word in said


def test_gold_may_be_given_as_lower_case_or_text() -> None:
    assert value("Answer: B", {**ABCD, "answer": "b"}) == 1.0
    assert value("Answer: B", {**PETS, "answer": "A dog lying on the rug"}) == 1.0


def test_evidence_and_strictness() -> None:
    completion = "<think>B?</think> <answer>C</answer>"
    score = judge(completion, {**ABCD, "answer": "C"}, answer_from="tag")
    assert score.evidence["gold"] == "C"
    start, end = score.evidence["span"]
    assert completion[start:end] == score.evidence["read"] == "C"
    assert score.metrics == {"strict": 1.0, "lenient": 1.0}


def test_lenient_finds_what_strict_does_not() -> None:
    score = judge("The answer is C.", {**ABCD, "answer": "C"}, answer_from="tag")
    assert score.value == 0.0
    assert score.metrics == {"strict": 0.0, "lenient": 1.0}
    assert "<answer>" in score.reason
