from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Sample
from guerdon_plugins.format import Format
from guerdon_plugins.format.boxed_form import find_boxes
from guerdon_plugins.parsing.boxed import last_box


def value(completion, **config):
    return Format(format="boxed", **config).score(Sample("s", completion)).value


@pytest.mark.parametrize(
    ("completion", "loose", "strict"),
    [
        ("so \\boxed{12}", 1, 1),
        ("$\\boxed{\\frac{1}{2}}$", 1, 1),
        ("\\boxed{\\{1, 2\\}}", 1, 1),
        ("\\boxed {7}", 1, 1),
        ("\\fbox{7}", 1, 1),
        ("\\boxed{\\boxed{7}}", 1, 1),
        ("\\boxed{猫}", 1, 1),
        ("\\boxed{x} then \\boxed{y}", 1, 0),
        ("\\boxed{} then \\boxed{y}", 1, 0),
        ("\\boxed{x} then \\boxed{y", 1, 0),
        ("{ stray \\boxed{x}", 1, 1),
        ("stray } \\boxed{x}", 1, 1),
        ("<think>hm</think> \\boxed{5}", 1, 1),
        ("hm</think> \\boxed{5}", 1, 1),
        ("<think>\\boxed{4}</think> \\boxed{5}", 1, 1),
        ("", 0, 0),
        ("The answer is 7.", 0, 0),
        ("\\boxed{12", 0, 0),
        ("\\boxed{\\frac{1}{2}", 0, 0),
        ("\\boxed{\\}", 0, 0),
        ("\\boxed 5", 0, 0),
        ("boxed{5}", 0, 0),
        ("\\\\boxed{5}", 0, 0),
        ("\\boxed{}", 0, 0),
        ("\\boxed{ }", 0, 0),
        ("\\boxed{\\text{}}", 0, 0),
        ("\\boxed{\\,~\\quad}", 0, 0),
        ("\\boxed{\\phantom{5}}", 0, 0),
        ("\\boxed{{}}", 0, 0),
        ("\\boxed{...}", 0, 0),
        ("\\boxed{\u200b}", 0, 0),
        ("\\boxed{x} \\boxed{}", 0, 0),
        ("\\boxed{}" * 40, 0, 0),
        ("<think>\\boxed{5}</think>", 0, 0),
        ("<think>\\boxed{5}", 0, 0),
        ("\\boxed{5}</think>", 0, 0),
    ],
)
def test_boxed(completion, loose, strict):
    assert value(completion) == loose
    assert value(completion, strict=True) == strict


def test_a_box_can_have_a_form_of_its_own():
    config = {"answer_format": {"format": "pattern", "pattern": r"-?\d+"}}
    assert value("\\boxed{-12}", **config) == 1.0
    assert value("\\boxed{twelve}", **config) == 0.0
    assert value("none", **config) == 0.0


def test_says_where_it_is_wrong():
    completion = "first \\boxed{x}, last \\boxed{ }"
    found = Format(format="boxed").score(Sample("s", completion))
    assert found.reason == "boxed: an empty box"
    assert completion[slice(*found.evidence["findings"][0]["span"])] == " "
    assert Format(format="boxed").score(Sample("s", "\\boxed{1")).reason == "boxed: a box that is never closed"


@given(st.lists(st.sampled_from(["\\boxed{", "{", "}", "\\", "\\{", "x", " ", "\\fbox{"]), max_size=20).map("".join))
def test_boxes_are_balanced_and_apart_in_any_text(text):
    boxes, unclosed = find_boxes(text)
    assert all(a.end < b.start for a, b in pairwise(boxes))
    assert all(text[box.start : box.end] == box.text and text[box.end] == "}" for box in boxes)
    assert all(find_boxes("\\boxed{" + box.text + "}")[0][0].text == box.text for box in boxes)
    assert not unclosed or "{" in text


@pytest.mark.parametrize(
    "text", ["so \\boxed{\\frac{1}{2}}.", "\\boxed{1} or \\boxed{\\{2\\}}", "none", "\\boxed{1", "\\boxed{\\boxed{7}}"]
)
def test_finds_the_box_that_correctness_reads(text):
    boxes, _ = find_boxes(text)
    assert (boxes[-1] if boxes else None) == last_box(text)
