"""The cluster's sampler against a client with the shapes of SkyRL's `RemoteInferenceClient`."""

import asyncio
import inspect

import pytest
import torch

import guerdon_trainer.skyrl
from guerdon_trainer.cluster import sampler as module
from guerdon_trainer.cluster.sampler import FORBID, ClusterSampler
from guerdon_trainer.sampling import Rendered, Request, forbidden_ids

assert guerdon_trainer.skyrl

from skyrl.backends.skyrl_train.inference_servers.remote_inference_client import (  # noqa: E402
    SKYRL_LORA_ADAPTER_NAME,
    RemoteInferenceClient,
)


class Client:
    """Answers as vLLM does behind SkyRL's client; a request takes the longer the smaller its seed."""

    model_name = "/models/base"

    def __init__(self, features=None):
        self.features, self.rendered, self.generated = features, [], []

    async def render_chat_completion(self, request_payload):
        self.rendered.append(request_payload)
        return {"request_id": "r", "token_ids": [5, 6, 7], "features": self.features}

    async def generate(self, input_batch, model=None):
        self.generated.append((input_batch, model))
        (prompt,), seed = input_batch["prompt_token_ids"], input_batch["sampling_params"]["seed"]
        await asyncio.sleep(0.02 if seed < 10 else 0.0)
        ids = [*prompt, seed]
        return {
            "responses": [f"text {seed}"],
            "stop_reasons": ["stop" if seed % 2 == 0 else "length"],
            "response_ids": [ids],
            "response_logprobs": [[-0.1 * i for i in range(len(ids))]],
            "rollout_expert_indices": None,
            "rollout_sample_support": None,
        }


def test_skyrls_client_still_has_the_methods_that_are_called():
    render = inspect.signature(RemoteInferenceClient.render_chat_completion)
    generate = inspect.signature(RemoteInferenceClient.generate)
    assert list(render.parameters) == ["self", "request_payload"]
    assert list(generate.parameters)[:3] == ["self", "input_batch", "model"]
    assert "model_name" in RemoteInferenceClient.__dataclass_fields__


def test_a_prompt_is_rendered_where_the_model_is_served(prompts, processor):
    client = Client()
    rendered = asyncio.run(ClusterSampler(client, processor.tokenizer).render(prompts[1]))
    assert rendered.token_ids == [5, 6, 7]
    assert (rendered.pixel_values, rendered.image_grid_thw, rendered.features) == (None, None, None)
    (payload,) = client.rendered
    assert payload["json"]["model"] == "/models/base"
    image, text = payload["json"]["messages"][0]["content"]
    assert image["image_url"]["url"].startswith("data:image/png;base64,")
    assert text["text"] == "what color is the shape?"


def test_image_features_are_decoded_for_the_trainer_and_kept_for_the_engine(prompts, processor, monkeypatch):
    features = {"kwargs_data": {"image": ["..."]}, "mm_hashes": {"image": ["h"]}}
    decoded = {"pixel_values": torch.ones(4, 6), "image_grid_thw": torch.tensor([[1, 2, 2]])}
    monkeypatch.setattr(module, "decode_mm_kwargs", lambda kwargs: decoded if kwargs is features["kwargs_data"] else {})
    client = Client(features)
    sampler = ClusterSampler(client, processor.tokenizer)
    rendered = asyncio.run(sampler.render(prompts[1]))
    assert rendered.pixel_values is decoded["pixel_values"]
    assert rendered.image_grid_thw is decoded["image_grid_thw"]
    collect(sampler, [Request(rendered, [1])])
    assert client.generated[0][0]["mm_features"] == [features]


def collect(sampler, requests, temperature=0.7, max_tokens=9):
    async def gather():
        return [pair async for pair in sampler.sample(requests, temperature=temperature, max_tokens=max_tokens)]

    return asyncio.run(gather())


def test_each_completion_is_a_request_with_its_own_seed(processor):
    client = Client()
    sampler = ClusterSampler(client, processor.tokenizer)
    collect(sampler, [Request(Rendered([1, 2]), [11, 12]), Request(Rendered([3]), [13])])
    assert len(client.generated) == 3
    for batch, model in client.generated:
        assert model == SKYRL_LORA_ADAPTER_NAME
        assert batch["mm_features"] is None
        parameters = batch["sampling_params"]
        assert (parameters["temperature"], parameters["max_tokens"]) == (0.7, 9)
        assert (parameters["top_p"], parameters["top_k"], parameters["logprobs"]) == (1.0, -1, 1)
        assert parameters["logit_bias"] == dict.fromkeys(forbidden_ids(processor.tokenizer), FORBID)
        assert batch["session_ids"] == [str(parameters["seed"])]
    assert sorted(batch["sampling_params"]["seed"] for batch, _ in client.generated) == [11, 12, 13]


def test_groups_come_as_they_end_and_completions_in_the_order_of_their_seeds(processor):
    requests = [Request(Rendered([1]), [2, 20]), Request(Rendered([4]), [31, 30, 33])]
    pairs = collect(ClusterSampler(Client(), processor.tokenizer), requests)
    assert [index for index, _ in pairs] == [1, 0], "the first group has a slow member"
    done = dict(pairs)
    assert [completion.text for completion in done[0]] == ["text 2", "text 20"]
    assert [completion.text for completion in done[1]] == ["text 31", "text 30", "text 33"]
    slow = done[0][0]
    assert slow.token_ids == [1, 2]
    assert slow.logprobs == [-0.0, -0.1]
    assert slow.finished is True
    assert done[1][0].finished is False


def test_an_error_of_the_engine_reaches_the_trainer(processor):
    class Broken(Client):
        async def generate(self, input_batch, model=None):
            raise ConnectionError("server gone")

    with pytest.raises(ConnectionError, match="server gone"):
        collect(ClusterSampler(Broken(), processor.tokenizer), [Request(Rendered([1]), [1])])
