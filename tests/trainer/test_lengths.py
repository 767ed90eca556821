"""Prompts are counted as the policy will see them, and refused before training where they are too long."""

import asyncio

import pytest
from PIL import Image

from guerdon import DataError, LazyImage, RunError
from guerdon.manifest import Prompt
from guerdon_trainer.lengths import PROMPTS_PER_CALL, check_lengths, load_processor, prompt_lengths
from guerdon_trainer.local.engine import LocalSampler


def test_the_count_is_that_of_the_rendered_prompt(prompts, rendered, processor):
    assert prompt_lengths(prompts, processor) == [len(row.token_ids) for row in rendered]


@pytest.mark.parametrize("size", [(8, 8), (1, 190), (190, 1), (333, 77), (640, 480)])
def test_any_picture_is_counted_without_decoding(size, processor, tmp_path, prompt, monkeypatch):
    path = tmp_path / "a.png"
    Image.new("RGB", size).save(path)
    asked = prompt("p", "what?", LazyImage(str(path)))
    expected = asyncio.run(LocalSampler(None, processor).render(asked)).token_ids
    monkeypatch.setattr(LazyImage, "open", lambda _: pytest.fail("decoded"))
    assert prompt_lengths([asked], processor) == [len(expected)]


def test_many_prompts_are_counted_in_their_order(prompt, processor):
    many = [prompt(f"p{i}", "a " * (i % 7)) for i in range(PROMPTS_PER_CALL + 5)]
    lengths = prompt_lengths(many, processor)
    assert len(lengths) == len(many)
    assert lengths[:7] == lengths[7:14] == sorted(lengths[:7])
    assert lengths[-1] == lengths[(len(many) - 1) % 7]


def test_a_system_message_and_earlier_turns_count(processor):
    turns = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "one?"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": "three?"},
    ]
    short, long = (Prompt("p", messages, {}, {}, ()) for messages in (turns[1:2], turns))
    one, all_four = prompt_lengths([short, long], processor)
    assert all_four > one + 6


def test_the_longest_is_named_with_its_length_and_the_limit(prompts, processor):
    lengths = prompt_lengths(prompts, processor)
    longest = prompts[lengths.index(max(lengths))]
    limit = min(lengths)
    with pytest.raises(DataError) as caught:
        check_lengths(prompts, processor, limit=limit, manifest="data/train.jsonl")
    assert str(caught.value).startswith(
        f"data/train.jsonl: 2 of 3 prompts are longer than algorithm.max_prompt_tokens {limit}; "
        f"the longest is {longest.id!r} with {max(lengths)} tokens"
    )
    check_lengths(prompts, processor, limit=max(lengths), manifest="data/train.jsonl")
    check_lengths([], processor, limit=1, manifest="data/train.jsonl")


def test_an_image_token_in_the_text_is_refused(prompt, pictures, processor):
    asked = prompt("p", "what is <|image_pad|> here?", pictures[0])
    with pytest.raises(DataError, match=r"t\.jsonl: prompt 'p' has 1 images, and 2 image tokens.*take the token out"):
        check_lengths([asked], processor, limit=99, manifest="t.jsonl")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("/no/such.png", "prompt 'p': image '/no/such.png' cannot be read"),
        ("data:image/png;base64,YWJj", "prompt 'p': image 'data:image/png;base64,YWJj' cannot be decoded"),
    ],
)
def test_a_picture_that_cannot_be_read_is_found_before_training(source, said, prompt, processor):
    with pytest.raises(DataError, match=said):
        prompt_lengths([prompt("p", "?", LazyImage(source))], processor)


def test_a_picture_that_is_too_elongated(prompt, processor, tmp_path):
    path = tmp_path / "line.png"
    Image.new("RGB", (1000, 2)).save(path)
    with pytest.raises(DataError, match="prompt 'p': absolute aspect ratio must be smaller than 200"):
        prompt_lengths([prompt("p", "?", LazyImage(str(path)))], processor)


def test_a_tokenizer_alone_counts_text_and_refuses_images(prompts, processor, rendered, monkeypatch):
    """What AutoProcessor returns for a model without vision."""
    tokenizer = processor.tokenizer
    monkeypatch.setattr(tokenizer, "chat_template", processor.chat_template)
    assert prompt_lengths(prompts[:1], tokenizer) == [len(rendered[0].token_ids)]
    with pytest.raises(DataError, match="choose a model that takes images"):
        prompt_lengths(prompts, tokenizer)


def test_the_processor_is_that_of_the_base_model(run_config, tmp_path):
    processor = load_processor(run_config())
    assert processor.image_processor.merge_size == 2
    with pytest.raises(RunError, match=r"model\.name_or_path \./gone is no folder"):
        load_processor(run_config(model={"name_or_path": "./gone"}))
    with pytest.raises(RunError, match="no tokenizer can be loaded"):
        load_processor(run_config(model={"name_or_path": str(tmp_path)}))
