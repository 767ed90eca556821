"""Adapters on one base: each is what its file says, none disturbs another."""

import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.model import policy as module
from guerdon_serving.model.policy import Policy
from guerdon_serving.model.probes import check, encode_probes, measure
from guerdon_serving.model.prompting import Prompter


@pytest.fixture
def policy(bundle, base_folder):
    return Policy(base_folder, bundle.facts.tokenizer)


@pytest.fixture(scope="module")
def probes(bundle):
    return encode_probes(Prompter(bundle.base))


def test_adapters_come_and_go_and_the_base_stays_itself(policy, probes, bundle, other_bundle):
    before = policy.next_logits(probes["image"], None)
    policy.attach("one", bundle.adapter)
    alone = policy.next_logits(probes["image"], "one")
    policy.attach("two", other_bundle.adapter)
    assert not torch.equal(policy.next_logits(probes["image"], "two"), alone)
    assert torch.equal(policy.next_logits(probes["image"], "one"), alone)
    assert torch.equal(policy.next_logits(probes["image"], None), before)
    policy.detach("one")
    policy.detach("two")
    assert policy.adapters == {}
    assert torch.equal(policy.next_logits(probes["image"], None), before)
    policy.attach("one", bundle.adapter)
    assert torch.equal(policy.next_logits(probes["image"], "one"), alone)


def test_what_peft_leaves_out_is_noticed(policy, bundle, tmp_path):
    folder = shutil.copytree(bundle.adapter, tmp_path / "adapter")
    path = folder / "adapter_model.safetensors"
    tensors = load_file(path)
    save_file({name.replace("language_model.", ""): tensor for name, tensor in tensors.items()}, path)
    with pytest.warns(UserWarning, match="missing"), pytest.raises(RefusedError) as caught:
        policy.attach("silent", folder)
    assert caught.value.code is Code.LOAD_TENSORS
    assert policy.adapters == {}


def test_what_peft_cannot_load_is_refused(policy, bundle, tmp_path):
    folder = shutil.copytree(bundle.adapter, tmp_path / "adapter")
    (folder / "adapter_config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RefusedError) as caught:
        policy.attach("broken", folder)
    assert caught.value.code is Code.LOAD_FAILED


def test_no_effect_and_other_answers_are_told_apart(policy, probes, bundle, other_bundle, monkeypatch):
    policy.attach("one", bundle.adapter)
    policy.attach("two", other_bundle.adapter)
    assert check(policy, "one", probes, bundle.facts.probes, 1e-3) < 1e-3
    with pytest.raises(RefusedError) as mismatch:
        check(policy, "two", probes, bundle.facts.probes, 1e-3)
    assert mismatch.value.code is Code.PROBE_MISMATCH
    monkeypatch.setattr(module.Policy, "next_logits", lambda *_: torch.zeros(9))
    for ask in (
        lambda: check(policy, "one", probes, bundle.facts.probes, 1e-3),
        lambda: measure(policy, "one", probes, moved=["text"]),
    ):
        monkeypatch.setattr("guerdon_serving.model.probes.generate", lambda *_: None)
        with pytest.raises(RefusedError) as none:
            ask()
        assert none.value.code is Code.PROBE_NO_EFFECT


def test_bf16_stays_within_its_own_tolerance(bundle):
    from guerdon_serving.verify import verify_load

    gap = verify_load(bundle.folder, dtype="bfloat16").gap
    assert 1e-3 < gap < 0.25
