"""Cutting the reasoning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon_plugins.parsing.reasoning import outside_reasoning

PIECES = st.lists(
    st.sampled_from(["<think>", "</think>", "<reasoning>", "</reasoning>", "a", " ", "\n", "7", "<answer>"]),
    max_size=12,
)


@pytest.mark.parametrize(
    ("completion", "left", "cut_off"),
    [
        ("a", "a", False),
        ("<think>a</think>b", "b", False),
        ("a<think>b</think>c", "ac", False),
        ("a</think>b", "b", False),
        ("a<think>b", "a", True),
        ("<think>a<think>b</think>c</think>d", "d", False),
        ("<think>a</think>b<think>c</think>d", "bd", False),
        ("<think>a<reasoning>b</reasoning>c</think>d", "d", False),
        ("<think>a</reasoning>b", "", True),
        ("< think >a</ think >b", "b", False),
        ("<Think>a</THINK>b", "b", False),
    ],
)
def test_what_is_left(completion: str, left: str, *, cut_off: bool) -> None:
    visible = outside_reasoning(completion)
    assert "".join(visible.text.split()) == left
    assert visible.cut_off is cut_off


@given(PIECES)
def test_every_character_left_stands_where_it_stood(pieces: list[str]) -> None:
    completion = "".join(pieces)
    text = outside_reasoning(completion).text
    assert len(text) == len(completion)
    assert all(new == old or new.isspace() for new, old in zip(text, completion, strict=True))


@given(PIECES)
def test_no_tag_of_reasoning_is_left(pieces: list[str]) -> None:
    text = outside_reasoning("".join(pieces)).text
    assert "think>" not in text
    assert "reasoning>" not in text
