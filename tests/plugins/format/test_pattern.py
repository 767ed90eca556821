import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Sample
from guerdon_plugins.format import Format

R1 = r"(?s)<think>\n.*?\n</think>\n<answer>\n.*?\n</answer>"


def value(pattern, completion, **config):
    return Format(format="pattern", pattern=pattern, **config).score(Sample("s", completion)).value


@pytest.mark.parametrize(
    ("pattern", "completion", "whole", "anywhere"),
    [
        (R1, "<think>\na\n</think>\n<answer>\nb\n</answer>", 1, 1),
        (R1, "<think>\na\n</think>\n<answer>\nb\n</answer> ", 0, 1),
        (R1, "<think>\n" * 20_000, 0, 0),
        ("[A-D]", "B", 1, 1),
        ("[A-D]", "B\n", 0, 1),
        ("[A-D]", "b", 0, 0),
        ("(?i)[A-D]", "b", 1, 1),
        (r"答案是\p{Lu}", "答案是B", 1, 1),
        (".", "\ud800", 1, 1),
        ("a", "", 0, 0),
    ],
)
def test_pattern(pattern, completion, whole, anywhere):
    assert value(pattern, completion) == whole
    assert value(pattern, completion, strict=False) == anywhere


def test_the_pattern_sees_prefill_and_reasoning_and_not_what_follows_an_end_token():
    assert value("<think>a</think>b", "a</think>b<|im_end|>c", prefill="<think>", special_tokens=["<|im_end|>"]) == 1.0


def test_a_pattern_is_never_matched_against_the_prompt():
    prompt = [{"role": "user", "content": "B"}]
    assert Format(format="pattern", pattern="B").score(Sample("s", "C", prompt=prompt)).value == 0.0


@given(st.text())
def test_any_text_is_matched_without_an_exception(text):
    assert value(r"(a+)+|\w*", text) in (0.0, 1.0)
