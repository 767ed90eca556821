"""Reading YAML: what is refused, and what scalars mean."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guerdon import ConfigError
from guerdon.yaml import load_yaml, parse_yaml


def test_a_duplicate_key_names_both_lines():
    text = "run: {name: a}\nrewards:\n  answer: {weight: 1}\n  boxes: {weight: 1}\n  answer: {weight: 2}\n"
    with pytest.raises(ConfigError, match=r"^c\.yaml: key 'answer' stands twice, in lines 3 and 5; remove one$"):
        parse_yaml(text, "c.yaml")


@pytest.mark.parametrize("text", ["a: 1\na: 1", "{a: 1, a: 2}", "b: [{c: 1, c: 2}]", "1: x\n0x1: y", "? a\n? a"])
def test_duplicate_keys_at_any_depth(text):
    with pytest.raises(ConfigError, match="stands twice"):
        parse_yaml(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-6", 1e-6),
        ("1E5", 1e5),
        ("-2.5e+3", -2500.0),
        ("1.0e-6", 1e-6),
        ("17", 17),
        ("true", True),
        ("False", False),
        ("no", "no"),
        ("off", "off"),
        ("2026-01-31", "2026-01-31"),
        ("null", None),
        ("", None),
        ("1e", "1e"),
        ("e5", "e5"),
        ("'1e-6'", "1e-6"),
        ("!!float 3", 3.0),
    ],
)
def test_scalars_read_as_in_yaml_1_2(text, value):
    found = parse_yaml(f"key: {text}")["key"]
    assert found == value
    assert type(found) is type(value)


@settings(deadline=None)
@given(st.floats(1e-12, 1e12))
def test_every_float_that_python_prints_is_read_back(number):
    assert parse_yaml(f"key: {number!r}")["key"] == number


def test_anchors_and_merges():
    text = "base: &base {weight: 1, tau: 2}\nuse: {<<: *base, weight: 3}"
    assert parse_yaml(text)["use"] == {"weight": 3, "tau": 2}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must be a mapping with the sections run, model, ...; found NoneType"),
        ("- a", "found list"),
        ("a: [", "is no valid YAML"),
        ("a: b: c", "is no valid YAML"),
        ("[1]: x", "line 1: a key must be a name; found [1]"),
        ("a: 1\n? {b: 1}\n: x", "line 2: a key must be a name"),
        ("a: !!python/object/apply:os.system [ls]", "is no valid YAML"),
        ("a: \x01", "is no valid YAML"),
    ],
)
def test_what_is_no_configuration(text, said):
    with pytest.raises(ConfigError) as caught:
        parse_yaml(text, "c.yaml")
    assert str(caught.value).startswith("c.yaml")
    assert said in str(caught.value)


def test_load_yaml_names_the_file(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text("run: {name: ü}", encoding="utf-8")
    assert load_yaml(path) == {"run": {"name": "ü"}}
    path.write_bytes(b"run: \xff")
    with pytest.raises(ConfigError, match=r"run\.yaml cannot be read: 'utf-8' codec"):
        load_yaml(path)
    with pytest.raises(ConfigError, match=r"gone\.yaml cannot be read: .*No such file"):
        load_yaml(tmp_path / "gone.yaml")
