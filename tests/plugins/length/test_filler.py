import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Sample
from guerdon_plugins.length import Length
from guerdon_plugins.length.filler import INTERJECTIONS, PHRASES, find_filler


def score(completion, **config):
    return Length(component="filler", **config).score(Sample("s", completion))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Sure! The bar is tall.", ["Sure!"]),
        ("Sure, okay, wait... The bar is tall.", ["Sure, okay, wait..."]),
        ("It is tall. Hmm, let me think step by step.", ["Hmm,", "let me think step by step"]),
        ("I hope this helps!", ["I hope this helps"]),
        ("As an AI language model, I see a bar.", ["As an AI language model"]),
        (
            "It's important to note that it’s important to note that",
            ["It's important to note that", "it’s important to note that"],
        ),
        ("LET ME DOUBLE-CHECK", ["LET ME DOUBLE-CHECK"]),
        ("好的，图中有一只猫。希望这对你有帮助", ["好的，", "希望这对你有帮助"]),
        ("People wait for the bus.", []),
        ("I am sure that it is okay.", []),
        ("The sign reads OK", []),
        ("the surest way", []),
        ("他当然是对的", []),
        ("a great questionnaire", []),
        ("The bar is tall.", []),
        ("", []),
    ],
)
def test_finds_stock_phrases(text, found):
    assert [text[span.start : span.end] for span in find_filler(text)] == found


def test_pays_for_their_share_of_the_words():
    assert score("Great question").value == -1.0
    assert score("Great question the bar").value == pytest.approx(-0.5)
    assert score("The bar is tall.").value == 0.0
    assert score("").value == 0.0
    assert score("...").value == 0.0


def test_shows_them():
    found = score("Sure! The bar is tall.")
    assert found.reason == "1 stock phrases: 2 of 7 words"
    assert found.evidence == {"findings": [{"fault": "stock phrase", "span": [0, 5]}]}


def test_a_team_can_add_phrases():
    assert score("Per my last email, it is tall.", phrases=["per my last email"]).value < 0.0
    assert score("Per my last emails, it is tall.", phrases=["per my last email"]).value == 0.0
    assert score("综上它很高", phrases=["综上"]).value < 0.0
    assert score("a.b+", phrases=["a.b+"]).value == -1.0
    assert score("axb+", phrases=["a.b+"]).value == 0.0


@pytest.mark.parametrize("phrase", PHRASES)
def test_every_phrase_is_found_however_it_is_written(phrase):
    assert [span.text for span in find_filler(phrase.upper())] == [phrase.upper()]


@pytest.mark.parametrize("word", INTERJECTIONS)
def test_every_interjection_is_found_at_the_start_of_a_sentence_only(word):
    assert [span.text.strip() for span in find_filler(f"{word}, it is.")] == [f"{word},"]
    assert find_filler(f"it is {word} for me") == []


def test_no_phrase_holds_another_one_twice():
    assert len(set(PHRASES)) == len(PHRASES)
    assert all(phrase == phrase.casefold() for phrase in (*PHRASES, *INTERJECTIONS))


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["sure", ", ", "wait", "! ", "好的", "，", "\n"]), max_size=12).map("".join)
)
def test_any_text_is_judged_within_the_range(text):
    found = score(text)
    assert -1.0 <= found.value <= 0.0
    assert all(0 <= start < end <= len(text) for start, end in (f["span"] for f in found.evidence["findings"]))
