"""The local rollout engine without Ray: how requests are batched, and what SkyRL's client is asked."""

import asyncio
import pickle

import pytest

import guerdon_trainer.skyrl
from guerdon_trainer.local import engine
from guerdon_trainer.local.engine import GenerateActorBase, LocalClient, LocalSampler, split
from guerdon_trainer.sampling import Rendered, Request

assert guerdon_trainer.skyrl


class Remote:
    """A method of an actor handle: `.remote(...)` gives something to await."""

    def __init__(self, function):
        self.function = function

    def remote(self, *args):
        async def answer():
            await asyncio.sleep(0)
            return self.function(*args)

        return asyncio.ensure_future(answer())


class Handle:
    def __init__(self, actor):
        self.complete, self.load_adapter = Remote(actor.complete), Remote(actor.load_adapter)


class Recording:
    """Answers each request with its seeds, and remembers the calls."""

    def __init__(self):
        self.calls = []

    def complete(self, requests, temperature, max_tokens):
        self.calls.append((len(requests), temperature, max_tokens))
        return [list(request.seeds) for request in requests]

    def load_adapter(self, path):
        return len(path)


@pytest.mark.parametrize(
    ("sizes", "batches"),
    [
        ([], [[]]),
        ([8] * 3, [[0, 1, 2]]),
        ([32, 32, 1], [[0, 1], [2]]),
        ([64, 64], [[0], [1]]),
        ([100, 1, 100], [[0], [1], [2]]),
        ([60, 5, 59, 5], [[0], [1, 2], [3]]),
    ],
)
def test_groups_are_never_split(sizes, batches):
    assert split([Request(Rendered([1]), range(size)) for size in sizes]) == batches


def test_completions_come_back_under_their_index():
    actor = Recording()
    requests = [Request(Rendered([1]), range(start, start + 32)) for start in (0, 100, 200)]

    async def collect():
        sampler = LocalSampler(Handle(actor), None)
        return [pair async for pair in sampler.sample(requests, temperature=0.5, max_tokens=9)]

    assert asyncio.run(collect()) == [(i, list(request.seeds)) for i, request in enumerate(requests)]
    assert actor.calls == [(2, 0.5, 9), (1, 0.5, 9)]


def test_the_actor_samples_and_loads_adapters(model_path, rendered):
    actor = GenerateActorBase(model_path)
    ((completion,),) = actor.complete([Request(rendered[0], [1])], 0.0, 3)
    assert len(completion.token_ids) <= 3
    with pytest.raises(FileNotFoundError):
        actor.load_adapter("/no/such/adapter")


def test_rendering_gives_tokens_and_patches(rendered, processor):
    none, one, two = rendered
    assert none.pixel_values is None
    assert none.image_grid_thw is None
    for row, images in ((one, 1), (two, 2)):
        assert row.image_grid_thw.shape == (images, 3)
        patches = int(row.image_grid_thw.prod(-1).sum())
        assert row.pixel_values.shape[0] == patches
        assert row.token_ids.count(processor.image_token_id) == patches // processor.image_processor.merge_size**2


def test_the_client_loads_the_adapter_that_skyrl_wrote():
    client = LocalClient(Handle(Recording()), "/models/base")

    class LoraLoadRequest:
        lora_name, lora_path = "policy", "/scratch/adapter"

    async def ask():
        assert await client.get_world_size() == (1, 1)
        assert await client.is_sleeping() is False
        assert client.model_name == "/models/base"
        for nothing in (client.sleep, client.wake_up, client.pause_generation, client.resume_generation):
            assert await nothing(level=1) is None
        assert client.increment_weight_version() is None
        return await client.update_named_weights(LoraLoadRequest())

    assert asyncio.run(ask()) == {"name": "policy", "tensors": len("/scratch/adapter")}


def test_the_client_is_no_sampler():
    client = LocalClient(None, "base")
    with pytest.raises(NotImplementedError, match="sampled through LocalSampler"):
        asyncio.run(client.generate({}))
    with pytest.raises(NotImplementedError, match="no HTTP endpoint"):
        client.get_endpoint_url()


def test_the_client_pickles_and_ends_its_actor(monkeypatch):
    assert pickle.loads(pickle.dumps(LocalClient("handle", "base"))).model_name == "base"
    killed = []
    monkeypatch.setattr(engine.ray, "kill", killed.append)
    asyncio.run(LocalClient("handle", "base").teardown())
    assert killed == ["handle"]
