import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from guerdon import Sample
from guerdon_plugins.format import Format


def value(completion, *rules, **config):
    return Format(format="rules", rules=rules, **config).score(Sample("s", completion)).value


def exist(*words):
    return {"id": "keywords:exist", "keywords": list(words)}


def forbid(*words):
    return {"id": "keywords:forbid", "keywords": list(words)}


@pytest.mark.parametrize(
    ("completion", "words", "expected"),
    [
        ("A red kite flies over the beach.", ["kite", "beach"], 1),
        ("A red kite flies.", ["kite", "beach"], 0),
        ("KITE; Beach", ["kite", "beach"], 1),
        ("ｋｉｔｅ", ["kite"], 1),
        ("ki\u200bte", ["kite"], 1),
        ("kitesurfing", ["kite"], 0),
        ("a party", ["art"], 0),
        ("state of the art", ["art"], 1),
        ("re-art", ["art"], 1),
        ("art_1", ["art"], 0),
        ("图中有一只灰色的猫。", ["猫", "灰色"], 1),
        ("图中有一只狗。", ["猫"], 0),
        ("the cat猫 sat", ["cat"], 1),
        ("C++ and C#", ["C++", "C#"], 1),
        ("red kite", ["red kite"], 1),
        ("kite red", ["red kite"], 0),
        ("", ["kite"], 0),
        ("<think>kite</think> plane", ["kite"], 0),
        ("<think>hm</think> kite", ["kite"], 1),
        ("<think>kite", ["kite"], 0),
        ("50% off", ["50%"], 1),
        ("150% off", ["50%"], 0),
    ],
)
def test_keywords_exist(completion, words, expected):
    assert value(completion, exist(*words)) == expected


@pytest.mark.parametrize(
    ("completion", "words", "expected"),
    [
        ("a plane", ["kite"], 1),
        ("a kite", ["kite"], 0),
        ("a KITE", ["kite"], 0),
        ("kitesurfing", ["kite"], 1),
        ("k\u200bite", ["kite"], 0),
        ("", ["kite"], 0),
        ("...", ["kite"], 0),
    ],
)
def test_keywords_forbidden(completion, words, expected):
    assert value(completion, forbid(*words)) == expected


@pytest.mark.parametrize(
    ("rule", "completion", "expected"),
    [
        ({"id": "count:words", "minimum": 2, "maximum": 3}, "one", 0),
        ({"id": "count:words", "minimum": 2, "maximum": 3}, "one, two!", 1),
        ({"id": "count:words", "minimum": 2, "maximum": 3}, "one two three four", 0),
        ({"id": "count:words", "minimum": 4}, "灰色的猫", 1),
        ({"id": "count:words", "minimum": 4}, "! ? . ,", 0),
        ({"id": "count:words", "maximum": 3}, "", 0),
        ({"id": "count:sentences", "maximum": 2}, "It is 3.5 m long. That is all.", 1),
        ({"id": "count:sentences", "maximum": 2}, "One. Two! Three?", 0),
        ({"id": "count:sentences", "minimum": 2}, "第一。第二！", 1),
        ({"id": "count:sentences", "minimum": 2}, "Wait... ... ...", 0),
        ({"id": "count:paragraphs", "minimum": 2}, "One.\n \nTwo.", 1),
        ({"id": "count:paragraphs", "minimum": 2}, "One.\nTwo.", 0),
        ({"id": "count:paragraphs", "minimum": 2}, "One.\n\n\u200b\n\n", 0),
        ({"id": "count:bullets", "minimum": 2}, "- one\n- two", 1),
        ({"id": "count:bullets", "minimum": 2}, "1. one\n2) two", 1),
        ({"id": "count:bullets", "minimum": 2}, "-\n-\n- ", 0),
        ({"id": "count:bullets", "maximum": 0}, "no list", 1),
        ({"id": "count:bullets", "maximum": 0}, "", 0),
        ({"id": "text:starts", "text": "Dear"}, "Dear reader", 1),
        ({"id": "text:starts", "text": "Dear"}, "Dear", 0),
        ({"id": "text:starts", "text": "Dear"}, "My Dear reader", 0),
        ({"id": "text:starts", "text": "Dear"}, "<think>a</think>\n\nDear reader", 1),
        ({"id": "text:ends", "text": "Regards"}, "Hello. Regards\n", 1),
        ({"id": "text:ends", "text": "Regards"}, "Regards", 0),
        ({"id": "text:ends", "text": "Regards"}, "Regards, all", 0),
    ],
)
def test_counts_and_ends(rule, completion, expected):
    assert value(completion, rule) == expected


def test_all_rules_must_hold_and_partial_counts_them():
    rules = [exist("kite"), exist("beach"), {"id": "count:words", "maximum": 3}]
    assert value("kite beach", *rules) == 1.0
    assert value("kite", *rules) == 0.0
    assert value("kite", *rules, partial=True) == pytest.approx(2 / 3)
    assert value("", *rules, partial=True) == 0.0


def test_names_the_broken_rule():
    found = Format(format="rules", rules=[exist("kite"), exist("beach", "sea")]).score(Sample("s", "kite"))
    assert found.reason == "keywords:exist[1]: missing: beach, sea"
    assert found.evidence["parts"] == {"keywords:exist[0]": True, "keywords:exist[1]": False}


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"id": "keywords:no_such_rule", "value": 3}, "does not match any of the expected tags: 'keywords:exist'"),
        ({"id": "keywords:existence", "keywords": ["a"]}, "does not match any of the expected tags"),
        ({"id": "Keywords:Exist", "keywords": ["a"]}, "does not match any of the expected tags"),
        ({"keywords": ["a"]}, "id"),
        ({"id": "keywords:exist"}, r"rules\.0\.keywords:exist\.keywords"),
        ({"id": "keywords:exist", "keyword": ["a"]}, r"rules\.0\.keywords:exist\.keyword"),
        ({"id": "keywords:exist", "keywords": []}, "at least 1 item"),
        ({"id": "keywords:exist", "keywords": "kite"}, "valid tuple"),
        ({"id": "keywords:exist", "keywords": [""]}, "occurs in every text"),
        ({"id": "keywords:exist", "keywords": ["\u200b "]}, "occurs in every text"),
        ({"id": "keywords:exist", "keywords": [3]}, "valid string"),
        ({"id": "keywords:exist", "keywords": ["a"], "value": 3}, r"rules\.0\.keywords:exist\.value"),
        ({"id": "count:words"}, "give minimum, maximum or both"),
        ({"id": "count:words", "minimum": 3, "maximum": 2}, "exceeds"),
        ({"id": "count:words", "minimum": -1}, "greater than or equal to 0"),
        ({"id": "count:words", "minimum": "3"}, "valid integer"),
        ({"id": "count:words", "minimum": True}, "valid integer"),
        ({"id": "count:words", "min": 3}, r"rules\.0\.count:words\.min"),
        ({"id": "text:starts"}, r"rules\.0\.text:starts\.text"),
        ("keywords:exist", "rules.0"),
    ],
)
def test_unknown_rules_and_arguments_are_refused(rule, message):
    with pytest.raises(ValidationError, match=message):
        Format(format="rules", rules=[rule])


@pytest.mark.parametrize("rules", [None, [], [exist("a")] * 51])
def test_no_rules_or_too_many_are_refused(rules):
    with pytest.raises(ValidationError, match="rules"):
        Format(format="rules", rules=rules)


@given(st.text(max_size=200))
def test_any_text_is_judged_without_an_exception(text):
    rules = [exist("a"), forbid("b")] + [
        {"id": f"count:{what}", "minimum": 1} for what in ("words", "sentences", "paragraphs", "bullets")
    ]
    assert 0.0 <= value(text, *rules, partial=True) <= 1.0
