"""Objects of named values."""

import json

import pytest
from correctness_judge import judge, reason, value

INVOICE = {"vendor": "Northwind Ltd", "po": None, "total": 12.5, "paid": False, "items": [{"name": "cup", "count": 0}]}
GOLD = {"type": "fields", "answer": INVOICE}


def share(answer: object, gold: object = INVOICE, **config: object) -> float:
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return value(f"<answer>{text}</answer>", {"type": "fields", "answer": gold}, answer_from="tag", **config)


def test_everything_right() -> None:
    assert share(INVOICE) == 1.0


def test_share_of_populated_values_nested_ones_too() -> None:
    assert share({"vendor": "Northwind Ltd"}) == pytest.approx(1 / 5)
    assert share({**INVOICE, "items": [{"name": "cup", "count": 1}]}) == pytest.approx(4 / 5)
    assert share({**INVOICE, "items": []}) == pytest.approx(3 / 5)


@pytest.mark.parametrize("empty", [None, "", "  ", [], {}])
def test_empty_on_both_sides_does_not_count(empty: object) -> None:
    gold = {"vendor": "Northwind Ltd", "po": empty}
    assert share({"vendor": "Northwind Ltd", "po": empty}, gold) == 1.0
    assert share({"vendor": None, "po": empty}, gold) == 0.0
    assert share({"vendor": "Northwind Ltd"}, gold) == 1.0


def test_zero_and_false_are_values() -> None:
    assert share({"n": 0}, {"n": 0}) == 1.0
    assert share({"n": None}, {"n": 0}) == 0.0
    assert share({"n": False}, {"n": 0}) == 0.0
    assert share({"n": 0}, {"n": False}) == 0.0
    assert share({"n": False}, {"n": False}) == 1.0
    assert share({"n": True}, {"n": 1}) == 0.0
    assert share({"n": ""}, {"n": 0}) == 0.0


@pytest.mark.parametrize(
    ("found", "gold", "ok"),
    [
        ("northwind  ltd.", "Northwind Ltd", True),
        ("ＡＢ", "AB", True),
        ("Northwind", "Northwind Ltd", False),
        ("Northwind Ltd and others", "Northwind Ltd", False),
        ("12.50", 12.5, True),
        (12.5, "12.50", True),
        ("1,250", 1250, True),
        ("12.5 EUR", 12.5, False),
        (12.500001, 12.5, False),
        (7, "007", False),
        ("007", 7, False),
        ("007", "007", True),
        ("7", "007", False),
        ([1], 1, False),
        ({"a": 1}, 1, False),
        (1e400, 1.0, False),
    ],
)
def test_values(found: object, gold: object, ok: bool) -> None:
    text = json.dumps({"x": found}).replace("Infinity", "1e400")
    assert share(text, {"x": gold}) == float(ok)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        "null",
        "[]",
        "42",
        '"Northwind Ltd"',
        '[{"vendor": "Northwind Ltd"}]',
        '{"vendor": "Northwind Ltd"',
        "{'vendor': 'Northwind Ltd'}",
        '{"vendor": "Northwind Ltd", "vendor": "Southwind Ltd"}',
        '{"vendor": "Northwind Ltd", "x": NaN}',
        '{"vendor": "Southwind Ltd"}',
        '{"Vendor": "Northwind Ltd"}',
        '{"a": {"vendor": "Northwind Ltd"}}',
        "vendor: Northwind Ltd",
        "[" * 100_000,
        '{"a":' * 100_000,
    ],
)
def test_no_object_no_share(text: str) -> None:
    assert share(text, {"vendor": "Northwind Ltd"}) == 0.0


@pytest.mark.parametrize(
    "completion",
    [
        '{"vendor": "Northwind Ltd"}',
        '```json\n{"vendor": "Northwind Ltd"}\n```',
        'Here it is:\n```\n{"vendor": "Northwind Ltd"}\n```\nDone.',
        'First {"vendor": "x"}, corrected: {"vendor": "Northwind Ltd"}',
        '<think>{"vendor": "x"}</think>{"vendor": "Northwind Ltd"}',
        '<answer>{"vendor": "Northwind Ltd"}</answer>',
    ],
)
def test_the_last_object_outside_the_reasoning_counts(completion: str) -> None:
    assert value(completion, {"type": "fields", "answer": {"vendor": "Northwind Ltd"}}) == 1.0


def test_values_in_the_reasoning_do_not_count() -> None:
    completion = '<think>{"vendor": "Northwind Ltd"}</think>I cannot read it.'
    assert value(completion, {"type": "fields", "answer": {"vendor": "Northwind Ltd"}}) == 0.0


def test_invented_values_are_named_and_not_strict() -> None:
    score = judge(
        '{"vendor": "Northwind Ltd", "po": "123"}',
        {"type": "fields", "answer": {"vendor": "Northwind Ltd", "po": None}},
    )
    assert score.value == 1.0
    assert "invented: po" in score.reason
    assert score.metrics["strict"] == 0.0


def test_wrong_fields_are_named() -> None:
    assert (
        "not: total"
        in judge('{"vendor": "a", "total": 1}', {"type": "fields", "answer": {"vendor": "a", "total": 2}}).reason
    )


@pytest.mark.parametrize(
    "answer",
    [None, "", [], {}, {"a": None}, {"a": "", "b": []}, {"a": {"b": None}}, "text", 3, [{"a": 1}], {"a": float("nan")}],
)
def test_bad_gold_is_unscorable(answer: object) -> None:
    assert reason({"type": "fields", "answer": answer}, '{"a": null}').startswith("unscorable: ")


def test_folds_are_the_configured_ones() -> None:
    assert share({"v": "abc"}, {"v": "ABC"}) == 1.0
    assert share({"v": "abc"}, {"v": "ABC"}, normalise=["spaces"]) == 0.0
