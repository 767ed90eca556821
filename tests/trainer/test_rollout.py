"""Rollouts by group: order, seeds, and rewards that overlap generation."""

import asyncio
import random
import time

import pytest

from guerdon import ScoringError
from guerdon.config import build_config
from guerdon.manifest import Prompt
from guerdon.scoring.engine import Engine
from guerdon_trainer.rollout import as_group, roll_out
from guerdon_trainer.sampling import Completion, Rendered
from guerdon_trainer.seeds import derive

HANG_S = 60
MARKING = """
from pathlib import Path
from typing import ClassVar
from guerdon import Reward, hookimpl

class Marks(Reward):
    name: ClassVar[str] = "marks"
    def score(self, sample):
        if sample.completion == "raise":
            raise ValueError("asked to")
        Path(sample.metadata["folder"], sample.group_id).touch()
        return 0.5

@hookimpl
def register_rewards(register):
    register(Marks)
"""


class Shuffled:
    """Ends groups in another order than asked, each after a while; a completion says which seed it had."""

    def __init__(self, order=None):
        self.order, self.asked = order, []

    async def render(self, prompt):
        await asyncio.sleep(random.random() / 100)
        return Rendered([len(prompt.id)])

    async def sample(self, requests, *, temperature, max_tokens):
        self.asked = [(r.rendered.token_ids, list(r.seeds), temperature, max_tokens) for r in requests]
        order = self.order or random.sample(range(len(requests)), len(requests))
        for index in order:
            await asyncio.sleep(0.002)
            yield index, [Completion([1, 2], [-0.1, -0.2], f"{seed}", True) for seed in requests[index].seeds]


def build(rewards, plugins=()):
    data = {
        "run": {"name": "t"},
        "model": {"name_or_path": "./m"},
        "data": {"train_manifest": "t"},
        "plugins": list(plugins),
        "outcome": next(iter(rewards)),
        "rewards": rewards,
    }
    return build_config(data)


@pytest.fixture(scope="module")
def engine():
    config, plugins = build({"brief": {"use": "length", "max_len": 9, "cache_len": 3}})
    with Engine(config.rewards, plugins=plugins) as running:
        yield running


def prompts(count, **metadata):
    return [Prompt(f"p{i}", [{"role": "user", "content": "?"}], {"answer": i}, metadata, ()) for i in range(count)]


def roll(asked, sampler, engine, **changes):
    settings = {"samples": 3, "temperature": 0.7, "max_tokens": 9, "seed": 1, "step": 2, "phase": "train"} | changes
    return asyncio.run(roll_out(asked, sampler, engine, **settings))


def test_groups_come_back_in_the_order_of_the_prompts(engine):
    asked = prompts(8)
    groups, times = roll(asked, Shuffled(), engine)
    assert [group.prompt for group in groups] == asked
    for group in groups:
        assert group.scored.group.id == group.prompt.id
        assert [sample.id for sample in group.scored.group.samples] == [f"{group.prompt.id}/{i}" for i in range(3)]
        assert [sample.completion for sample in group.scored.group.samples] == [c.text for c in group.completions]
        assert group.rendered.token_ids == [len(group.prompt.id)]
        assert [row[0].sample_id for row in group.scored.records] == [s.id for s in group.scored.group.samples]
    assert min(times.render, times.generate, times.wait_for_rewards) >= 0
    assert times.generate > 8 * 0.002


def test_seeds_depend_on_seed_phase_step_prompt_and_index_alone(engine):
    def seeds(asked, **changes):
        sampler = Shuffled()
        groups, _ = roll(asked, sampler, engine, **changes)
        return {group.prompt.id: [int(completion.text) for completion in group.completions] for group in groups}

    asked = prompts(4)
    first = seeds(asked)
    assert first == {p.id: [derive(1, "train", 2, p.id, i) for i in range(3)] for p in asked}
    assert seeds(asked[::-1]) == first, "the order of the prompts does not matter"
    assert seeds(asked[2:3]) == {"p2": first["p2"]}, "nor do the others"
    assert {k: v[:2] for k, v in first.items()} == seeds(asked, samples=2), "nor does the size of the group"
    assert seeds(asked, temperature=0.0, max_tokens=3) == first
    for change in ({"seed": 9}, {"step": 3}, {"phase": "eval-sampled"}):
        assert not set(first["p0"]) & set(seeds(asked, **change)["p0"]), change


def test_the_sampler_is_asked_once_for_everything(engine):
    sampler = Shuffled()
    roll(prompts(3), sampler, engine, samples=2)
    assert [(ids, len(seeds), t, m) for ids, seeds, t, m in sampler.asked] == [([2], 2, 0.7, 9)] * 3


def test_rewards_see_the_whole_context(pictures):
    prompt = Prompt("p", [{"role": "user", "content": "?"}], {"answer": 1}, {"modality": "image"}, tuple(pictures))
    group = as_group(prompt, [Completion([4, 5], [-1.0, -1.0], "a", True), Completion([6], [-1.0], "b", False)], step=7)
    first, second = group.samples
    assert (first.id, first.group_id, first.index, first.step) == ("p/0", "p", 0, 7)
    assert (first.completion, first.completion_tokens, first.truncated) == ("a", [4, 5], False)
    assert (second.index, second.truncated, second.tokens) == (1, True, 1)
    assert (first.prompt, first.reference, first.metadata) == (prompt.messages, prompt.reference, prompt.metadata)
    assert list(first.images) == pictures


def test_rewards_run_while_other_groups_still_generate(tmp_path):
    """The last group is generated only when the first one's reward has left its mark: without overlap, never."""
    (tmp_path / "marks.py").write_text(MARKING)
    config, plugins = build({"marks": {}}, [str(tmp_path / "marks.py")])
    marks = tmp_path / "marks"
    mark = marks / "p1"
    marks.mkdir()

    class Waiting(Shuffled):
        async def sample(self, requests, *, temperature, max_tokens):
            yield 1, [Completion([1], [-0.1], "x", True)]
            end = time.monotonic() + HANG_S
            while not mark.exists():
                assert time.monotonic() < end, "the reward waits for generation to end"
                await asyncio.sleep(0.01)
            yield 0, [Completion([1], [-0.1], "y", True)]

    with Engine(config.rewards, plugins=plugins, workers=1) as running:
        groups, times = roll(prompts(2, folder=str(marks)), Waiting(), running, samples=1)
    assert [group.completions[0].text for group in groups] == ["y", "x"]
    assert [group.scored.records[0][0].value for group in groups] == [0.5, 0.5]
    assert times.wait_for_rewards < HANG_S


def test_a_component_that_must_not_fail_ends_the_rollout(tmp_path):
    (tmp_path / "marks.py").write_text(MARKING)
    config, plugins = build({"marks": {"missing": "fail"}}, [str(tmp_path / "marks.py")])

    class Failing(Shuffled):
        async def sample(self, requests, *, temperature, max_tokens):
            yield 0, [Completion([1], [-0.1], "raise", True)]

    with Engine(config.rewards, plugins=plugins, workers=1) as running, pytest.raises(ScoringError, match="marks"):
        roll(prompts(1, folder=str(tmp_path)), Failing(), running, samples=1)
