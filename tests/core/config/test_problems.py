"""Errors in the words of the file, not of pydantic."""

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError, model_validator

from guerdon import ConfigError
from guerdon.config.problems import describe


class Nested(BaseModel):
    constant: float


class Model(BaseModel, extra="forbid"):
    size: int = 0
    mode: Literal["a", "b"] | Nested = "a"
    many: list[Nested] = []
    either: float | Literal["auto"] = 0.0
    table: dict[Annotated[int, Field(ge=1)], float] = {}

    @model_validator(mode="after")
    def _rule(self) -> "Model":
        if self.size == 13:
            raise ValueError("size 13 is unlucky; take 12")
        return self


def lines(data: dict) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        Model.model_validate(data)
    return describe(caught.value, data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"size": "x"}, ["  size: Input should be a valid integer, unable to parse string as an integer (found 'x')"]),
        ({"sise": 1}, ["  sise: no such field; `guerdon config schema` lists them"]),
        ({"size": 13}, ["  size 13 is unlucky; take 12"]),
        ({"mode": "c"}, ["  mode: Input should be 'a' or 'b' (found 'c')"]),
        ({"mode": {}}, ["  mode.constant: Field required"]),
        ({"mode": {"constant": []}}, ["  mode.constant: Input should be a valid number (found [])"]),
        ({"many": [{"constant": 1}, {}]}, ["  many.1.constant: Field required"]),
        ({"table": {0: 1.0}}, ["  table.0: Input should be greater than or equal to 1 (found 0)"]),
    ],
)  # fmt: skip
def test_one_line_for_each_wrong_field(data, expected):
    assert lines(data) == expected


def test_nothing_is_swallowed_where_no_form_fits():
    found = lines({"either": {"x": 1}})
    assert len(found) == 2
    assert all(line.startswith("  either: Input should be") for line in found)


def test_a_long_value_is_cut():
    (line,) = lines({"size": "x" * 5000})
    assert len(line) < 400


LINEAR = {"schedule": "linear", "start": 0, "end": 1}


@pytest.mark.parametrize(
    ("weight", "said"),
    [
        (-1, "rewards.boxes.weight: Input should be greater than or equal to 0 (found -1)"),
        ("high", "rewards.boxes.weight: Input should be a valid number, unable to parse string as a number"),
        (LINEAR, "rewards.boxes.weight.last: Field required"),
        (LINEAR | {"first": 5, "last": 5}, "rewards.boxes.weight: the schedule ends at step 5"),
        ({"schedule": "lin"}, "rewards.boxes.weight: Input tag 'lin' found using 'schedule' does not match"),
    ],
)
def test_a_weight_is_read_in_the_form_that_was_meant(weight, said, config):
    with pytest.raises(ConfigError) as caught:
        config(rewards__boxes__weight=weight)
    _, line = str(caught.value).splitlines()
    assert line.startswith(f"  {said}")


def test_all_wrong_fields_are_told_at_once(config):
    with pytest.raises(ConfigError) as caught:
        config(run__seed=-1, rewards__boxes__timeout_s=0, runtme={})
    told = [line.strip().partition(":")[0] for line in str(caught.value).splitlines()[1:]]
    assert told == ["run.seed", "rewards.boxes.timeout_s", "runtme"]
