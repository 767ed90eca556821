"""The JSON Schema that editors use agrees with what the configuration accepts."""

import copy
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import guerdon_trainer
from guerdon import load_plugins
from guerdon.config.schema import DIALECT, json_schema
from guerdon.yaml import load_yaml

SHIPPED = sorted((Path(guerdon_trainer.__file__).parent / "quickstart").glob("*.yaml"))


@pytest.fixture(scope="module")
def validator():
    schema = json_schema(load_plugins())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_dialect_is_named(validator):
    assert validator.schema["$schema"] == DIALECT


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_configurations_are_valid(path, validator):
    assert [error.message for error in validator.iter_errors(load_yaml(path))] == []


@pytest.mark.parametrize(
    "rewards",
    [
        {"answer": {"use": "correctness", "answer_from": "tag"}},
        {"answer": {"use": "safety", "weight": {"schedule": "linear", "start": 0, "end": 1, "last": 5}}},
        {"answer": {"use": "safety"}, "length": {"max_len": 5, "cache_len": 2}},
        {"answer": {"use": "safety"}, "length": {"use": "safety"}},
        {"answer": {"use": "safety"}, "safety": None},
        {"answer": {"use": "safety", "missing": {"constant": 0.5}, "limits": {"concurrency": 2}}},
    ],
)
def test_good_components(rewards, validator, data):
    assert [error.message for error in validator.iter_errors(data(rewards=rewards))] == []


BAD: list[dict[str, Any]] = [
    {"runtime__stepz": 3},
    {"runtime__steps": 0},
    {"runtime__backend": "gpu"},
    {"run__name": "a b"},
    {"model__revision": "main"},
    {"algorithm__advantage": "grpo"},
    {"rewards": {}},
    {"rewards": {"answer": {}}},
    {"rewards": {"answer": None}},
    {"rewards": {"answer": {"use": "nothing"}}},
    {"rewards": {"answer": {"use": "correctness", "foo": 1}}},
    {"rewards": {"answer": {"use": "safety"}, "length": {"max_lenn": 5}}},
    {"rewards": {"answer": {"use": "safety"}, "length": {"use": "nothing"}}},
    {"rewards": {"answer": {"use": "correctness", "weight": -1}}},
    {"rewards": {"answer": {"use": "correctness", "weight": {"schedule": "linear"}}}},
    {"rewards": {"answer": {"use": "correctness", "missing": "zero"}}},
    {"unknown": 1},
    {"plugins": "mine.py"},
]


@pytest.mark.parametrize("fields", BAD, ids=str)
def test_bad_values_are_bad_for_schema_and_configuration_alike(fields, validator, data, config):
    assert list(validator.iter_errors(data(**fields)))
    with pytest.raises(ValueError, match=r"not valid|must be a list"):
        config(**fields)


def test_each_missing_section_is_noticed(validator, data):
    for section in ("run", "model", "data", "outcome", "rewards"):
        without = data()
        del without[section]
        assert [error.validator for error in validator.iter_errors(without)] == ["required"]


def test_fields_carry_their_help(validator):
    schema = validator.schema
    assert "Completions sampled for each prompt." in str(schema["$defs"]["AlgorithmSection"])
    assert schema["$defs"]["component_length"]["properties"]["use"] == {"const": "length"}
    assert schema["$defs"]["component_length"]["properties"]["weight"]["description"].startswith("Factor in the total")


def test_a_reward_of_a_file_is_in_the_schema(tmp_path, data):
    file = tmp_path / "mine.py"
    file.write_text(
        "from typing import ClassVar\nfrom guerdon import Reward, hookimpl\n"
        "class Mine(Reward):\n    name: ClassVar[str] = 'mine'\n    least: int\n"
        "    def score(self, sample):\n        return 0.0\n"
        "@hookimpl\ndef register_rewards(register):\n    register(Mine)\n"
    )
    check = jsonschema.Draft202012Validator(json_schema(load_plugins([file])))
    good = data(rewards__mine={"least": 2})
    assert not list(check.iter_errors(good))
    for wrong in ({}, None, {"least": "x"}, {"least": 1, "most": 2}):
        bad = copy.deepcopy(good)
        bad["rewards"]["mine"] = wrong
        assert list(check.iter_errors(bad)), wrong
