"""Explicit declarations."""

import pytest

from guerdon_plugins.parsing.declare import declarations, last_declaration
from guerdon_plugins.parsing.span import Span


def declared(text: str) -> str | None:
    found = last_declaration(Span(text, 0))
    return found.payload.text if found else None


@pytest.mark.parametrize(
    ("text", "payload"),
    [
        ("The answer is 7.", "7."),
        ("The final answer is: 7", "7"),
        ("Answer: 7\nMore.", "7"),
        ("**Answer:** 7", "** 7"),
        ("**Answer**: 7", "7"),
        ("ANSWER = 7", "7"),
        ("Answer:\n\n7", "7"),
        ("Result -> 7", "7"),
        ("I choose B.", "B."),
        ("So I'd go with B", "B"),
        ("答案是7。", "7。"),
        ("正确答案应为:B", "B"),
        ("故选B。", "B。"),
        ("#### 7", "7"),
        ("<answer>7</answer>", "7"),
        ("\\boxed{7}", "7"),
        ("The answer is 6. The answer is 7.", "7."),
        ("<answer>6</answer> Answer: 7", "7"),
        ("Answer: 6 <answer>7</answer>", "7"),
        ("I answered quickly.", None),
        ("Answers vary.", None),
        ("选项A不对", None),
        ("", None),
        ("Answer:", None),
    ],
)
def test_what_is_declared_last(text: str, payload: str | None) -> None:
    assert declared(text) == payload


def test_later_declarations_come_first() -> None:
    found = [item.payload.text for item in declarations(Span("Answer: 1\nAnswer: 2\n\\boxed{3}", 0))]
    assert found == ["3", "2", "1"]


def test_following_sentences_are_kept() -> None:
    found = last_declaration(Span("Answer: 1. Wait, it is 2. Yes.", 0))
    assert found is not None
    assert [sentence.text.strip() for sentence in found.following] == ["Wait, it is 2.", "Yes."]


def test_positions_are_those_of_the_text() -> None:
    span = Span("xx The answer is 42.", 100)
    found = last_declaration(span)
    assert found is not None
    assert (found.payload.start, found.payload.text) == (117, "42.")
