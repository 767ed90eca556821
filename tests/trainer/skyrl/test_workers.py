"""Mixed modalities in one micro batch, and the reference with the adapter off, on SkyRL's own wrapper."""

import pytest
import torch

import guerdon_trainer.skyrl
from guerdon_trainer.skyrl import workers
from guerdon_trainer.skyrl.workers import MixedModalityWrapper, PolicyWorkerMixin, swapped, without_adapter

assert guerdon_trainer.skyrl

from skyrl.backends.skyrl_train.training_batch import TensorList  # noqa: E402

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj"]


@pytest.fixture(scope="module")
def policy(model_path) -> MixedModalityWrapper:
    """The shipped model with a LoRA adapter that has an effect, as SkyRL builds its policy."""
    torch.manual_seed(0)
    wrapper = MixedModalityWrapper(
        model_path,
        bf16=False,
        lora_rank=4,
        lora_alpha=8,
        target_modules=TARGETS,
        exclude_modules=".*visual.*",
    )
    for name, parameter in wrapper.model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.3)
    return wrapper.eval()


@pytest.fixture(scope="module")
def base(model_path) -> MixedModalityWrapper:
    return MixedModalityWrapper(model_path, bf16=False).eval()


class Batch:
    """Rows laid out as SkyRL's collator does: left-padded, one tensor of patches a row."""

    def __init__(self, rendered, responses: list[list[int]]):
        rows = [row.token_ids + response for row, response in zip(rendered, responses, strict=True)]
        width, self.actions = max(map(len, rows)), len(responses[0])
        self.sequences = torch.tensor([[0] * (width - len(row)) + row for row in rows])
        self.mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
        example = next((row.pixel_values for row in rendered if row.pixel_values is not None), torch.zeros(0, 384))
        none, no_grid = example.new_zeros((0, example.shape[1])), torch.zeros((0, 3), dtype=torch.long)
        self.images = {
            "pixel_values": TensorList([none if r.pixel_values is None else r.pixel_values for r in rendered]),
            "image_grid_thw": TensorList([no_grid if r.image_grid_thw is None else r.image_grid_thw for r in rendered]),
        }

    @torch.no_grad()
    def logprobs(self, model, **kwargs):
        return model(self.sequences, self.actions, self.mask, **self.images, **kwargs)


RESPONSE = [[40, 41, 42, 43, 44]]


def test_rows_of_a_mixed_batch_are_what_they_are_alone(policy, rendered):
    responses = [[50 + i, 60 + i, 70 + i, 80 + i] for i in range(3)]
    together = Batch(rendered, responses).logprobs(policy)
    assert together.shape == (3, 4)
    for index, row in enumerate(rendered):
        alone = Batch([row], responses[index : index + 1]).logprobs(policy)
        torch.testing.assert_close(together[index : index + 1], alone, atol=1e-5, rtol=0)


def test_a_batch_of_text_alone_equals_one_that_was_given_no_image_tensors(policy, rendered):
    batch = Batch([rendered[0]] * 2, RESPONSE * 2)
    with torch.no_grad():
        plain = policy(batch.sequences, batch.actions, batch.mask)
    assert torch.equal(batch.logprobs(policy), plain)


@pytest.fixture
def two_ranks(monkeypatch):
    """Make the wrapper believe that another rank waits for it in the vision tower."""
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.distributed, "get_world_size", lambda *_: 2)


def _seen_by_tower(policy, call):
    """Return what `call` returns, and the grids that reached the vision tower meanwhile."""
    grids = []
    tower = next(module for name, module in policy.model.named_modules() if name.endswith(".visual"))
    hook = tower.register_forward_pre_hook(lambda _, args, kwargs: grids.append((args, kwargs)), with_kwargs=True)
    try:
        return call(), len(grids)
    finally:
        hook.remove()


def test_text_runs_without_the_tower_on_one_rank(policy, rendered):
    assert _seen_by_tower(policy, lambda: Batch([rendered[0]], RESPONSE).logprobs(policy))[1] == 0


def test_a_blank_image_keeps_the_tower_in_step_and_changes_no_row(policy, rendered, two_ranks, monkeypatch):
    batch = Batch([rendered[0], rendered[0]], [[40, 41, 42], [90, 91, 92]])
    blank, calls = _seen_by_tower(policy, lambda: batch.logprobs(policy))
    assert calls == 1
    monkeypatch.undo()
    assert blank.shape == (2, 3)
    torch.testing.assert_close(blank, batch.logprobs(policy), atol=1e-5, rtol=0)


def test_the_blank_row_is_dropped_from_all_that_comes_back(policy, rendered, two_ranks, monkeypatch):
    batch = Batch([rendered[0], rendered[0]], [[40, 41, 42], [90, 91, 92]])
    logprobs, output = batch.logprobs(policy, return_output=True, compute_entropy=True)
    assert len(logprobs) == len(output["logits"]) == len(output["entropy"]) == 2
    monkeypatch.undo()
    _, plain = batch.logprobs(policy, return_output=True, compute_entropy=True)
    torch.testing.assert_close(output["entropy"], plain["entropy"], atol=1e-4, rtol=0)


def test_a_batch_with_an_image_needs_no_blank_one(policy, rendered, two_ranks):
    _, calls = _seen_by_tower(policy, lambda: Batch(rendered, RESPONSE * 3).logprobs(policy))
    assert calls == 1


def test_the_blank_image_trains_nothing(policy, rendered, two_ranks, monkeypatch):
    """The gradient of the real rows is the same with the blank row as without it."""
    batch = Batch([rendered[0]], RESPONSE)

    def gradient():
        policy.zero_grad()
        policy(batch.sequences, batch.actions, batch.mask, **batch.images).sum().backward()
        return [p.grad.clone() for p in policy.parameters() if p.grad is not None]

    blank = gradient()
    monkeypatch.undo()
    plain = gradient()
    policy.zero_grad(set_to_none=True)
    assert len(blank) == len(plain) == 2 * len(TARGETS) * 3
    for one, other in zip(blank, plain, strict=True):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


def test_without_adapter_is_the_base_model_exactly(policy, base, rendered):
    batch = Batch(rendered, RESPONSE * 3)
    adapted = batch.logprobs(policy)
    with without_adapter(policy.model):
        assert torch.equal(batch.logprobs(policy), batch.logprobs(base))
    assert not torch.allclose(adapted, batch.logprobs(base), atol=1e-3)
    assert torch.equal(batch.logprobs(policy), adapted)


def test_without_adapter_restores_after_an_error_and_keeps_requires_grad(policy, rendered):
    batch = Batch([rendered[0]], RESPONSE)
    adapted = batch.logprobs(policy)
    before = [parameter.requires_grad for parameter in policy.parameters()]

    def interrupted():
        with without_adapter(policy.model):
            assert [parameter.requires_grad for parameter in policy.parameters()] == before
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert torch.equal(batch.logprobs(policy), adapted)
    assert [parameter.requires_grad for parameter in policy.parameters()] == before


def test_the_reference_is_the_policy_without_its_adapter(policy, base, rendered):
    worker = object.__new__(PolicyWorkerMixin)
    worker.model = policy
    worker.forward = lambda batch: batch.logprobs(policy)
    batch = Batch(rendered, RESPONSE * 3)
    assert torch.equal(worker.forward_reference(batch), batch.logprobs(base))
    assert not torch.equal(worker.forward(batch), batch.logprobs(base))


def test_swapped_restores_every_name_after_an_error():
    before = workers.torch

    def failing():
        with swapped(workers, torch="other"):
            assert workers.torch == "other"
            raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        failing()
    assert workers.torch is before
    with pytest.raises(AttributeError), swapped(workers, no_such_name=1):
        pass
    assert not hasattr(workers, "no_such_name")
