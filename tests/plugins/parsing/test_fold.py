"""Folding keeps positions."""

from hypothesis import given
from hypothesis import strategies as st

from guerdon_plugins.parsing.fold import fold


@given(st.text())
def test_length_is_kept(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_untouched(text: str) -> None:
    assert fold(text) == text


@given(st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_look_alikes_become_plain() -> None:
    assert fold("ＡＢ：４２（Ⓒ）𝐃−") == "AB:42(C)D-"


def test_superscripts_and_fractions_keep_their_meaning() -> None:
    assert fold("10²½") == "10²½"
