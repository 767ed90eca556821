"""Prompts: the trainer's tokens exactly, and no special token from a text."""

import pytest
import torch

from guerdon import DataError, LazyImage
from guerdon.manifest import Prompt
from guerdon_serving.model.generate import batch_inputs
from guerdon_serving.model.probes import make_probes
from guerdon_serving.model.prompting import FORBIDDEN, Prompter
from guerdon_trainer.sampling import FORBIDDEN as TRAINERS
from guerdon_trainer.sampling import openai_messages


@pytest.fixture(scope="module")
def prompter(bundle):
    return Prompter(bundle.base)


def test_the_trainer_forbids_the_same_tokens():
    assert FORBIDDEN == TRAINERS


@pytest.mark.parametrize("name", ["text", "image", "images"])
def test_a_prompt_is_rendered_as_the_trainer_renders_it(prompter, prompts, as_data_url, name):
    text, images = prompts[name]
    parts = [*({"type": "image", "image": "x"} for _ in images), {"type": "text", "text": text}]
    prompt = Prompt(
        "p", [{"role": "user", "content": parts}], {}, {}, [LazyImage(as_data_url(image)) for image in images]
    )
    trained = prompter.processor.apply_chat_template(
        openai_messages(prompt), tokenize=False, add_generation_prompt=True
    )
    served = [
        {
            "role": "user",
            "content": [{"type": part["type"], **({"text": text} if "text" in part else {})} for part in parts],
        }
    ]
    assert prompter.render(served) == trained
    encoded = prompter.encode(served, images)
    batch = prompter.processor(text=[trained], images=images or None, return_tensors="pt")
    assert encoded.token_ids == batch["input_ids"][0].tolist()
    assert (encoded.pixel_values is None) == (not images)
    if images:
        assert torch.equal(encoded.pixel_values, batch["pixel_values"])
        assert len(encoded.image_grid_thw) == len(images)


@pytest.mark.parametrize("token", [*FORBIDDEN[:2], "<|im_start|>", "<|im_end|>", "<|endoftext|>"])
def test_no_text_may_hold_a_special_token(prompter, token):
    for content in (f"a {token} b", [{"type": "text", "text": f"a{token}"}]):
        with pytest.raises(DataError, match="token of the chat format"):
            prompter.encode([{"role": "user", "content": content}], [])


def test_as_many_images_as_the_messages_name(prompter, prompts):
    (image,) = prompts["image"][1]
    with pytest.raises(DataError, match="name 1 images, and 0"):
        prompter.encode([{"role": "user", "content": [{"type": "image"}]}], [])
    with pytest.raises(DataError, match="name 0 images, and 1"):
        prompter.encode([{"role": "user", "content": "x"}], [image])


def test_rows_are_padded_on_the_left(prompter, bundle):
    encoded = [prompter.encode(probe.messages, probe.images) for probe in make_probes().values()]
    pad, image = bundle.facts.tokenizer.pad_id, bundle.facts.tokenizer.special_ids["<|image_pad|>"]
    batch = batch_inputs(encoded, pad, image)
    width = max(len(row.token_ids) for row in encoded)
    assert batch["input_ids"].shape == batch["attention_mask"].shape == (3, width)
    for row, ids, mask in zip(encoded, batch["input_ids"], batch["attention_mask"], strict=True):
        assert ids[width - len(row.token_ids) :].tolist() == row.token_ids
        assert int(mask.sum()) == len(row.token_ids)
    assert len(batch["image_grid_thw"]) == 3
    assert int(batch["mm_token_type_ids"].sum()) == 16 + 16 + 24
    assert batch_inputs(encoded[:1], pad, image).keys() == {"input_ids", "attention_mask"}


def test_the_context_is_the_models(prompter):
    assert prompter.context == 2048
