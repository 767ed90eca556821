import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon_plugins.parsing.visible import canonical, count_words, kinds, unit_spans, units, visible, without_blanks


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (" \t\n\u00a0\u3000", "     "),
        ("\u200b\u200d\u2060\ufeff\u00ad\x00\x1f", "       "),
        ("\u3164\u115f\uffa0\u2800", "    "),
        ("\ud800\ufffd", "  "),
        ("aé9½Я", "wwwww"),
        ("猫ねこก", "cccc"),
        ("한", "w"),
        (".…。·", "dddd"),
        ("_", "u"),
        ("+$😀", "sss"),
        ("\u0301\u20dd\ufe0f", "xxx"),
        ("ि", "m"),
    ],
)
def test_kinds_of_characters(text, kind):
    assert kinds(text) == kind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  ", []),
        ("The cat's 3.5 m", ["the", "cat", "'", "s", "3", ".", "5", "m"]),
        ("snake_case _x", ["snake_case", "_x"]),
        ("灰色的猫", ["灰", "色", "的", "猫"]),
        ("a猫b", ["a", "猫", "b"]),
        ("ＲＥＡＬＬＹ", ["really"]),
        ("really\u200breally", ["really", "really"]),
        ("cafe\u0301 café", ["cafe", "café"]),
        ("re\u0336al\u0336ly", ["really"]),
        ("한국 사람", ["한국", "사람"]),
        ("हिन्दी", ["हिन्दी"]),
        ("ß ẞ", ["ss", "ss"]),
        ("\ufdfa", ["\ufdfa"]),
        ("😀😀", ["😀", "😀"]),
        ("好。", ["好", "。"]),
    ],
)
def test_units(text, expected):
    assert units(text) == expected
    assert len(list(unit_spans(text))) == len(expected)


@given(st.text())
def test_units_and_their_places_agree_for_any_text(text):
    spans = list(unit_spans(text))
    assert len(spans) == len(units(text))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert len(kinds(text)) == len(text)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_fast_path_for_ascii_agrees_with_the_general_one(text):
    general = [unit for unit in units(text + "é") if unit != "é"]
    assert re.sub("é", "", "".join(general)) == "".join(units(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("...", 0),
        ("one two", 2),
        ("<b>one</b>", 1),
        ("&nbsp;", 0),
        ("3.5", 2),
        ("灰色的猫", 4),
        ("a-b", 2),
        ("+", 0),
    ],
)
def test_counts_words(text, words):
    assert count_words(text) == words


def test_what_cannot_be_seen_goes():
    assert visible("a\u200bb c\x00") == "ab c"
    assert visible("plain text\n") == "plain text\n"
    assert without_blanks(" a\u200b b\n\u3164") == "ab"


@pytest.mark.parametrize(
    "text", ["brown", " Brown. ", "ＢＲＯＷＮ", "br\u200bown", "**brown**", "brown!", "\u00a0brown\u3000", '"brown"']
)
def test_trivial_changes_leave_a_copy_a_copy(text):
    assert canonical(text) == "brown"
