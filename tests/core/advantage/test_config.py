import math

import pytest
from pydantic import ValidationError

from guerdon import ConfigError, Reward
from guerdon.advantage import AdvantageConfig, check_advantage


class Plain(Reward):
    name = "plain"

    def score(self, sample):
        return 1.0


class Penalty(Plain):
    name = "penalty"
    value_range = (-1.0, 0.0)


class Unbounded(Plain):
    name = "unbounded"
    value_range = (-math.inf, math.inf)


REWARDS = {"answer": Plain(), "brief": Penalty(), "seen": Plain(role="monitor")}


def test_the_default_is_gdpo_without_a_filter():
    config = AdvantageConfig()
    assert (config.advantage, config.advantage_scale, config.filter) == ("gdpo", "std", "none")
    check_advantage(config, REWARDS, "answer")


def test_every_field_is_documented():
    properties = AdvantageConfig.model_json_schema()["properties"]
    assert all(field.get("description") for field in properties.values())


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"advantage": "gdpo", "advantage_scale": "none"}, "set advantage: sum"),
        ({"advantage": "gate"}, "belongs to advantage: gate"),
        ({"gates": {"a": "b"}}, "belongs to advantage: gate"),
        ({"advantage": "lexicographic"}, "belongs to advantage: lexicographic"),
        ({"priority": ["a"]}, "belongs to advantage: lexicographic"),
        ({"advantage": "grpo"}, "'sum', 'gdpo', 'gate', 'product' or 'lexicographic'"),
        ({"advantage_sclae": "std"}, "Extra inputs"),
        ({"advantage": "gate", "gates": {"a": "b"}, "gate_threshold": math.nan}, "finite"),
    ],
)
def test_contradictions_are_refused_with_the_remedy(fields, message):
    with pytest.raises(ValidationError, match=message):
        AdvantageConfig(**fields)


def gate(**fields):
    return AdvantageConfig(advantage="gate", **fields)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (gate(gates={"brief": "anwser"}), r"algorithm.gates.brief: 'anwser' is no trained component.*answer, brief"),
        (gate(gates={"shape": "answer"}), "'shape' is no trained component"),
        (gate(gates={"brief": "seen"}), "'seen' is no trained component"),
        (gate(gates={"answer": "answer"}), "cannot gate itself"),
        (gate(gates={"brief": "answer"}, gate_threshold=0.0), "must lie above the lowest value"),
        (gate(gates={"brief": "answer"}, gate_threshold=1.5), "never opens"),
        (AdvantageConfig(advantage="lexicographic", priority=["answer"]), "must name each trained component"),
        (AdvantageConfig(advantage="lexicographic", priority=["answer", "brief", "brief"]), "once"),
        (AdvantageConfig(filter="outcome"), "needs `outcome:`"),
    ],
)
def test_a_rule_that_does_not_fit_the_rewards_is_refused(config, message):
    with pytest.raises(ConfigError, match=message):
        check_advantage(config, REWARDS, None)


def test_gates_and_priorities_that_fit_pass():
    check_advantage(gate(gates={"brief": "answer"}), REWARDS, "answer")
    check_advantage(AdvantageConfig(advantage="lexicographic", priority=["answer", "brief"]), REWARDS, "answer")
    check_advantage(AdvantageConfig(advantage="product"), REWARDS, "answer")


def test_an_unbounded_component_cannot_be_multiplied_or_gated():
    rewards = {"answer": Plain(), "free": Unbounded()}
    with pytest.raises(ConfigError, match=r"rewards.free: advantage: product needs a bounded range"):
        check_advantage(AdvantageConfig(advantage="product"), rewards, None)
    with pytest.raises(ConfigError, match=r"rewards.free: advantage: gate needs a bounded range"):
        check_advantage(gate(gates={"free": "answer"}), rewards, None)
    check_advantage(AdvantageConfig(), rewards, None)


def test_monitors_alone_train_nothing():
    with pytest.raises(ConfigError, match="role: train"):
        check_advantage(AdvantageConfig(), {"seen": Plain(role="monitor")}, None)
