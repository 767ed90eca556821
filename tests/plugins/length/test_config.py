import json
import pickle

import pytest
from pydantic import ValidationError

from guerdon_plugins.length import Length


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "component 'soft_overlong' needs max_len"),
        ({"component": "repetition"}, "needs ngram"),
        ({"component": "target", "max_len": 3}, "needs min_len"),
        ({"component": "cosine"}, "needs max_len"),
        ({"component": "overlong", "max_len": 3}, "'soft_overlong', 'target', 'cosine', 'repetition'"),
        ({"max_tokens": 512}, "max_tokens"),
        ({"max_len": 0}, "greater than or equal to 1"),
        ({"max_len": -5}, "greater than or equal to 1"),
        ({"max_len": 1.5}, "valid integer"),
        ({"max_len": "512"}, "valid integer"),
        ({"max_len": True}, "valid integer"),
        ({"max_len": 100, "cache_len": 200}, "every completion is punished; choose a smaller cache_len"),
        ({"max_len": 100, "cache_len": -1}, "greater than or equal to 0"),
        ({"max_len": 100, "unit": "chars"}, "'tokens', 'words' or 'characters'"),
        ({"max_len": 100, "tokenizer": "Qwen/Qwen3"}, "token ids come with each sample"),
        ({"max_len": 100, "max_penalty": 0.5}, "less than or equal to 0"),
        ({"max_len": 100, "max_penalty": float("nan")}, "finite"),
        ({"max_len": 100, "max_penalty": float("-inf")}, "finite"),
        ({"max_len": 100, "ngram": 3}, "ngram does nothing for component 'soft_overlong'; it belongs to repetition"),
        ({"max_len": 100, "phrases": ["a b"]}, "phrases does nothing"),
        ({"max_len": 100, "min_len": 3}, "min_len does nothing"),
        ({"component": "cosine", "max_len": 3, "cache_len": 1}, "cache_len does nothing"),
        ({"component": "repetition", "ngram": 0}, "greater than or equal to 1"),
        ({"component": "repetition", "ngram": -2}, "greater than or equal to 1"),
        ({"component": "repetition", "ngram": 2.5}, "valid integer"),
        ({"component": "repetition", "ngram": 3, "max_penalty": 1.0}, "less than or equal to 0"),
        ({"component": "repetition", "ngram": 3, "max_len": 9}, "max_len does nothing"),
        ({"component": "repetition", "ngram": 10**6}, "less than or equal to 1000"),
        ({"component": "target", "min_len": 9, "max_len": 3}, "min_len 9 exceeds max_len 3"),
        ({"component": "filler", "phrases": [""]}, "at least 2"),
        ({"component": "filler", "phrases": ["   "]}, "pattern"),
        ({"component": "filler", "phrases": "sure"}, "valid tuple"),
        ({"component": "filler", "unit": "words"}, "unit does nothing"),
        ({"component": "duplicates", "ngram": 2}, "ngram does nothing"),
    ],
)
def test_a_configuration_that_cannot_work_is_refused(config, message):
    with pytest.raises(ValidationError, match=message):
        Length(**config)


@pytest.mark.parametrize(
    "config",
    [
        {"max_len": 512, "weight": 0.1},
        {"max_len": 4096, "cache_len": 512, "unit": "tokens", "tokenizer": None},
        {"component": "repetition", "ngram": 4, "max_penalty": -0.5},
        {"component": "repetition", "ngram": 4, "unit": "words"},
        {"component": "target", "min_len": 3, "max_len": 9},
        {"component": "cosine", "max_len": 9, "unit": "words"},
        {"component": "duplicates"},
        {"component": "filler", "phrases": ["per my last email"]},
    ],
)
def test_configurations_survive_a_round_trip(config):
    reward = Length(**config)
    assert Length.model_validate(json.loads(json.dumps(reward.model_dump(mode="json")))) == reward
    assert pickle.loads(pickle.dumps(reward)) == reward


def test_a_failure_counts_as_the_worst_penalty():
    assert Length(max_len=9).range() == (-1.0, 0.0)
    assert Length(component="duplicates", max_penalty=-0.25).range() == (-0.25, 0.0)


def test_every_field_is_documented_and_it_runs_inline():
    properties = Length.model_json_schema()["properties"]
    assert [name for name, field in properties.items() if not field.get("description")] == []
    assert (Length.bounded, Length(max_len=9).isolation) == (True, "inline")
