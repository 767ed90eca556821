"""Rules that span sections: the outcome exists, an optimizer step holds whole groups, vLLM serves the rank."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guerdon import ConfigError
from guerdon.config import build_config
from guerdon.config.run import VLLM_RANKS


def test_the_batch_is_counted_in_prompts(config):
    built = config(
        algorithm__group_size=4, runtime={"per_device_batch_size": 2, "gradient_accumulation_steps": 8, "nodes": 2}
    )
    assert built.mini_batch_prompts == 2 * 8 * 2 // 4
    assert built.prompts_per_step == built.mini_batch_prompts


def test_a_step_may_hold_several_optimizer_steps(config):
    built = config(runtime__prompts_per_step=6)
    assert (built.mini_batch_prompts, built.prompts_per_step) == (2, 6)


NO_WHOLE_GROUPS = (
    "runtime: per_device_batch_size x gradient_accumulation_steps x devices = 16 samples, which "
    "algorithm.group_size 7 does not divide; an optimizer step must hold whole groups"
)
NO_MULTIPLE = (
    "runtime.prompts_per_step 3 is no multiple of the 2 prompts of one optimizer step (16 samples / group_size 8)"
)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"algorithm__group_size": 7}, NO_WHOLE_GROUPS),
        ({"runtime__prompts_per_step": 3}, NO_MULTIPLE),
        ({"outcome": "anwser"}, "outcome 'anwser' is no component; rewards has answer, boxes"),
        (
            {"runtime__backend": "cluster", "adapter__rank": 24},
            "adapter.rank 24 is none that vLLM serves; choose one of 1, 8, 16, 32, 64, 128, 256, 320, 512",
        ),
    ],
)
def test_a_broken_rule_names_fields_values_and_remedy(fields, said, config):
    with pytest.raises(ConfigError) as caught:
        config(**fields)
    assert str(caught.value).splitlines() == ["configuration is not valid:", f"  {said}"]


def test_any_rank_trains_locally_and_those_of_vllm_anywhere(config):
    assert config(adapter__rank=24).adapter.rank == 24
    for rank in VLLM_RANKS:
        assert config(adapter__rank=rank, runtime__backend="cluster").adapter.rank == rank


@settings(max_examples=40, deadline=None)
@given(
    group=st.integers(2, 16),
    device=st.integers(1, 8),
    accumulation=st.integers(1, 16),
    nodes=st.integers(1, 4),
    steps=st.integers(1, 5) | st.none(),
)
def test_what_is_accepted_divides(group, device, accumulation, nodes, steps):
    runtime = {"per_device_batch_size": device, "gradient_accumulation_steps": accumulation, "nodes": nodes}
    if steps:
        runtime["prompts_per_step"] = steps
    data = {
        "run": {"name": "t"},
        "model": {"name_or_path": "./m"},
        "algorithm": {"group_size": group},
        "runtime": runtime,
        "data": {"train_manifest": "t"},
        "outcome": "length",
        "rewards": {"length": {"max_len": 10, "cache_len": 2}},
    }
    samples = device * accumulation * nodes
    try:
        config, _ = build_config(data)
    except ConfigError:
        assert samples % group or (steps or 0) % (samples // group)
    else:
        assert config.mini_batch_prompts * group == samples
        assert config.prompts_per_step % config.mini_batch_prompts == 0


def test_a_component_without_use_is_the_reward_of_its_name(config):
    built = config(rewards__length={"max_len": 9, "cache_len": 3}, rewards__safety=None)
    assert built.rewards["length"].max_len == 9
    assert built.rewards["safety"].name == "safety"


@pytest.mark.parametrize(
    ("rewards", "said"),
    [
        ({"answer": None}, "rewards.answer: no reward named 'answer'. Installed: "),
        ({"answer": {"use": "corectness"}}, "rewards.answer: no reward named 'corectness'. Did you mean 'correctness"),
        ({"answer": {"use": 5}}, "rewards.answer: no reward named '5'"),
        ({"answer": 5}, "rewards.answer: Input should be a valid dictionary"),
        ({}, "rewards: Dictionary should have at least 1 item"),
        ([1], "rewards: Input should be a valid dictionary"),
    ],
)
def test_what_is_no_component(rewards, said, config):
    with pytest.raises(ConfigError) as caught:
        config(rewards=rewards)
    assert f"  {said}" in str(caught.value)


def test_the_field_of_a_component_is_named_by_its_full_path(config):
    with pytest.raises(ConfigError, match=r"rewards\.boxes\.foo: no such field"):
        config(rewards__boxes__foo=1)
