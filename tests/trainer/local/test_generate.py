"""Sampling on the CPU: exact, seeded row by row, and with log-probabilities that the trainer confirms."""

import hashlib

import numpy as np
import pytest
import torch
from scipy import stats

from guerdon_trainer.local.generate import Generator, SeededChoice
from guerdon_trainer.sampling import FORBIDDEN, Request

MAX_TOKENS = 12


@pytest.fixture(scope="module")
def generator(model_path) -> Generator:
    return Generator(model_path)


def draw(logits, seeds, *, temperature=1.0, forbidden=()):
    choice = SeededChoice(seeds, temperature, forbidden)
    scores = torch.tensor(logits).expand(len(seeds), -1)
    return choice(torch.empty(len(seeds), 0), scores).argmax(-1), choice.logprobs[0]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_the_seeded_choice_is_an_exact_sample_of_the_softmax(temperature):
    logits, draws = [2.0, 1.0, 0.5, 0.0, -1.0, -30.0], 8000
    seeds = [int.from_bytes(hashlib.sha256(f"{i}".encode()).digest()[:4]) >> 1 for i in range(draws)]
    tokens, _ = draw(logits, seeds, temperature=temperature)
    expected = torch.softmax(torch.tensor(logits).double() / temperature, -1).numpy() * draws
    observed = np.bincount(tokens.numpy(), minlength=len(logits))
    likely = expected > 5
    assert observed[~likely].sum() < 10
    expected = expected[likely] * observed[likely].sum() / expected[likely].sum()
    assert stats.chisquare(observed[likely], expected).pvalue > 1e-3


def test_consecutive_seeds_and_steps_are_independent_enough():
    """Neither neighbouring seeds nor the steps of one stream may repeat each other."""
    logits = [0.0, 0.0, 0.0, 0.0]
    choice = SeededChoice(range(3000), 1.0, ())
    scores = torch.tensor(logits).expand(3000, -1)
    steps = [choice(torch.empty(3000, 0), scores).argmax(-1).numpy() for _ in range(2)]
    for first, second in ((steps[0], steps[1]), (steps[0][:-1], steps[0][1:])):
        table = np.histogram2d(first, second, bins=4)[0]
        assert stats.chi2_contingency(table).pvalue > 1e-3


def test_forbidden_tokens_are_never_drawn_however_likely():
    tokens, logprobs = draw([50.0, 0.0, 60.0, 1.0], range(500), forbidden=[0, 2])
    assert set(tokens.tolist()) == {1, 3}
    whole = torch.log_softmax(torch.tensor([50.0, 0.0, 60.0, 1.0]), -1)
    torch.testing.assert_close(logprobs, whole[tokens], msg="log-probabilities are over the whole vocabulary")


def test_noise_of_zero_forbids_still(monkeypatch):
    monkeypatch.setattr(torch.Tensor, "exponential_", lambda self, **_: self.zero_())
    assert draw([9.0, 1.0, 2.0], [1], forbidden=[0])[0].tolist() == [2]


def test_temperature_0_takes_the_largest_and_draws_nothing():
    tokens, logprobs = draw([1.0, 3.0, 2.0], [1, 2], temperature=0.0, forbidden=[1])
    assert tokens.tolist() == [2, 2]
    torch.testing.assert_close(logprobs, torch.log_softmax(torch.tensor([1.0, 3.0, 2.0]), -1)[[2, 2]])


def test_what_the_processor_returns_leaves_one_token():
    choice = SeededChoice([1], 1.0, ())
    scores = choice(torch.empty(1, 0), torch.zeros(1, 5))
    assert torch.isinf(scores).sum() == 4
    assert scores.max() == 0


def test_a_mixed_batch_has_a_completion_for_each_seed(generator, rendered):
    requests = [Request(row, [index, index + 10]) for index, row in enumerate(rendered)]
    answers = generator.complete(requests, temperature=1.0, max_tokens=MAX_TOKENS)
    assert [len(group) for group in answers] == [2, 2, 2]
    for completion in (completion for group in answers for completion in group):
        assert 1 <= len(completion.token_ids) <= MAX_TOKENS
        assert len(completion.logprobs) == len(completion.token_ids)
        assert all(value <= 0 for value in completion.logprobs)
        ends = [token in generator.ends for token in completion.token_ids]
        assert not any(ends[:-1]), "nothing follows the end token"
        assert completion.finished is ends[-1]
        assert completion.finished or len(completion.token_ids) == MAX_TOKENS
        assert completion.text == generator.tokenizer.decode(completion.token_ids, skip_special_tokens=True)


def test_a_row_does_not_depend_on_the_rest_of_its_batch(generator, rendered):
    requests = [Request(row, [7 * index + 1, 7 * index + 2]) for index, row in enumerate(rendered)]
    together = generator.complete(requests, temperature=1.0, max_tokens=MAX_TOKENS)
    backwards = generator.complete(requests[::-1], temperature=1.0, max_tokens=MAX_TOKENS)[::-1]
    for index, request in enumerate(requests):
        (alone,) = generator.complete([request], temperature=1.0, max_tokens=MAX_TOKENS)
        for one, other, third in zip(alone, together[index], backwards[index], strict=True):
            assert one.token_ids == other.token_ids == third.token_ids
            np.testing.assert_allclose(one.logprobs, other.logprobs, atol=1e-4)


def test_the_same_seed_repeats_and_another_does_not(generator, rendered):
    (first, again, other) = generator.complete([Request(rendered[0], [5, 5, 6])], temperature=2.0, max_tokens=24)[0]
    assert first == again
    assert first.token_ids != other.token_ids


@pytest.mark.parametrize("index", [0, 1, 2], ids=["text", "one image", "two images"])
def test_greedy_equals_transformers_own(index, generator, rendered):
    row = rendered[index]
    inputs = {"input_ids": torch.tensor([row.token_ids])}
    if row.pixel_values is not None:
        inputs |= {"pixel_values": row.pixel_values, "image_grid_thw": row.image_grid_thw}
        inputs["mm_token_type_ids"] = (inputs["input_ids"] == generator.model.config.image_token_id).long()
    theirs = generator.model.generate(
        **inputs,
        attention_mask=torch.ones_like(inputs["input_ids"]),
        do_sample=False,
        suppress_tokens=generator.forbidden,
        max_new_tokens=24,
        temperature=None,
        top_p=None,
        top_k=None,
    )[0, len(row.token_ids) :].tolist()
    (ours,) = generator.complete([Request(row, [1])], temperature=0.0, max_tokens=24)[0]
    assert ours.token_ids == theirs


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_log_probabilities_are_those_of_a_teacher_forced_pass(temperature, generator, rendered):
    requests = [Request(row, [3, 4]) for row in rendered]
    answers = generator.complete(requests, temperature=temperature, max_tokens=MAX_TOKENS)
    for row, group in zip(rendered, answers, strict=True):
        for completion in group:
            forced = _teacher_forced(generator, row, completion.token_ids, temperature)
            np.testing.assert_allclose(completion.logprobs, forced, atol=1e-4)


@torch.no_grad()
def _teacher_forced(generator, row, completion, temperature):
    ids = torch.tensor([row.token_ids + completion])
    extra = {}
    if row.pixel_values is not None:
        extra = {"pixel_values": row.pixel_values, "image_grid_thw": row.image_grid_thw}
        extra["mm_token_type_ids"] = (ids == generator.model.config.image_token_id).long()
    logits = generator.model(input_ids=ids, attention_mask=torch.ones_like(ids), **extra).logits[0]
    logprobs = torch.log_softmax(logits / temperature, -1)
    start = len(row.token_ids)
    return [logprobs[start - 1 + i, token].item() for i, token in enumerate(completion)]


def test_no_forbidden_token_is_sampled_from_the_model(generator, rendered):
    vocabulary = generator.tokenizer.get_vocab()
    assert generator.forbidden == sorted(vocabulary[token] for token in FORBIDDEN if token in vocabulary)
    answers = generator.complete([Request(rendered[1], range(64))], temperature=5.0, max_tokens=MAX_TOKENS)
    drawn = {token for completion in answers[0] for token in completion.token_ids}
    assert len(drawn) > 200, "at this temperature almost anything is drawn"
    assert not drawn & set(generator.forbidden)


@pytest.fixture
def adapter(model_path, tmp_path):
    """A LoRA adapter with an effect, as PEFT saves it."""
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForImageTextToText

    torch.manual_seed(0)
    model = AutoModelForImageTextToText.from_pretrained(model_path, dtype=torch.float32)
    model = get_peft_model(model, LoraConfig(r=4, target_modules=["q_proj", "v_proj"], exclude_modules=r".*visual.*"))
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.5)
    model.save_pretrained(tmp_path / "adapter")
    return model.eval(), tmp_path / "adapter"


def test_an_adapter_is_loaded_and_replaced(adapter, model_path, rendered):
    from safetensors.torch import load_file, save_file

    trained, path = adapter
    generator = Generator(model_path)
    request = [Request(rendered[0], [1, 2, 3])]
    before = generator.complete(request, temperature=1.0, max_tokens=MAX_TOKENS)
    assert generator.load_adapter(str(path)) == 2 * 2 * 3
    with_adapter = generator.complete(request, temperature=1.0, max_tokens=MAX_TOKENS)
    assert with_adapter != before
    ids = torch.tensor([rendered[0].token_ids])
    with torch.no_grad():
        torch.testing.assert_close(generator.model(input_ids=ids).logits, trained(input_ids=ids).logits)

    weights = load_file(path / "adapter_model.safetensors")
    save_file({k: torch.zeros_like(v) for k, v in weights.items()}, path / "adapter_model.safetensors")
    generator.load_adapter(str(path))
    after = generator.complete(request, temperature=1.0, max_tokens=MAX_TOKENS)
    assert [c.token_ids for c in after[0]] == [c.token_ids for c in before[0]]

    first = next(iter(weights))
    save_file({k: v for k, v in weights.items() if k != first}, path / "adapter_model.safetensors")
    with pytest.raises(ValueError, match=r"missing .'base_model"):
        generator.load_adapter(str(path))
    foreign = {"base_model.model.other.lora_A.weight": weights[first].clone()}
    save_file(weights | foreign, path / "adapter_model.safetensors")
    with pytest.raises(ValueError, match=r"unexpected .'base_model"):
        generator.load_adapter(str(path))
