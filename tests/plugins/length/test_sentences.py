import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Sample
from guerdon_plugins.length import Length
from guerdon_plugins.length.sentences import MAX_SENTENCES, find_duplicates, split_sentences


def score(completion):
    return Length(component="duplicates").score(Sample("s", completion))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One", "Two", "Three"]),
        ("It is 3.5 m. So e.g. this", ["It is 3.5 m", "So e.g", "this"]),
        ("第一。第二！第三", ["第一", "第二", "第三"]),
        ("a\nb\n\nc", ["a", "b", "c"]),
        ("Wait... what?! Yes", ["Wait", "what", "Yes"]),
        ("", []),
        (" \n . \n", []),
        ("....x....", ["....x"]),
    ],
)
def test_splits_sentences(text, sentences):
    spans = list(split_sentences(text))
    assert [span.text for span in spans] == sentences
    assert all(text[span.start : span.end] == span.text for span in spans)


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("The bar is tall. The bar is wide.", 0),
        ("The bar is tall. The bar is tall.", 1),
        ("The bar is tall. the  BAR is tall!", 1),
        ("The bar is tall.\nThe bar is tall\nThe bar is tall", 2),
        ("1. The bar is tall.\n2. The bar is tall.\n3) The bar is tall.", 2),
        ("Step 1: look at the bar. Step 2: look at the bar.", 1),
        ("- look at it now\n* look at it now", 1),
        ("图中有一只猫。图中有一只猫。", 1),
        ("第1步：看图中的猫。第2步：看图中的猫。", 1),
        ("The b\u200bar is tall. The b ar is tall.", 1),
        ("The value is 5. The value is 6.", 0),
        ("No. No. No.", 0),
        ('{"label": "cup"},\n{"label": "cup"},', 0),
        ("1 2 3 4.\n1 2 3 4.", 0),
    ],
)
def test_finds_sentences_that_stood_before(text, again):
    assert len(find_duplicates(text).again) == again


def test_pays_for_the_share_of_words_that_repeat():
    assert score("The bar is tall. The bar is tall.").value == pytest.approx(-0.5)
    assert score("The bar is tall. " * 10).value == pytest.approx(-0.9)
    assert score("The bar is tall. The bar is wide.").value == 0.0
    assert score("").value == 0.0


def test_shows_the_repeated_sentences():
    text = "The bar is tall. It is. The bar is tall. The bar is tall."
    found = score(text)
    assert [text[slice(*finding["span"])] for finding in found.evidence["findings"]] == ["The bar is tall"] * 2
    assert found.reason == "2 sentences again: 8 of 14 words"
    assert len(score("The bar is tall. " * 500).evidence["findings"]) == 20


def test_the_text_after_very_many_sentences_is_not_read():
    assert len(find_duplicates("It is so. " * (MAX_SENTENCES + 9)).again) == MAX_SENTENCES - 1


@given(
    st.lists(
        st.sampled_from(["The bar is tall", ". ", "\n", "1. ", "…", "。", "猫猫猫", "\ud800", "!"]), max_size=15
    ).map("".join)
)
def test_any_text_is_judged_within_the_range(text):
    found = find_duplicates(text)
    assert 0 <= found.repeated <= found.units
    assert -1.0 <= score(text).value <= 0.0
