"""``guerdon rewards explain`` has what a user needs of every built-in reward."""

import inspect
import textwrap

import pytest
from typer.testing import CliRunner

from guerdon import Reward, load_plugins
from guerdon.cli import app
from guerdon.yaml import parse_yaml
from guerdon_plugins import BlindProbe, Correctness, Format, Grounding, Length, Safety

REWARDS = [Correctness, Format, Grounding, Length, Safety, BlindProbe]


def example(reward: type[Reward]) -> tuple[str, dict[str, object]]:
    text = inspect.cleandoc(reward.__doc__ or "").partition("Example:\n")[2].partition("\n\n")[0]
    [(component, fields)] = parse_yaml(textwrap.dedent(text), "docstring").items()
    assert isinstance(fields, dict)
    return component, dict(fields)


@pytest.mark.parametrize("reward", REWARDS)
def test_it_prints_conventions_range_example_and_abstentions(reward: type[Reward]) -> None:
    done = CliRunner().invoke(app, ["rewards", "explain", reward.name], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    low, high = reward.value_range
    assert f"values from {low:g} to {high:g}" in done.output
    assert "Example:\n    " in done.output
    assert "bstains" in done.output
    assert all(field in done.output for field in reward.model_fields)


@pytest.mark.parametrize("reward", [reward for reward in REWARDS if reward is not BlindProbe])
def test_its_example_is_a_valid_configuration(reward: type[Reward]) -> None:
    _, fields = example(reward)
    assert fields.pop("use") == reward.name
    assert load_plugins().entry(reward.name).reward.model_validate(fields).weight == fields["weight"]
