import time

import pytest
from pydantic import ValidationError

from guerdon_plugins.format import Format
from guerdon_plugins.format.schema import MAX_WORK, CompiledSchema, compile_schema, schema_text


def fault(schema, instance, *, check_formats=False):
    return compile_schema(schema_text(schema), check_formats=check_formats).fault(instance)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "objekt"}, r"invalid at \$\.type: 'objekt'"),
        ({"properties": {"a": {"type": 3}}}, r"invalid at \$\.properties\.a\.type"),
        ({"required": "label"}, r"invalid at \$\.required"),
        ({"minimum": "0"}, r"invalid at \$\.minimum"),
        ({"multipleOf": 0}, r"invalid at \$\.multipleOf"),
        ({"enum": "cat"}, r"invalid at \$\.enum"),
        ({"requried": ["label"]}, "'requried' would be ignored; 'required' is meant"),
        ({"additionalproperties": False}, "'additionalProperties' is meant"),
        ({"properties": {"a": {"typ": "string"}}}, "'type' is meant"),
        ({"items": {"maxitems": 3}}, "'maxItems' is meant"),
        ({"$ref": "http://example.com/schema"}, "nothing is fetched"),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, "nothing is fetched"),
        ({"$ref": "file:///etc/passwd"}, "nothing is fetched"),
        ({"$ref": "other.json"}, "nothing is fetched"),
        ({"$ref": "#/$defs/missing"}, "does not resolve"),
        ({"$ref": "#nowhere"}, "does not resolve"),
        ({"allOf": [{"properties": {"a": {"$ref": "#/$defs/x"}}}]}, "does not resolve"),
        ({"$dynamicRef": "http://example.com#a"}, "nothing is fetched"),
        ({"$ref": "#"}, "without end"),
        ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, "without end"),
        ({"anyOf": [{"$ref": "#"}, {"type": "string"}]}, "without end"),
        ({"$schema": "http://example.com/mine"}, "no draft that jsonschema knows"),
        ({"$schema": 7}, "no draft that jsonschema knows"),
        ({"properties": {"a": {"$schema": "http://json-schema.org/draft-07/schema#"}}}, "declare the draft once"),
        ({"pattern": "("}, "refused"),
        ({"pattern": "(?=a)"}, "look-around"),
        ({"items": {"patternProperties": {r"(a)\1": {}}}}, "refused"),
        ({"patternProperties": {"a": {}}, "unevaluatedProperties": False}, "not linear"),
        ({"const": float("nan")}, "not JSON"),
        ({"const": {1, 2}}, "not JSON"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused_when_configured(schema, message):
    with pytest.raises(ValidationError, match=message) as refused:
        Format(format="json", schema=schema)
    assert refused.value.errors()[0]["loc"] == ("schema",)


def test_a_schema_that_is_too_deep_or_too_large_is_refused():
    deep: dict = {}
    for _ in range(400):
        deep = {"items": deep}
    with pytest.raises(ValidationError, match="nested too deeply"):
        Format(format="json", schema=deep)
    with pytest.raises(ValidationError, match="more than 5000 parts"):
        Format(format="json", schema={"properties": {str(i): {} for i in range(5001)}})


def test_names_the_path_of_a_schema_within_an_answer_format():
    with pytest.raises(ValidationError) as refused:
        Format(answer_format={"format": "json", "schema": {"type": "objekt"}})
    assert refused.value.errors()[0]["loc"] == ("answer_format", "schema")


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"$ref": {"type": "string"}, "typ": {}, "pattern": {"const": "("}}},
        {"enum": [{"$ref": "http://example.com", "typ": 1}]},
        {"examples": [{"requried": 1}]},
        {"x-typ": 1, "$comment": "typ", "title": "t", "description": "d", "deprecated": True, "nullable": True},
        {"$id": "https://example.com/root", "$defs": {"a": {"$id": "a", "type": "string"}}, "$ref": "a"},
        {"$anchor": "here", "properties": {"a": {"$ref": "#here"}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {}}, "$ref": "#/definitions/a"},
        {"$schema": "http://json-schema.org/draft-03/schema#", "properties": {"a": {"required": True}}},
        {"pattern": r"^\p{L}+$"},
    ],
)
def test_what_only_looks_wrong_is_taken(schema):
    assert isinstance(compile_schema(schema_text(schema), check_formats=False), CompiledSchema)


def test_inner_ids_resolve():
    schema = {"$id": "https://example.com/root", "$defs": {"a": {"$id": "a", "type": "string"}}, "items": {"$ref": "a"}}
    assert fault(schema, ["x"]) == ""
    assert fault(schema, [1]) == "at $[0]: 1 is not of type 'string'"


def test_siblings_of_ref_are_ignored_by_old_drafts_only():
    schema = {"definitions": {"a": {}}, "properties": {"a": {"$ref": "#/definitions/a", "type": "string"}}}
    assert fault({"$schema": "http://json-schema.org/draft-07/schema#", **schema}, {"a": 1}) == ""
    assert "is not of type 'string'" in fault(schema, {"a": 1})


def test_formats_are_enforced_on_demand_and_all_of_them_are_known():
    assert fault({"format": "date"}, "2024-13-01") == ""
    assert fault({"format": "date"}, "2024-13-01", check_formats=True) == "at $: '2024-13-01' is no date"
    assert fault({"format": "date"}, "2024-12-01", check_formats=True) == ""
    assert fault({"format": "date"}, 3, check_formats=True) == ""
    with pytest.raises(ValueError, match="cannot check 'colour'; it knows date, date-time"):
        fault({"items": {"format": "colour"}}, [], check_formats=True)
    assert fault({"format": "colour"}, "red") == ""


EXPRESSION = {
    "$defs": {
        "e": {
            "oneOf": [
                {"type": "object", "properties": {"left": {"$ref": "#/$defs/e"}, "op": {"const": "+"}}},
                {"type": "object", "properties": {"left": {"$ref": "#/$defs/e"}, "op": {"const": "-"}}},
                {"type": "number"},
            ]
        }
    },
    "$ref": "#/$defs/e",
}


def test_alternatives_that_refer_to_themselves_do_not_take_exponential_time():
    instance = 1
    for _ in range(4):
        instance = {"left": instance, "op": "-"}
    assert fault(EXPRESSION, instance) == ""
    for _ in range(50):
        instance = {"left": instance, "op": "-"}
    begin = time.process_time()
    assert fault(EXPRESSION, instance) == f"too large to be checked: more than {MAX_WORK} steps"
    assert time.process_time() - begin < 5


@pytest.mark.parametrize(
    "schema",
    [
        {"items": {"type": "number"}},
        {"uniqueItems": True},
        {"contains": {"const": -1}},
        {"items": {}},
        {"unevaluatedItems": {"type": "number"}},
        {"items": {"anyOf": [{"type": "string"}, {"type": "number"}]}},
        {"items": {"enum": list(range(1000))}},
    ],
)
def test_long_instances_take_bounded_time(schema):
    begin = time.process_time()
    assert isinstance(fault(schema, list(range(300_000))), str)
    assert time.process_time() - begin < 5


def test_the_budget_admits_answers_of_ordinary_size():
    box = {
        "type": "object",
        "required": ["bbox_2d", "label"],
        "properties": {"bbox_2d": {"type": "array", "items": {"type": "number"}}},
    }
    assert fault({"type": "array", "items": box}, [{"bbox_2d": [1, 2, 3, 4], "label": "cup"}] * 500) == ""


def test_patterns_against_a_long_string_take_linear_time():
    begin = time.process_time()
    assert "does not match" in fault({"pattern": "^(a+)+$"}, "a" * 500_000 + "b")
    assert "not allowed" in fault(
        {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}, {"a" * 500_000 + "b": 1}
    )
    assert time.process_time() - begin < 5


def test_equal_schemas_are_compiled_once_and_errors_come_in_one_order():
    text = schema_text({"additionalProperties": False})
    assert compile_schema(text, check_formats=False) is compile_schema(text, check_formats=False)
    extra = dict.fromkeys("zyxwv", 1)
    assert fault({"additionalProperties": False}, extra) == "at $: 'z', 'y', 'x', 'w', 'v' not allowed by the schema"
    assert fault({"additionalProperties": {"type": "string"}}, extra) == "at $.z: 1 is not of type 'string'"
