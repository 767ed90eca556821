"""Flattening LaTeX without moving a character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon_plugins.parsing.latex import flatten, unfill

PIECES = st.lists(
    st.sampled_from(
        [
            "\\text{",
            "\\frac{",
            "}",
            "{",
            "\\$",
            "\\,",
            "\\times ",
            "^{\\circ}",
            "^\\circ",
            "{,}",
            "1",
            " ",
            "\\",
            "\\left(",
            "~",
        ]
    ),
    max_size=20,
)


@given(PIECES)
def test_length_is_kept(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert len(flatten(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\\text{48}", " 48"),
        ("\\textbf{\\text{48}}", "  48"),
        ("\\$318", "$318"),
        ("36\\%", "36%"),
        ("48{,}210", "48,210"),
        ("3 \\times 4", "3 × 4"),
        ("25^\\circ", "25°"),
        ("25^{\\circ}", "25°"),
        ("\\dfrac{1}{2}", "\\frac{1}{2}"),
        ("\\left(1\\right)", "(1)"),
        ("\\{1\\}", "\\{1\\}"),
        ("plain", "plain"),
    ],
)
def test_what_becomes_plain(text: str, plain: str) -> None:
    assert unfill(flatten(text)) == plain


def test_braces_that_mean_something_stay() -> None:
    assert unfill(flatten("\\frac{\\text{1}}{2}")) == "\\frac{ 1}{2}"
