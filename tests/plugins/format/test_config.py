import json
import pickle

import pytest
from pydantic import ValidationError

from guerdon import Sample
from guerdon_plugins.format import Format


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"format": "boxd"}, "'think_answer', 'think', 'tags', 'boxed', 'json', 'bbox', 'rules' or 'pattern'"),
        ({"fromat": "boxed"}, "fromat"),
        ({"format": "tags"}, "needs tags"),
        ({"tags": []}, "at least 1"),
        ({"tags": ["think", "think"]}, "stands twice"),
        ({"tags": ["think", "Think"]}, "stands twice"),
        ({"tags": ["<think>"]}, "write think for <think>"),
        ({"tags": ["a b"]}, "no tag name"),
        ({"tags": "think"}, "valid tuple"),
        ({"tags": ["a"], "format": "think_answer"}, "tags does nothing for format 'think_answer'"),
        ({"tags": ["a"], "format": "boxed"}, "tags does nothing for format 'boxed'"),
        ({"format": "bbox"}, "needs syntax"),
        ({"format": "bbox", "syntax": "yolo"}, "'qwen_special' or 'json_bbox_2d'"),
        ({"format": "pattern"}, "needs pattern"),
        ({"format": "pattern", "pattern": ""}, "at least 1 character"),
        ({"format": "pattern", "pattern": "("}, "missing"),
        ({"format": "pattern", "pattern": "(?!a)"}, "look-around"),
        ({"pattern": "a"}, "pattern does nothing for format 'think_answer'; it belongs to pattern"),
        ({"schema": {}}, "schema does nothing for format 'think_answer'; it belongs to json"),
        ({"format": "boxed", "allow_fence": True}, "allow_fence does nothing"),
        ({"format": "json", "syntax": "qwen_special"}, "syntax does nothing"),
        ({"format": "json", "min_reasoning": 3}, "min_reasoning does nothing"),
        ({"format": "json", "answer_format": {"format": "boxed"}}, "answer_format does nothing"),
        (
            {"format": "rules", "reject_prompt_copy": True, "rules": [{"id": "text:ends", "text": "a"}]},
            "reject_prompt_copy does",
        ),
        ({"format": "json", "schema": {}, "schema_from": "reference"}, "contradict"),
        ({"format": "json", "schema_from": "prompt"}, "reference"),
        ({"format": "json", "check_formats": True}, "no schema to take formats from"),
        ({"format": "json", "schema": {"format": "colour"}, "check_formats": True}, "cannot check 'colour'"),
        ({"strict": "very"}, "boolean"),
        ({"min_reasoning": 0}, "greater than or equal to 1"),
        ({"min_reasoning": True}, "valid integer"),
        ({"special_tokens": [""]}, "at least 1 character"),
        ({"special_tokens": "<|im_end|>"}, "valid tuple"),
        ({"prefill": "Sure! <think>"}, "must begin with <think>"),
        ({"prefill": "<answer>"}, "must begin with <think>"),
        ({"prefill": "<think>", "tags": ["answer"]}, "must begin with <answer>"),
        ({"answer_format": {"format": "json", "schemaa": {}}}, r"answer_format\.schemaa"),
        ({"answer_format": {"weight": 2}}, r"answer_format\.weight"),
        ({"answer_format": "json"}, "answer_format"),
        ({"weight": float("inf")}, "finite"),
    ],
)
def test_a_configuration_that_cannot_work_is_refused(config, message):
    with pytest.raises(ValidationError, match=message):
        Format(**config)


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"format": "think", "strict": False},
        {"tags": ["think", "answer"]},
        {"format": "json", "strict": True},
        {
            "format": "json",
            "schema": {"type": "object"},
            "check_formats": True,
            "allow_prose": True,
            "exactly_one": True,
        },
        {"format": "json", "schema_from": "reference"},
        {"format": "bbox", "syntax": "json_bbox_2d", "allow_fence": True},
        {"format": "rules", "rules": [{"id": "keywords:exist", "keywords": ["a"]}]},
        {"format": "boxed", "prefill": "<think>\n", "special_tokens": ["</s>"], "partial": True},
        {"answer_format": {"format": "json", "schema": {"type": "object"}}, "weight": 0.2},
        {"format": "pattern", "pattern": "a+"},
    ],
)
def test_configurations_survive_a_round_trip(config):
    reward = Format(**config)
    again = Format.model_validate(json.loads(json.dumps(reward.model_dump(mode="json"))))
    assert again == reward
    assert pickle.loads(pickle.dumps(reward)) == reward
    sample = Sample("s", '{"a": 1}', reference={"schema": True})
    assert pickle.loads(pickle.dumps(reward)).score(sample) == reward.score(sample)


def test_the_key_is_schema_everywhere():
    reward = Format(format="json", schema={"type": "object"})
    assert reward.model_dump(exclude_unset=True) == {"format": "json", "schema": {"type": "object"}}
    properties = Format.model_json_schema()["properties"]
    assert "schema" in properties
    assert "json_schema" not in properties
    with pytest.raises(ValidationError, match="json_schema"):
        Format(format="json", json_schema={"type": "object"})


def test_every_field_is_documented():
    properties = Format.model_json_schema()["properties"]
    assert [name for name, field in properties.items() if not field.get("description")] == []


def test_the_range_is_zero_to_one_and_it_runs_inline():
    assert Format().range() == (0.0, 1.0)
    assert (Format.bounded, Format().isolation) == (True, "inline")
