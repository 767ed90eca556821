"""Counts in digits and words, English and Chinese."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Abstain, Sample
from guerdon_plugins.grounding import Grounding
from guerdon_plugins.grounding.numerals import numbers_in, says_none


def value(completion, answer, **config):
    return Grounding(**config).score(Sample("g/0", completion, reference={"type": "count", "answer": answer})).value


@pytest.mark.parametrize(
    ("completion", "answer"),
    [
        ("3", 3),
        ("**3**", 3),
        ("３", 3),
        ("3.0", 3),
        ("three", 3),
        ("Three.", 3),
        ("twenty-one", 21),
        ("Twenty one", 21),
        ("one hundred and five", 105),
        ("1,234", 1234),
        ("a dozen eggs", 12),
        ("half a dozen", 6),
        ("a pair of shoes", 2),
        ("There is a single dog.", 1),
        ("<answer>three</answer>", 3),
        (r"\boxed{3}", 3),
        ("There are three cats, that is 3.", 3),
        ("<think>I see 4</think>3", 3),
        ("The answer is 3. I first thought 4.", 3),
        ("Let me count: 1, 2, 3. So the answer is 3.", 3),
        ("3 + 4 = 7", 7),
        ("3 cats and 4 dogs, 7 in total", 7),
        ("A total of 7: 3 cats and 4 dogs", 7),
        ("Altogether I see 9 shapes.\n1. Rings: 2\n2. Cones: 3 (1 of them tall)\n3. Dice: 4", 9),
        ("1. a\n2. b\nThe count is 2", 2),
        ("One of them is red; there are 5.", 5),
        ("There are no cats.", 0),
        ("None", 0),
        ("zero", 0),
        ("没有猫", 0),
        ("图中有三只猫", 3),
        ("两只", 2),
        ("三", 3),
        ("共3个", 3),
        ("答案:十二", 12),
        ("答案是5", 5),
        ("图中有两个三角形", 2),
        ("一共有九个图形:圆形2个,三角形3个,正方形4个。", 9),
    ],
)
def test_a_stated_count(completion, answer):
    assert value(completion, answer) == 1.0
    assert value(completion, answer + 1) == 0.0


@pytest.mark.parametrize(
    "completion", ["", "I don't know", "3.5", "-3", "3%", "2-3", "<think>3", "3rd", "There are 3 red and 4 blue ones."]
)
def test_no_count_is_stated(completion):
    assert value(completion, 3) == 0.0


def test_places():
    assert value("4 <answer>3</answer>", 3, answer_from="tag") == 1.0
    assert value("3", 3, answer_from="tag") == 0.0
    assert value("Count: 3\nof 10", 3, answer_from="marker", marker="Count:") == 1.0
    assert value("<think>3</think>10", 3, read_from="tag", tag="think") == 1.0


@pytest.mark.parametrize("bad", [None, "", "three", -1, 2.5, float("nan"), float("inf"), True, [3]])
def test_a_bad_reference_is_unscorable(bad):
    verdict = Grounding().score(Sample("g/0", "3", reference={"type": "count", "answer": bad}))
    assert isinstance(verdict, Abstain)


@pytest.mark.parametrize("good", [3, "3", 3.0])
def test_a_good_reference(good):
    assert value("3", good) == 1.0


def test_the_error_is_a_metric_and_the_span_is_evidence():
    score = Grounding().score(Sample("g/0", "I see 5 cups", reference={"type": "count", "answer": 3}))
    assert score.metrics["count_error"] == 2
    assert score.evidence["span"] == [6, 7]
    assert score.evidence["predicted"] == 5


@given(st.integers(0, 10**9))
def test_every_number_in_digits(number):
    assert value(str(number), number) == value(f"{number:,}", number) == 1.0


@given(st.text())
def test_any_text(text):
    says_none(text)
    assert all(0 <= number.start < number.end <= len(text) for number in numbers_in(text))
    assert value(text, 3) in (0.0, 1.0)
