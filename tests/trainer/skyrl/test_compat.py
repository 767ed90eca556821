"""What makes SkyRL importable."""

import os
import sys

import pytest

import guerdon_trainer.skyrl
from guerdon_trainer.skyrl import compat

assert guerdon_trainer.skyrl


def test_preparing_again_changes_nothing():
    before = sys.modules["flash_attn"]
    compat.prepare()
    assert sys.modules["flash_attn"] is before


def test_the_stand_in_says_why_it_cannot_be_used():
    if getattr(sys.modules["flash_attn"], "__version__", "") != "0.0.0":
        pytest.skip("the real flash-attn is installed")
    from flash_attn.bert_padding import pad_input, unpad_input

    for function in (pad_input, unpad_input):
        with pytest.raises(RuntimeError, match=r"flash-attn is not installed; trainer\.remove_microbatch_padding"):
            function(None, attention_mask=None)


def test_transformers_still_knows_that_flash_attention_is_missing():
    from transformers.utils import is_flash_attn_2_available

    if getattr(sys.modules["flash_attn"], "__version__", "") == "0.0.0":
        assert not is_flash_attn_2_available()


def test_the_environment_of_workers_is_quiet():
    assert all(name in os.environ for name in compat.QUIET)


def test_a_users_own_environment_wins(monkeypatch):
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "true")
    compat.prepare()
    assert os.environ["TOKENIZERS_PARALLELISM"] == "true"


def test_losses_are_imported_as_if_ray_were_not_there_and_ray_is_itself_again(monkeypatch):
    import ray

    asked = []
    monkeypatch.setattr(compat.importlib, "import_module", lambda name: asked.append((name, ray.is_initialized())))
    monkeypatch.setattr(ray, "is_initialized", lambda: True)
    compat._import_losses()
    assert asked == [("skyrl.backends.skyrl_train.utils.ppo_utils", False)]
    assert ray.is_initialized() is True


def test_router_arguments_are_completed_where_they_lack(monkeypatch):
    import types

    router = types.ModuleType("vllm_router")
    arguments = types.ModuleType("vllm_router.router_args")
    arguments.RouterArgs = type("RouterArgs", (), {})
    monkeypatch.setitem(sys.modules, "vllm_router", router)
    monkeypatch.setitem(sys.modules, "vllm_router.router_args", arguments)
    monkeypatch.setattr(compat.importlib.util, "find_spec", lambda _: object())
    compat._complete_router_arguments()
    assert arguments.RouterArgs.pd_disaggregation is False
    arguments.RouterArgs.pd_disaggregation = True
    compat._complete_router_arguments()
    assert arguments.RouterArgs.pd_disaggregation is True
