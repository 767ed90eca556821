import json
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon_plugins.parsing.json_text import (
    MAX_BROKEN,
    MAX_CHARS,
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_VALUES,
    find_json,
    read_json,
    strip_fence,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)

HUGE = 1_000_000
HOSTILE = {
    "openers": "[" * 100_000,
    "balanced": "[" * 500_000 + "]" * 500_000,
    "objects never closed": '{"a":' * 200_000,
    "many lists": "[]," * 333_333,
    "a list of lists": "[" + "[]," * 333_332 + "[]]",
    "a list of objects": "[" + '{"a":1},' * 124_999 + "1]",
    "broken lists": '["a"x' * 200_000,
    "strings never closed": '["' * 500_000,
    "objects broken in strings": '{"a":"' * 166_666,
    "escaped quotes": '[\\"' * 333_333,
    "openers and blanks": "{ " * 500_000,
    "floats": "[" + "1.5," * 249_998 + "1]",
    "one long number": "[" + "1" * (HUGE - 2) + "]",
    "one key, many times": "{" + '"a":1,' * 166_665 + '"a":1}',
    "objects with a key twice": '{"a":1,"a":1}' * 76_923,
    "deep and broken": ("[" * 900 + "x") * 1_109,
    "not quite too deep": ("[" * 60 + "]" * 60) * 8_333,
    "quotes": '"' * HUGE,
    "backslashes": "\\" * HUGE,
    "spaces": " " * HUGE,
    "blank lists": "[" + " " * (HUGE - 2) + "]",
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        ("[]", []),
        (' \t\r\n{"a": [1, 2.5, "x", true, null]}\n', {"a": [1, 2.5, "x", True, None]}),
        ("42", 42),
        ("-0", 0),
        ("1e3", 1000.0),
        ("1E-400", 0.0),
        ('"\\u732b"', "猫"),
        ('"```"', "```"),
        ('{"a": {"a": 1}}', {"a": {"a": 1}}),
        ('{"": 1}', {"": 1}),
        ('"\\ud800"', "\ud800"),
        ("9" * MAX_DIGITS, int("9" * MAX_DIGITS)),
        ("[" * MAX_DEPTH + "]" * MAX_DEPTH, json.loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)),
    ],
)
def test_reads_valid_json(text, value):
    found = read_json(text)
    assert (found.value, found.fault) == (value, "")
    assert text[found.start : found.end] == text.strip()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "Expecting value"),
        ("   ", "Expecting value"),
        ("NaN", "NaN is not JSON"),
        ('{"a": NaN}', "NaN is not JSON"),
        ("[Infinity]", "Infinity is not JSON"),
        ("[-Infinity]", "-Infinity is not JSON"),
        ("nan", "Expecting value"),
        ("1e999", "overflows"),
        ("-1e999", "overflows"),
        ("[1, 1e400]", "overflows"),
        ("1" * (MAX_DIGITS + 1), "at most 100"),
        ("0." + "1" * MAX_DIGITS, "at most 100"),
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ('{"a": 1, "b": 1, "a": 1}', "'a' stands twice"),
        ('{"a": 1, "\\u0061": 2}', "'a' stands twice"),
        ('{"x": {"a": 1, "a": 1}}', "'a' stands twice"),
        ('[{"k": 1, "k": 1}]', "'k' stands twice"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested deeper"),
        ('{"a":' * 100 + "1" + "}" * 100, "nested deeper"),
        ("[" * 100_000, "nested deeper"),
        ("{'a': 1}", "double quotes"),
        ("{a: 1}", "double quotes"),
        ("[1, 2,]", "character"),
        ('{"a": 1,}', "character"),
        ('{"a" 1}', "delimiter"),
        ('{"a": 1', "delimiter"),
        ('["a', "Unterminated"),
        ('["a\nb"]', "control character"),
        ('["\\x"]', "escape"),
        ("01", "text after"),
        ("+1", "Expecting value"),
        (".5", "Expecting value"),
        ("1.", "text after"),
        ("True", "Expecting value"),
        ("None", "Expecting value"),
        ("[1] // one", "text after"),
        ("/* one */ [1]", "Expecting value"),
        ("{} {}", "text after"),
        ("{}\n{}", "text after"),
        ("[1]]", "text after"),
        ('{"a": 1} Hope this helps!', "text after"),
        ("Here: {}", "Expecting value"),
        ("```json\n{}\n```", "Expecting value"),
        ("\ufeff{}", "Expecting value"),
        ("\u00a0{}", "Expecting value"),
        ("{}\u200b", "text after"),
        ("[１]", "Expecting value"),
        ("[1，2]", "delimiter"),
        ("“a”", "Expecting value"),
        ("[" + " " * MAX_CHARS + "]", "at most 1000000"),
    ],
)
def test_refuses_all_else(text, fault):
    found = read_json(text)
    assert fault in found.fault
    assert found.value is None


def test_a_refused_value_keeps_its_place_and_text_after_it_is_seen():
    assert read_json('{"a": 1, "a": 2}').end == 16
    after = read_json("{} and {}")
    assert (after.start, after.end) == (3, 9)


@given(JSON)
def test_agrees_with_the_standard_library(value):
    text = json.dumps(value)
    found = read_json(text)
    digits = max(
        (len(n) for n in text.replace(",", " ").replace("]", " ").split() if n.strip("-").isdigit()), default=0
    )
    assert found.fault == "" or digits > MAX_DIGITS
    if not found.fault:
        assert found.value == json.loads(text)


@given(st.text(alphabet='{}[]",:\\ae0.- \n'))
def test_never_raises_and_accepts_no_more_than_the_standard_library(text):
    found = read_json(text)
    assert 0 <= found.start <= found.end <= max(len(text), 0)
    if not found.fault:
        assert json.loads(text) == found.value
    for piece in find_json(text):
        assert 0 <= piece.start <= piece.end <= len(text)
        if not piece.fault:
            assert json.loads(text[piece.start : piece.end]) == piece.value


@given(st.lists(JSON.filter(lambda v: isinstance(v, list | dict)), max_size=3))
def test_finds_every_container_in_prose(values):
    text = " so: ".join(["", *(json.dumps(value) for value in values), ""])
    found = find_json(text)
    assert [piece.value for piece in found if not piece.fault] == values or any(p.fault for p in found)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("no JSON here", []),
        ("", []),
        ('The label is {"label": "cat"}.', [{"label": "cat"}]),
        ('{"a": 1} and {"a": 2}', [{"a": 1}, {"a": 2}]),
        ('see [1]: {"a": 1}', [[1], {"a": 1}]),
        ('[see {"a": 1}]', [{"a": 1}]),
        ('{x} {"a": 1}', [{"a": 1}]),
        ("f(x) = {x | x > 0}", []),
        ('He said "[1, 2]" and left', [[1, 2]]),
        ('```json\n{"a": 1}\n```', [{"a": 1}]),
        ('{"a": "}"}', [{"a": "}"}]),
        ('{"a": "{\\"b\\": 1}"}', [{"a": '{"b": 1}'}]),
        ("[[1], [2]]", [[[1], [2]]]),
        ("[] {}", [[], {}]),
        ("[1, 2 or 3] [4]", [[4]]),
    ],
)
def test_finds_outermost_values(text, values):
    found = find_json(text)
    assert [piece.value for piece in found] == values
    assert all(json.loads(text[piece.start : piece.end]) == piece.value for piece in found)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ('{"a": 1} then {"a": NaN}', ["", "NaN is not JSON"]),
        ('{"a": 1, "a": 2}', ["'a' stands twice"]),
        ('{"a": 1} then {"a": 2', ["", "delimiter"]),
        ('[{"a": 1}, {"a": 2', ["delimiter"]),
        ('[{"a": 1}, oops', ["Expecting value"]),
        ('{"a": oops {"b": 2}', ["Expecting value", ""]),
        ("[" * 2000, ["nested deeper"]),
    ],
)
def test_shows_what_is_refused_or_broken(text, faults):
    found = find_json(text)
    assert len(found) == len(faults)
    assert all(
        fault in piece.fault and bool(fault) is bool(piece.fault) for piece, fault in zip(found, faults, strict=True)
    )


def test_an_inner_value_of_a_broken_container_is_none_of_its_own():
    assert [piece.value for piece in find_json('[{"label": "cat", "score": 0.4}, {"label": "dog"')] == [None]


def test_a_text_with_too_many_values_ends_on_a_fault():
    for text in ("[] " * (MAX_VALUES + 1), '{"a": x' * (MAX_BROKEN + 1)):
        assert "the rest is not read" in find_json(text)[-1].fault


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("```json\n{}\n```", "{}\n"),
        ("```\n{}\n```", "{}\n"),
        ("```JSON\n{}\n```", "{}\n"),
        ("``` json \n{}\n```", "{}\n"),
        ("\n```json\r\n{}\r\n```\n", "{}\r\n"),
        ("````json\n```\n````", "```\n"),
        ('```json\n{"a": "```"}\n```', '{"a": "```"}\n'),
        ("```json\n```", ""),
        ("```json\n{}", None),
        ("```json\n{}```", None),
        ("```json {}\n```", None),
        ("```python\n{}\n```", None),
        ("```json\n{}\n``", None),
        ("````json\n{}\n```", None),
        ("```json\n{}\n``` done", None),
        ("Here:\n```json\n{}\n```", None),
        ("{}", None),
        ("", None),
        ("```", None),
        ("```json", None),
    ],
)
def test_strips_one_fence_around_the_whole_text(text, inner):
    found = strip_fence(text)
    assert (None if found is None else found.text) == inner
    if found is not None:
        assert text[found.start : found.end] == inner


@pytest.mark.parametrize(
    "name", ["openers", "balanced", "many lists", "a list of lists", "a list of objects", "floats"]
)
def test_a_million_hostile_characters_are_read_in_bounded_memory(name):
    text = HOSTILE[name]
    tracemalloc.start()
    try:
        read_json(text)
        find_json(text)
        strip_fence(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200e6


@pytest.mark.parametrize("name", HOSTILE)
def test_a_million_hostile_characters_are_read_in_bounded_time(name):
    begin = time.process_time()
    read_json(HOSTILE[name])
    find_json(HOSTILE[name])
    strip_fence(HOSTILE[name])
    assert time.process_time() - begin < 5
