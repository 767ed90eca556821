"""Short texts, open and from a closed list."""

import pytest
from correctness_judge import judge, reason, value

YES_NO = {"type": "exact", "choices": ["yes", "no"]}


def said(completion: str, reference: dict[str, object], **config: object) -> str:
    paid = [
        choice
        for choice in reference["choices"]  # type: ignore[attr-defined]
        if value(completion, {**reference, "answer": choice}, **config) == 1.0
    ]
    assert len(paid) <= 1
    return paid[0] if paid else "-"


@pytest.mark.parametrize(
    ("completion", "wanted"),
    [
        ("yes", "yes"),
        ("Yes.", "yes"),
        ("YES!", "yes"),
        ("No", "no"),
        ("Yes, there is a bicycle.", "yes"),
        ("Yes, there is no doubt.", "yes"),
        ("No, there is none.", "no"),
        ("The answer is yes.", "yes"),
        ("The answer is no, because it is red.", "no"),
        ("<answer>no</answer>", "no"),
        ("\\boxed{\\text{yes}}", "yes"),
        ("Answer: **No**", "no"),
        ("答案：no", "no"),
        ("Maybe; it is hard to tell whether a bicycle is there.", "-"),
        ("Yes and no.", "-"),
        ("yes/no", "-"),
        ("yes or no", "-"),
        ("Answer: yes, no", "-"),
        ("Answer: yes. Or maybe no.", "-"),
        ("I know nothing.", "-"),
        ("Yesterday it was there.", "-"),
        ("Nobody", "-"),
        ("", "-"),
        ("Yes. Wait, actually no.", "no"),
        ("The answer is yes. Hold on, the answer is no.", "no"),
        ("not yes", "-"),
    ],
)
def test_yes_and_no(completion: str, wanted: str) -> None:
    assert said(completion, YES_NO) == wanted


def test_chinese_choices() -> None:
    choices = {"type": "exact", "choices": ["是", "否"]}
    assert said("是", choices) == "是"
    assert said("答案：否", choices) == "否"
    assert said("<answer>否。</answer>", choices) == "否"


@pytest.mark.parametrize(
    ("completion", "paid"),
    [
        ("<answer>snow leopard</answer>", 1.0),
        ("<answer>Snow Leopard.</answer>", 1.0),
        ("<answer>  snow\n leopard </answer>", 1.0),
        ("<answer>“snow leopard”</answer>", 1.0),
        ("<answer>**snow leopard**</answer>", 1.0),
        ("<answer>\\text{snow leopard}</answer>", 1.0),
        ("<answer>ｓｎｏｗ　ｌｅｏｐａｒｄ</answer>", 1.0),
        ("<answer>snow\u200b leopard</answer>", 1.0),
        ("The answer is snow leopard.", 1.0),
        ("Answer: snow leopard", 1.0),
        ("答案是snow leopard。", 1.0),
        ("snow leopard", 1.0),
        ("\\boxed{snow leopard}", 1.0),
        ("<answer></answer>", 0.0),
        ("<answer> </answer>", 0.0),
        ("<answer>.</answer>", 0.0),
        ("<answer>leopard</answer>", 0.0),
        ("<answer>snow</answer>", 0.0),
        ("<answer>not a snow leopard</answer>", 0.0),
        ("<answer>a snow leopard or a lynx</answer>", 0.0),
        ("<answer>snow leopard, lynx, tiger</answer>", 0.0),
        ("<answer>snow leopards</answer>", 0.0),
        ("", 0.0),
        ("<think>snow leopard</think>", 0.0),
        ("<think>snow leopard", 0.0),
        ("snow leopard</think>", 0.0),
        ("<answer>snow leopard</answer> No: <answer>lynx</answer>", 0.0),
    ],
)
def test_open_texts(completion: str, paid: float) -> None:
    assert value(completion, {"type": "exact", "answer": "snow leopard"}) == paid


def test_antonym_is_not_near_enough() -> None:
    assert value("<answer>Impossible</answer>", {"type": "exact", "answer": "Possible"}, answer_from="tag") == 0.0


@pytest.mark.parametrize(
    ("folds", "completion", "paid"),
    [
        (["case", "edge_punctuation"], "Closed.", 1.0),
        (["case"], "Closed.", 0.0),
        (["edge_punctuation"], "Closed.", 0.0),
        ([], "closed", 1.0),
        ([], "Closed", 0.0),
        (["nfkc"], "ｃｌｏｓｅｄ", 1.0),
        (["case", "spaces"], "ｃｌｏｓｅｄ", 0.0),
    ],
)
def test_only_the_named_folds_apply(folds: list[str], completion: str, paid: float) -> None:
    gold = {"type": "exact", "answer": "closed"}
    assert value(f"<answer>{completion}</answer>", gold, answer_from="tag", normalise=folds) == paid


@pytest.mark.parametrize(
    ("gold", "other"), [("-5", "5"), ("C++", "C"), ("50%", "50"), ("$5", "5"), ("A1", "A 1"), ("#3", "3")]
)
def test_signs_that_carry_meaning_stay(gold: str, other: str) -> None:
    assert value(f"<answer>{other}</answer>", {"type": "exact", "answer": gold}) == 0.0
    assert value(f"<answer>{gold}</answer>", {"type": "exact", "answer": gold}) == 1.0


def test_any_of_several_golds() -> None:
    gold = {"type": "exact", "answer": ["colour", "color"]}
    assert value("<answer>Color</answer>", gold) == 1.0
    assert value("<answer>collar</answer>", gold) == 0.0
    assert value("<answer>colour color</answer>", gold) == 0.0


def test_numbers_are_texts_here() -> None:
    assert value("<answer>42</answer>", {"type": "exact", "answer": 42}) == 1.0
    assert value("<answer>420</answer>", {"type": "exact", "answer": 42}) == 0.0


@pytest.mark.parametrize(
    "gold",
    [
        {"answer": ""},
        {"answer": "  "},
        {"answer": "."},
        {"answer": None},
        {},
        {"answer": []},
        {"answer": [""]},
        {"answer": ["x", ""]},
        {"answer": float("nan")},
        {"answer": True},
        {"answer": {"a": 1}},
        {"answer": "maybe", "choices": ["yes", "no"]},
        {"answer": "yes", "choices": []},
        {"answer": "yes", "choices": "yes"},
    ],
)
def test_bad_gold_is_unscorable(gold: dict[str, object]) -> None:
    assert reason({"type": "exact", **gold}, "yes").startswith("unscorable: ")
    assert reason({"type": "exact", **gold}, "").startswith("unscorable: ")


def test_lone_surrogates_are_wrong_and_do_not_raise() -> None:
    assert value("<answer>cat \ud83d</answer>", {"type": "exact", "answer": "cat"}) == 0.0
    assert value("<answer>cat</answer>\ud83d", {"type": "exact", "answer": "cat"}) == 1.0


def test_strict_needs_the_answer_alone() -> None:
    gold = {"type": "exact", "answer": "cat"}
    assert judge("<answer>cat</answer>", gold, answer_from="tag").metrics == {"strict": 1.0, "lenient": 1.0}
    assert judge("The answer is cat.", gold).metrics == {"strict": 0.0, "lenient": 1.0}
