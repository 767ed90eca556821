"""Served greedy answers are the trained policy's: the trainer's own sampler against the server over HTTP."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from transformers import AutoProcessor

from guerdon.manifest import read_manifest
from guerdon_trainer.local.generate import Generator
from guerdon_trainer.quickstart.data import write_manifests
from guerdon_trainer.sampling import Rendered, Request, forbidden_ids, openai_messages

MAX_TOKENS = 48


@pytest.fixture(scope="module")
def held_out(tmp_path_factory):
    splits = write_manifests(tmp_path_factory.mktemp("data"), seed=0, train=0, eval=64, test=0)
    return read_manifest(splits.eval)


@pytest.fixture(scope="module")
def generator(base_folder, run_folder):
    generator = Generator(str(base_folder))
    generator.load_adapter(str(run_folder / "adapter"))
    return generator


@pytest.fixture(scope="module")
def trained(generator, base_folder, held_out):
    """What the trainer's rollout engine answers greedily, rendered as its local sampler renders."""
    processor = AutoProcessor.from_pretrained(base_folder)
    requests = []
    for prompt in held_out:
        text = processor.apply_chat_template(openai_messages(prompt), tokenize=False, add_generation_prompt=True)
        images = [image.open() for image in prompt.images] or None
        batch = processor(text=[text], images=images, return_tensors="pt")
        shown = Rendered(batch["input_ids"][0].tolist(), batch.get("pixel_values"), batch.get("image_grid_thw"))
        requests.append(Request(shown, [0]))
    return [answers[0] for answers in generator.complete(requests, temperature=0.0, max_tokens=MAX_TOKENS)]


def test_64_held_out_prompts_of_three_modalities_get_the_same_answers(server, held_out, trained):
    def ask(prompt):
        body = {"model": "tiny", "messages": openai_messages(prompt), "max_tokens": MAX_TOKENS, "temperature": 0}
        return server.http.post("/v1/chat/completions", json=body).json()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, held_out))
    assert {prompt.modality for prompt in held_out} == {"text", "image", "images"}
    served = [(answer["choices"][0]["message"]["content"], answer["choices"][0]["finish_reason"]) for answer in answers]
    assert served == [(own.text, "stop" if own.finished else "length") for own in trained]
    assert [answer["usage"]["completion_tokens"] for answer in answers] == [len(own.token_ids) for own in trained]
    assert len({text for text, _ in served}) > 20


def test_the_base_answers_otherwise(server, held_out, trained):
    def ask(prompt):
        body = {"model": "base", "messages": openai_messages(prompt), "max_tokens": MAX_TOKENS}
        return server.http.post("/v1/chat/completions", json=body).json()["choices"][0]["message"]["content"]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, held_out[:16]))
    assert sum(text != own.text for text, own in zip(answers, trained[:16], strict=True)) > 8


def test_both_sides_forbid_the_same_tokens(bundle, generator):
    assert bundle.facts.tokenizer.forbidden_ids == forbidden_ids(generator.tokenizer)
    assert bundle.facts.tokenizer.end_ids == sorted(generator.ends)
