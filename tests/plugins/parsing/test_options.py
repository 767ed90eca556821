"""Mentions of options, and decisions between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon_plugins.parsing.choose import select
from guerdon_plugins.parsing.options import MAX_MENTIONS, Options, mentions
from guerdon_plugins.parsing.span import Span

LETTERS = Options(("A", "B", "C", "D"))
PETS = Options(("A", "B"), ("cat", "big cat"))


def named(text: str, options: Options = LETTERS) -> list[str]:
    return [mention.option for mention in mentions(Span(text, 0), options, declared=False)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A, B", ["A", "B"]),
        ("A dog", []),
        ("A is right", ["A"]),
        ("(a) or [b]", ["A", "B"]),
        ("a or b", []),
        ("option c", ["C"]),
        ("ABC", []),
        ("U.S.A.", []),
        ("D-day", []),
        ("T-shirt D", ["D"]),
        ("3-D", []),
        ("point B", []),
        ("A's", []),
        ("选B", ["B"]),
        ("A。B", ["A", "B"]),
    ],
)
def test_letters(text: str, found: list[str]) -> None:
    assert named(text) == found


def test_the_longest_text_wins() -> None:
    assert named("a big cat and a cat", PETS) == ["B", "A"]


def test_options_that_share_a_text_are_not_told_apart_by_it() -> None:
    twins = Options(("A", "B"), ("cat", "cat"))
    assert twins.label("cat") is None
    assert twins.label("a") == "A"


def test_a_text_full_of_mentions_chooses_nothing() -> None:
    assert not select(Span("(A) so (B) so " * MAX_MENTIONS, 0), LETTERS, declared=False).chosen


@given(
    st.lists(
        st.sampled_from(["A", "B", "not ", "or ", ", ", ". ", "because ", "wait, ", "Answer: ", "也", "(", ")"]),
        max_size=15,
    )
)
def test_only_existing_options_are_chosen(pieces: list[str]) -> None:
    text = "".join(pieces)
    for declared in (True, False):
        selection = select(Span(text, 0), LETTERS, declared=declared)
        assert selection.chosen <= {"A", "B"}
        if selection.span is not None:
            assert text[selection.span.start : selection.span.end] == selection.span.text
