"""Tags, boxes, markers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon_plugins.parsing.boxed import MAX_BOX, last_box
from guerdon_plugins.parsing.location import Location, after_marker, locate
from guerdon_plugins.parsing.span import Span
from guerdon_plugins.parsing.tags import last_block


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("<a>1</a>", "1"),
        ("<a>1</a><a>2</a>", "2"),
        ("<a>1<a>2</a>", "2"),
        ("<a>1</a>2</a>", "1"),
        ("<a>1</a><a>2", "1"),
        ("</a><a>", None),
        ("<b>1</b>", None),
        ("<A> 1 </a >", " 1 "),
        ("<a></a>", ""),
    ],
)
def test_last_block(text: str, content: str | None) -> None:
    found = last_block(text, "a")
    assert (found.text if found else None if found is None else "") == content


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("\\boxed{1}", "1"),
        ("\\boxed {1}", "1"),
        ("\\boxed{\\frac{5}{8}}", "\\frac{5}{8}"),
        ("\\boxed{\\{1\\}}", "\\{1\\}"),
        ("\\boxed{1} \\boxed{2}", "2"),
        ("\\boxed{1} \\boxed{2", "1"),
        ("\\boxed{1 \\boxed{2}", "2"),
        ("\\boxed{\\boxed{2}}", "\\boxed{2}"),
        ("{ \\boxed{2}", "2"),
        ("} \\boxed{2}}", "2"),
        ("\\boxed{a}{b}", "a"),
        ("\\boxed{}", ""),
        ("\\boxed", None),
        ("\\boxed{", None),
        ("boxed{1}", None),
        ("\\boxed{" + "x" * (MAX_BOX + 1) + "}", None),
    ],
)
def test_last_box(text: str, content: str | None) -> None:
    found = last_box(text)
    assert (None if found is None else found.text) == content
    if found is not None:
        assert text[found.start : found.end] == found.text


@given(st.lists(st.sampled_from(["\\boxed{", "{", "}", "\\{", "\\}", "1", "\\"]), max_size=30))
def test_a_box_is_always_balanced(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = last_box(text)
    if found is None:
        return
    assert text[found.end] == "}"
    depth, escaped = 0, False
    for char in found.text:
        depth += 0 if escaped else (char == "{") - (char == "}")
        assert depth >= 0
        escaped = char == "\\" and not escaped
    assert depth == 0


@pytest.mark.parametrize(
    ("text", "content"),
    [("#### 7\n8", "7"), ("#### 7\n#### 8", "8"), ("####\n\n 7", "7"), ("7", None), ("####", ""), ("####   ", "")],
)
def test_after_marker(text: str, content: str | None) -> None:
    found = after_marker(text, "####")
    assert (None if found is None else found.text) == content


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from(["any", "tag", "boxed", "marker"]))
def test_places_are_true_positions(before: str, inner: str, where: str) -> None:
    completion = f"<think>{before}</think>\n<answer>{inner}</answer> \\boxed{{{inner}}} #### {inner}"
    location = Location(where, marker="####" if where == "marker" else "")
    place = locate(completion, location, folded=False).place
    if place is not None:
        assert completion[place.start : place.end] == place.text


def test_a_span_knows_where_its_pieces_stand() -> None:
    span = Span("  ab cd ", 10)
    assert span.strip() == Span("ab cd", 12)
    assert span.strip().part(3) == Span("cd", 15)
    assert span.tail(3) == Span("cd ", 15)
    assert span.end == 18
    assert not Span(" \n", 0)
    assert Span("x", 0)
