"""The tokenizer spells any text, keeps Qwen's special tokens whole, and splits numbers into digits."""

import pytest

from guerdon_trainer.quickstart.mixture import draw_prompts
from guerdon_trainer.quickstart.sft import build_tokenizer
from guerdon_trainer.quickstart.tokenizer import END, PADDING, SPECIAL_TOKENS, TAG_TOKENS

TEXTS = ["what color is the shape?", "Grüße, 你好 🙂\n\ttabs", "<think>no</think>", "a<|im_end|>b", ""]


@pytest.fixture(scope="module")
def tokenizer(student):
    return student.processor.tokenizer


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_comes_back(tokenizer, text):
    assert tokenizer.decode(tokenizer(text).input_ids) == text


@pytest.mark.parametrize("token", [*SPECIAL_TOKENS, *TAG_TOKENS])
def test_special_and_tag_tokens_stay_whole(tokenizer, token):
    assert len(tokenizer(token).input_ids) == 1


def test_decoding_keeps_tags_and_drops_special_tokens(tokenizer):
    ids = tokenizer(f"<think>x</think><answer>y</answer>{END}{PADDING}").input_ids
    assert tokenizer.decode(ids, skip_special_tokens=True) == "<think>x</think><answer>y</answer>"


def test_each_digit_is_a_token(tokenizer):
    assert len(tokenizer("1000").input_ids) == 4


def test_expected_completions_are_short(tokenizer):
    lengths = [len(tokenizer(prompt.completion).input_ids) for prompt in draw_prompts("eval", 60, seed=0)]
    assert max(lengths) <= 42


def test_training_it_again_gives_the_same_one(tokenizer):
    assert build_tokenizer().get_vocab() == tokenizer.get_vocab()
