import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon import Abstain, DataError, Sample
from guerdon_plugins.format import Format

LABEL = {
    "type": "object",
    "required": ["label", "score"],
    "properties": {"label": {"type": "string"}, "score": {"type": "number", "minimum": 0, "maximum": 1}},
    "additionalProperties": False,
}
GOOD = '{"label": "cat", "score": 0.4}'


def score(completion, reference=None, prompt=(), **config):
    return Format(**{"format": "json", **config}).score(
        Sample("s", completion, prompt=prompt, reference=reference or {})
    )


def value(completion, reference=None, prompt=(), **config):
    return score(completion, reference, prompt, **config).value


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        (GOOD, 1),
        (f"\n {GOOD}\n", 1),
        ('{"score": 1, "label": "see ```x = 1``` above"}', 1),
        ('{"label": "猫 \\u732b", "score": 1e-3}', 1),
        (f"<think>hm</think>\n{GOOD}", 1),
        ('{"label": "</think>", "score": 0.4}', 1),
        ('{"label": "<think>", "score": 0.4}', 1),
        (f"{GOOD} Hope this helps!", 0),
        (f"Here: {GOOD}", 0),
        (f"```json\n{GOOD}\n```", 0),
        (f"{GOOD}{GOOD}", 0),
        (f"<think>{GOOD}</think>", 0),
        (f"<think>{GOOD}", 0),
        (f"[{GOOD}]", 0),
        ("42", 0),
        ("null", 0),
        ('"cat"', 0),
        ("", 0),
        ('{"label": "cat"}', 0),
        ('{"label": "cat", "score": NaN}', 0),
        ('{"label": "cat", "score": Infinity}', 0),
        ('{"label": "cat", "score": 1e999}', 0),
        ('{"label": "cat", "score": 1.5}', 0),
        ('{"label": "cat", "score": "0.4"}', 0),
        ('{"label": "cat", "score": true}', 0),
        ('{"label": "cat", "score": null}', 0),
        ('{"label": ["cat"], "score": 0.4}', 0),
        ('{"label": "cat", "score": 0.4, "note": "x"}', 0),
        ('{"label": "cat", "label": "dog", "score": 0.4}', 0),
        ("{'label': 'cat', 'score': 0.4}", 0),
        ('{label: "cat", score: 0.4}', 0),
        ('{"label": "cat", "score": 0.4,}', 0),
        ('{"label": "cat", "score": 0.4', 0),
        ('{"label": "cat", "score": .4}', 0),
        ("[" * 100_000, 0),
    ],
)
def test_strict_json(completion, expected):
    assert value(completion, schema=LABEL) == expected


def test_what_a_message_quotes_is_one_line_of_valid_utf8():
    schema = {"additionalProperties": {"type": "string"}}
    for key in ("\\ud800", "a\\nb", "a\\u2028b"):
        found = score(f'{{"{key}": 1}}', schema=schema)
        found.reason.encode()
        assert len(found.reason.splitlines()) == 1
        assert "is not of type 'string'" in found.evidence["findings"][0]["fault"]


def test_without_a_schema_any_json_will_do():
    assert [value(text) for text in ("{}", "[1]", "3", "null", "{a: 1}", "")] == [1, 1, 1, 1, 0, 0]


@pytest.mark.parametrize(
    ("schema", "completion", "expected"),
    [
        ({"properties": {"count": {"type": "integer"}}}, '{"count": true}', 0),
        ({"properties": {"count": {"type": "integer"}}}, '{"count": 3}', 1),
        ({"properties": {"count": {"type": "integer"}}}, '{"count": 3.0}', 1),
        ({"properties": {"count": {"type": "integer"}}}, '{"count": 3.5}', 0),
        ({"properties": {"on": {"type": "boolean"}}}, '{"on": 1}', 0),
        ({"enum": [1]}, "true", 0),
        ({"const": 0}, "false", 0),
        ({"enum": ["cat", "dog"]}, '"cat"', 1),
        ({"enum": ["cat", "dog"]}, '"Cat"', 0),
        ({"uniqueItems": True}, "[1, 1.0]", 0),
        ({"uniqueItems": True}, "[1, true]", 1),
        ({"uniqueItems": True}, '[{"a": 1, "b": 2}, {"b": 2, "a": 1}]', 0),
        ({"minItems": 1}, "[]", 0),
        ({"maxLength": 3}, '"cats"', 0),
        ({"multipleOf": 0.1}, "0.3", 1),
        ({"multipleOf": 0.01}, "19.99", 1),
        ({"multipleOf": 0.01}, "19.995", 0),
        ({"multipleOf": 2}, "3", 0),
        ({"multipleOf": 2}, "true", 1),
        ({"multipleOf": 0.01}, "1e308", 1),
        ({"pattern": "^[a-z]+$"}, '"cat"', 1),
        ({"pattern": "^[a-z]+$"}, '"cat\\n"', 0),
        ({"pattern": "b"}, '"abc"', 1),
        ({"patternProperties": {"^x": {"type": "number"}}}, '{"x1": "a", "y": "b"}', 0),
        ({"patternProperties": {"^x": {}}, "additionalProperties": False}, '{"x1": 1}', 1),
        ({"patternProperties": {"^x": {}}, "additionalProperties": False}, '{"y": 1}', 0),
        ({"additionalProperties": {"type": "number"}}, '{"a": "x"}', 0),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "null", 1),
        ({"not": {"type": "string"}}, '"x"', 0),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, '{"a": 1}', 0),
        ({"prefixItems": [{"type": "string"}], "items": False}, '["a", 1]', 0),
        ({"$defs": {"n": {"type": "integer"}}, "items": {"$ref": "#/$defs/n"}}, '["a"]', 0),
        ({"items": {"$ref": "#"}, "type": "array"}, "[[[]], []]", 1),
        ({"items": {"$ref": "#"}, "type": "array"}, "[[1]]", 0),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]}, "[1]", 0),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "maximum": 3, "exclusiveMaximum": True}, "3", 0),
        ({"$schema": "https://json-schema.org/draft/2019-09/schema", "dependentRequired": {"a": ["b"]}}, '{"a": 1}', 0),
        ({"unevaluatedProperties": False, "properties": {"a": {}}}, '{"b": 1}', 0),
        (True, "3", 1),
        (False, "3", 0),
        ({"format": "date"}, '"no date"', 1),
    ],
)
def test_schemas(schema, completion, expected):
    assert value(completion, schema=schema) == expected


def test_says_where_the_value_breaks_the_schema():
    found = score('{"label": "cat", "score": 1.5}', schema=LABEL)
    assert found.reason == "schema: at $.score: 1.5 is greater than the maximum of 1"
    assert found.evidence["findings"][0]["span"] == [0, 30]
    assert score('{"label": NaN}', schema=LABEL).reason == "json: NaN is not JSON"


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        (GOOD, 1),
        (f"```json\n{GOOD}\n```", 1),
        (f"```\n{GOOD}\n```\n", 1),
        ('{"label": "see ```x = 1``` above", "score": 0.4}', 1),
        ('```json\n{"label": "see ```x = 1``` above", "score": 0.4}\n```', 1),
        ("```json\n```", 0),
        (f"```json\n{GOOD}", 0),
        (f"{GOOD}\n```", 0),
        (f"```json\n{GOOD}\n```\n```json\n{GOOD}\n```", 0),
        (f"```json\n{GOOD}\n{GOOD}\n```", 0),
        (f"Here:\n```json\n{GOOD}\n```", 0),
        (f"```json\n{GOOD}\n```\nDone.", 0),
        (f"```yaml\n{GOOD}\n```", 0),
        ('```json\n{"label": "cat", "score": NaN}\n```', 0),
    ],
)
def test_one_fence_is_admitted_on_demand(completion, expected):
    assert value(completion, schema=LABEL, allow_fence=True) == expected


@pytest.mark.parametrize(
    ("completion", "any_number", "exactly_one"),
    [
        (GOOD, 1, 1),
        (f"The answer: {GOOD}. Done.", 1, 1),
        (f"```json\n{GOOD}\n```", 1, 1),
        (f"As seen in [1] and [2, 3]: {GOOD}", 1, 1),
        (f'A note [see "fig"] {GOOD}', 1, 1),
        (f"First {{}} then {GOOD}", 1, 0),
        (f"{GOOD} or {GOOD}", 1, 0),
        (f"{GOOD} [{GOOD}]", 0, 0),
        (f"{GOOD} no, {{}}", 0, 0),
        (f'{GOOD} no, {{"label": "dog", "sco', 0, 0),
        (f'{GOOD} no, {{"label": NaN}}', 0, 0),
        (f"<think>maybe {{}}</think> {GOOD}", 1, 1),
        (f"<think>{GOOD}</think> so it is a cat", 0, 0),
        ("It is a cat.", 0, 0),
        ('[{"label": "cat", "score": 0.4}, {"label": "d', 0, 0),
        ('{"answer": {"label": "cat", "score": 0.4}}', 0, 0),
        ("{label: cat}", 0, 0),
    ],
)
def test_in_prose_the_last_value_wins(completion, any_number, exactly_one):
    assert value(completion, schema=LABEL, allow_prose=True) == any_number
    assert value(completion, schema=LABEL, allow_prose=True, exactly_one=True) == exactly_one


def test_in_prose_the_place_of_the_value_is_shown():
    completion = f"So: {GOOD[:-4]}1.5}} Done."
    found = score(completion, schema=LABEL, allow_prose=True)
    assert completion[slice(*found.evidence["findings"][0]["span"])] == '{"label": "cat", "score": 1.5}'


def test_lists_count_where_the_schema_asks_for_them():
    config = {"schema": {"type": "array", "items": {"type": "number"}}, "allow_prose": True, "exactly_one": True}
    assert value("see [1]", **config) == 1.0
    assert value("see [1] and [2]", **config) == 0.0
    assert value("first [1] then [2]", **{**config, "exactly_one": False}) == 1.0


@pytest.mark.parametrize(
    ("answer", "completion", "expected"),
    [
        ({"label": "cat", "score": 0.4}, '{"label": null, "score": null}', 0),
        ({"label": "cat", "score": 0.4}, '{"label": "", "score": null}', 0),
        ({"label": "cat", "score": 0.4}, '{"label": " \\u200b", "score": null}', 0),
        ({"label": "cat", "score": 0.4}, "{}", 0),
        ({"label": "cat", "score": 0.4}, '{"label": "dog", "score": null}', 1),
        ({"label": "cat", "score": 0.4}, '{"label": null, "score": 0}', 1),
        ({"label": "cat", "score": 0.4}, '{"label": null, "score": false}', 1),
        ({"label": None, "score": None}, '{"label": null, "score": null}', 1),
        (None, '{"label": null, "score": null}', 1),
        ("cat", '{"label": null}', 0),
        ([], "[]", 1),
        ([1], "[]", 0),
        ([1], "[[], {}]", 0),
    ],
)
def test_nulls_are_no_answer_where_the_reference_has_one(answer, completion, expected):
    assert value(completion, {"answer": answer}) == expected


EXAMPLE = {"label": "dog", "score": 0.9}


@pytest.mark.parametrize(
    ("schema", "completion", "answer", "expected"),
    [
        ({"examples": [EXAMPLE]}, EXAMPLE, {"label": "cat", "score": 0.4}, 0),
        ({"examples": [EXAMPLE]}, EXAMPLE, None, 0),
        ({"examples": [EXAMPLE]}, EXAMPLE, EXAMPLE, 1),
        ({"examples": [EXAMPLE]}, {"score": 0.9, "label": "dog"}, {"label": "cat"}, 0),
        ({"examples": [EXAMPLE]}, {"label": "dog", "score": 0.8}, {"label": "cat"}, 1),
        ({"example": EXAMPLE}, EXAMPLE, {"label": "cat"}, 0),
        ({"examples": [{"a": 1}, EXAMPLE]}, EXAMPLE, {"label": "cat"}, 0),
        ({"properties": {"label": {"examples": ["dog"]}, "score": {"example": 0.9}}}, EXAMPLE, {"label": "cat"}, 0),
        (
            {"properties": {"label": {"examples": ["cow", "dog"]}, "score": {"example": 0.9}}},
            EXAMPLE,
            {"label": "cat"},
            1,
        ),
        ({"properties": {"label": {"examples": ["dog"]}}}, EXAMPLE, {"label": "cat"}, 1),
        ({"properties": {"label": {"examples": ["dog"]}}}, {"label": "dog"}, {"label": "cat"}, 1),
        ({"default": EXAMPLE}, EXAMPLE, {"label": "cat"}, 1),
        ({"examples": [1]}, 1.0, 2, 0),
        ({"examples": [1]}, True, 2, 1),
    ],
)
def test_the_schemas_own_example_is_no_answer(schema, completion, answer, expected):
    assert value(json.dumps(completion), {"answer": answer}, schema=schema) == expected


def test_json_of_the_prompt_is_no_answer_on_demand():
    prompt = [{"role": "user", "content": 'Answer as {"label": "string", "score": 0.5}.'}]
    copy = '{"score": 0.50, "label": "string"}'
    assert value(copy, prompt=prompt) == 1.0
    assert value(copy, prompt=prompt, reject_prompt_copy=True) == 0.0
    assert value(GOOD, prompt=prompt, reject_prompt_copy=True) == 1.0
    assert value(copy, {"answer": {"label": "string", "score": 0.5}}, prompt, reject_prompt_copy=True) == 1.0


def test_the_schema_can_come_with_each_reference():
    reward = Format(format="json", schema_from="reference")
    samples = [
        Sample("a", '{"n": 1}', reference={"schema": {"properties": {"n": {"type": "integer"}}}}),
        Sample("b", '{"n": 1}', reference={"schema": {"properties": {"n": {"type": "string"}}}}),
        Sample("c", '{"n": 1}', reference={"schema": {"properties": {"n": {"type": "integer"}}}}),
    ]
    assert [reward.score(sample).value for sample in samples] == [1.0, 0.0, 1.0]


def test_a_reference_without_schema_abstains_whatever_the_completion_says():
    for reward in (
        Format(format="json", schema_from="reference"),
        Format(answer_format={"format": "json", "schema_from": "reference"}),
    ):
        verdicts = [reward.score(Sample("s", text)) for text in ("{}", "", "<think>a</think><answer>{}</answer>")]
        assert verdicts == [Abstain("the reference has no schema")] * 3


@pytest.mark.parametrize(
    "schema", [{"type": "objekt"}, {"$ref": "http://example.com/s"}, "object", None, 3, {"pattern": "("}]
)
def test_a_broken_schema_in_a_reference_is_a_failure_not_a_score(schema):
    with pytest.raises(DataError, match=r"sample s7: reference\.schema cannot be used"):
        Format(format="json", schema_from="reference").score(Sample("s7", "{}", reference={"schema": schema}))


def test_a_schema_in_a_reference_is_left_as_it_is():
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"default": 1}}}
    before = json.dumps(schema)
    Format(format="json", schema_from="reference").score(Sample("s", "{}", reference={"schema": schema}))
    assert json.dumps(schema) == before


def test_partial_credit_has_three_parts():
    config = {"schema": LABEL, "partial": True}
    assert value("", **config) == value("{", **config) == 0.0
    assert value("{}", **config) == pytest.approx(1 / 3)
    assert value('{"label": "", "score": 0}', {"answer": {"label": "cat"}}, **config) == 1.0
    assert value('{"label": "cat", "score": 0.1}', **config) == 1.0


@given(st.text() | st.text(alphabet='{}[]",:\\ab0.- \n`'), st.booleans(), st.booleans(), st.booleans())
def test_any_text_is_judged_without_an_exception(text, fence, prose, one):
    found = score(text, {"answer": {"a": 1}}, schema=LABEL, allow_fence=fence, allow_prose=prose, exactly_one=one)
    assert found.value in (0.0, 1.0)
    json.dumps(dict(found.evidence), allow_nan=False)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=10,
    )
)
def test_any_value_is_checked_without_an_exception(instance):
    schema = {
        "multipleOf": 0.01,
        "uniqueItems": True,
        "pattern": "a",
        "patternProperties": {"a": {}},
        "additionalProperties": {"$ref": "#"},
        "items": {"$ref": "#"},
        "format": "email",
        "minimum": -1e300,
    }
    assert value(json.dumps(instance), schema=schema, check_formats=True) in (0.0, 1.0)
