"""SkyRL's generator interface over rollouts by group."""

import asyncio

import pytest
import torch

import guerdon_trainer.skyrl
from guerdon import Group, Sample, ScoredGroup
from guerdon.config import build_config, dump_config
from guerdon.manifest import Prompt
from guerdon.scoring.engine import Engine
from guerdon_trainer.rollout import RolledGroup, RolloutTimes
from guerdon_trainer.sampling import Completion, Rendered
from guerdon_trainer.seeds import derive
from guerdon_trainer.skyrl.data import as_row
from guerdon_trainer.skyrl.generator import GroupGenerator, as_generator_output

assert guerdon_trainer.skyrl

from skyrl.train.generators.utils import prepare_generator_input  # noqa: E402

PROMPTS = [Prompt(f"p{i}", [{"role": "user", "content": f"{i}?"}], {}, {}, ()) for i in range(3)]


class Echo:
    """Writes its seed."""

    async def render(self, prompt):
        return Rendered([7, int(prompt.id[1:])])

    async def sample(self, requests, *, temperature, max_tokens):
        for index in reversed(range(len(requests))):
            yield (
                index,
                [
                    Completion([1, 2, 3][: 1 + i], [-0.5] * (1 + i), f"{seed}|{temperature}|{max_tokens}", i == 0)
                    for i, seed in enumerate(requests[index].seeds)
                ],
            )


@pytest.fixture
def generator(run_config):
    rewards = {"answer": {"use": "length", "max_len": 9, "cache_len": 3}}
    config, plugins = build_config(dump_config(run_config(rewards=rewards)))
    with Engine(config.rewards, plugins=plugins) as engine:
        yield GroupGenerator(Echo(), engine, seed=5, temperature=0.8, max_tokens=11)


def generate(generator, step=3, samples=2):
    rows = [as_row(prompt) for prompt in PROMPTS]
    batch, uids = prepare_generator_input(rows, samples, {}, "guerdon", "train", step)
    return asyncio.run(generator.generate(batch)), uids


def test_one_trajectory_a_sample_in_skyrls_order(generator):
    output, uids = generate(generator)
    assert uids == ["p0", "p0", "p1", "p1", "p2", "p2"]
    assert output["prompt_token_ids"] == [[7, 0]] * 2 + [[7, 1]] * 2 + [[7, 2]] * 2
    assert output["response_ids"] == [[1], [1, 2]] * 3
    assert output["loss_masks"] == [[1], [1, 1]] * 3
    assert output["rollout_logprobs"] == [[-0.5], [-0.5, -0.5]] * 3
    assert output["stop_reasons"] == ["stop", "length"] * 3
    assert output["rewards"] == [0.0] * 6
    assert output["pixel_values"] is None
    metrics = output["rollout_metrics"]
    assert (metrics["rollout/tokens"], metrics["rollout/length_mean"], metrics["rollout/truncated"]) == (9.0, 1.5, 0.5)


def test_the_step_seeds_and_the_settings_reach_the_sampler(generator):
    generate(generator, step=3)
    groups = generator.take(["p1"])
    expected = [f"{derive(5, 'train', 3, 'p1', i)}|0.8|11" for i in range(2)]
    assert [completion.text for completion in groups[0].completions] == expected


def test_greedy_is_not_taken_for_unset(generator):
    groups, _ = asyncio.run(generator.roll_out(PROMPTS[:1], samples=1, step=0, phase="eval-greedy", temperature=0.0))
    assert groups[0].completions[0].text.split("|")[1] == "0.0"


def test_scored_groups_wait_by_uid_and_are_forgotten_once_taken(generator):
    _, uids = generate(generator)
    groups = generator.take([uids[4], uids[5], uids[0]])
    assert [group.prompt.id for group in groups] == ["p2", "p0"]
    assert all(len(group.scored.records) == 2 for group in groups)
    with pytest.raises(KeyError):
        generator.take(["p1"])


def rolled(rendered):
    groups = []
    for index, row in enumerate(rendered):
        prompt = Prompt(f"g{index}", [], {}, {}, ())
        sample = Sample(f"g{index}/0", "x")
        scored = ScoredGroup(Group(prompt.id, [sample]), (), [[]])
        groups.append(RolledGroup(prompt, row, [Completion([1], [-0.1], "x", True)] * 2, scored))
    return groups


def test_images_are_one_tensor_a_sample_and_empty_for_text(rendered):
    output = as_generator_output(rolled(rendered), None, RolloutTimes())
    pixels, grids = output["pixel_values"], output["image_grid_thw"]
    assert [len(grid) for grid in grids] == [0, 0, 1, 1, 2, 2]
    assert [len(tensor) for tensor in pixels] == [int(grid.prod(-1).sum()) for grid in grids]
    assert len({tensor.shape[1:] for tensor in pixels}) == len({tensor.dtype for tensor in pixels}) == 1
    assert pixels[2] is pixels[3] is rendered[1].pixel_values, "siblings share the tensor"
    assert len({grid.dtype for grid in grids}) == 1


def test_skyrl_makes_a_training_batch_of_it(rendered):
    from skyrl.backends.skyrl_train.training_batch import TensorList

    output = as_generator_output(rolled(rendered), None, RolloutTimes())
    pixels = TensorList(output["pixel_values"])
    assert len(pixels.tensors) == 6
    assert torch.cat(pixels.tensors).shape[0] == sum(len(tensor) for tensor in output["pixel_values"])


def test_text_alone_has_no_image_tensors(rendered):
    output = as_generator_output(rolled(rendered[:1]), None, RolloutTimes())
    assert output["pixel_values"] is None
    assert output["image_grid_thw"] is None


def test_throughput_of_an_instant_rollout_is_finite(rendered):
    metrics = as_generator_output(rolled(rendered), None, RolloutTimes())["rollout_metrics"]
    assert metrics["rollout/tokens"] == 6.0
    assert 0 < metrics["rollout/tokens_per_second"] < float("inf")
