"""A saved adapter is complete, finite, of the right rank, and has an effect; each other one is refused."""

import json

import pytest
import torch
from safetensors.torch import save_file

from guerdon import RunError
from guerdon_trainer.adapter import check_adapter, name_base_model, save_adapter
from guerdon_trainer.folder import RunFolder

MODULES = ("q_proj", "k_proj", "v_proj", "o_proj")
RANK = 8


def weights(rank=RANK, layers=2, fill=0.5) -> dict[str, torch.Tensor]:
    """Tensors as SkyRL saves them: an A and a B for each module of each layer."""
    found = {}
    for layer in range(layers):
        for module in MODULES:
            stem = f"base_model.model.model.language_model.layers.{layer}.self_attn.{module}"
            found[f"{stem}.lora_A.weight"] = torch.full((rank, 16), 0.1)
            found[f"{stem}.lora_B.weight"] = torch.full((16, rank), fill)
    return found


def write(folder, tensors):
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "adapter_model.safetensors")
    (folder / "adapter_config.json").write_text(json.dumps({"r": RANK, "base_model_name_or_path": "/tmp/base"}))
    return folder


def without(part):
    return {name: tensor for name, tensor in weights().items() if part not in name}


def changed(part, value):
    return {name: (value(tensor).contiguous() if part in name else tensor) for name, tensor in weights().items()}


def spoiled(tensor, value):
    tensor = tensor.clone()
    tensor[0, 0] = value
    return tensor


def test_a_good_adapter_is_counted(run_config, tmp_path):
    facts = check_adapter(write(tmp_path / "a", weights()), run_config(), trained=True)
    assert (facts.tensors, facts.modules) == (16, 8)
    assert facts.b_norm == pytest.approx((8 * 16 * RANK * 0.25) ** 0.5)


def test_half_precision_is_measured_in_double(run_config, tmp_path):
    tensors = {name: tensor.to(torch.bfloat16) for name, tensor in weights(fill=1e30).items()}
    assert check_adapter(write(tmp_path / "a", tensors), run_config()).b_norm > 1e30


@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        ({}, "0 lora_A and 0 lora_B of 0 tensors; each module needs both. Is peft the version that pyproject.toml"),
        (without("lora_B"), "8 lora_A and 0 lora_B of 8 tensors"),
        (without("0.self_attn.q_proj.lora_B"), "8 lora_A and 7 lora_B of 15 tensors"),
        ({**weights(), "base_model.model.lm_head.weight": torch.ones(2, 2)}, "8 lora_A and 8 lora_B of 17 tensors"),
        (without(".v_proj."), "no tensors for adapter.target_modules v_proj"),
        (weights(rank=4), "found rank [4], adapter.rank is 8"),
        (changed("0.self_attn.q_proj", lambda t: t[:4] if t.shape[0] == RANK else t[:, :4]), "found rank [4, 8]"),
        (changed("0.self_attn.q_proj.lora_B", lambda t: t[:, :4]), "found rank [4, 8]"),
        (changed("0.self_attn.q_proj.lora_A", lambda t: spoiled(t, torch.nan)), "holds NaN or infinity"),
        (changed("1.self_attn.k_proj.lora_B", lambda t: spoiled(t, torch.nan)), "holds NaN or infinity"),
        (changed("1.self_attn.k_proj.lora_B", lambda t: spoiled(t, -torch.inf)), "lower algorithm.learning_rate"),
        (weights(fill=0.0), "has no effect: every lora_B is zero, so no step updated it"),
    ],
    ids=[
        "empty",
        "no_B",
        "missing_B",
        "foreign",
        "missing_module",
        "rank",
        "one_rank",
        "rank_of_B",
        "NaN_in_A",
        "NaN_in_B",
        "inf",
        "no_effect",
    ],
)
def test_any_other_is_refused(tensors, said, run_config, tmp_path):
    with pytest.raises(RunError) as caught:
        check_adapter(write(tmp_path / "a", tensors), run_config(), trained=True)
    assert str(caught.value).startswith(f"adapter {tmp_path / 'a'}")
    assert said in str(caught.value)


def test_before_training_an_adapter_may_have_no_effect(run_config, tmp_path):
    assert check_adapter(write(tmp_path / "a", weights(fill=0.0)), run_config()).b_norm == 0.0


def test_a_missing_or_damaged_file_is_named(run_config, tmp_path):
    with pytest.raises(RunError, match=r"adapter_model\.safetensors cannot be read"):
        check_adapter(tmp_path, run_config())
    (tmp_path / "adapter_model.safetensors").write_bytes(b"\x10\0\0\0\0\0\0\0{")
    with pytest.raises(RunError, match=r"adapter_model\.safetensors cannot be read"):
        check_adapter(tmp_path, run_config())


def test_the_base_is_named_with_its_revision(tmp_path):
    folder = write(tmp_path / "a", weights())
    name_base_model(folder, "Qwen/Qwen3-VL-8B-Instruct", "0" * 40)
    facts = json.loads((folder / "adapter_config.json").read_text())
    assert facts == {
        "r": RANK,
        "base_model_name_or_path": "Qwen/Qwen3-VL-8B-Instruct",
        "revision": "0" * 40,
        "inference_mode": True,
    }


def test_the_adapter_of_the_last_step_is_put_in_its_place(run_config, tmp_path):
    config, folder = run_config(), RunFolder(tmp_path)
    write(folder.checkpoints / "global_step_4" / "policy" / "lora_adapter", weights())
    folder.adapter.mkdir()
    (folder.adapter / "old").write_text("from an earlier attempt")
    (tmp_path / "adapter.tmp").mkdir()
    assert save_adapter(config, folder).tensors == 16
    assert {path.name for path in folder.adapter.iterdir()} == {"adapter_config.json", "adapter_model.safetensors"}
    assert not (tmp_path / "adapter.tmp").exists()
    assert json.loads((folder.adapter / "adapter_config.json").read_text())["base_model_name_or_path"] == (
        config.model.name_or_path
    )


def test_a_bad_adapter_does_not_replace_a_good_one(run_config, tmp_path):
    folder = RunFolder(tmp_path)
    write(folder.adapter, weights())
    write(folder.checkpoints / "global_step_4" / "policy" / "lora_adapter", weights(fill=0.0))
    with pytest.raises(RunError, match="no effect"):
        save_adapter(run_config(), folder)
    assert check_adapter(folder.adapter, run_config(), trained=True).b_norm > 0
