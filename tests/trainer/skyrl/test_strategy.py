"""Checkpoints of the adapter over gloo ranks: any number of ranks reads what any number wrote."""

import json
import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file

HANG_S = 300


@pytest.fixture(scope="module")
def folders(model_path, tmp_path_factory):
    """Two ranks save after three steps and, never interrupted, after four; one and two ranks go on from three."""
    folder = tmp_path_factory.mktemp("ranks")
    three = str(folder / "three")
    jobs = [
        {"world": 2, "load": None, "save": three, "steps": 3},
        {"world": 2, "load": None, "save": str(folder / "four"), "steps": 4},
        {"world": 1, "load": three, "save": str(folder / "by-1"), "steps": 1},
        {"world": 2, "load": three, "save": str(folder / "by-2"), "steps": 1},
    ]
    command = [sys.executable, "-m", "tests.trainer.skyrl.ranks", model_path, json.dumps(jobs)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


def test_the_file_holds_the_adapter_and_nothing_else(folders):
    names = load_file(folders / "three" / "trained.safetensors").keys()
    assert len(names) == 3 * 2 * 2  # layers, modules, A and B
    assert all("lora_" in name for name in names)
    assert json.loads((folders / "three" / "checkpoint.json").read_text()) == {"world_size": 2, "tensors": 12}
    assert {path.name for path in (folders / "three").iterdir()} == {
        "trained.safetensors", "optimizer.pt", "extra.pt", "checkpoint.json", "lora_adapter", "seen.json",
    }  # fmt: skip


@pytest.mark.parametrize("world", [1, 2])
def test_any_number_of_ranks_goes_on_where_two_stopped(world, folders):
    both = folders / "four", folders / f"by-{world}"
    expected, found = (load_file(folder / "trained.safetensors") for folder in both)
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        torch.testing.assert_close(found[name], tensor, atol=1e-6, rtol=1e-5)
    expected, found = (torch.load(folder / "optimizer.pt", weights_only=True)["state"] for folder in both)
    for name, state in expected.items():
        assert float(state["step"]) == float(found[name]["step"]) == 4
        torch.testing.assert_close(found[name]["exp_avg_sq"], state["exp_avg_sq"], atol=1e-8, rtol=1e-4)
    rates = [json.loads((folder / "seen.json").read_text())["rate"] for folder in both]
    assert rates[0] == rates[1] > 0


def test_a_checkpoint_of_other_modules_is_refused(folders):
    from guerdon_trainer.skyrl.strategy import _check_names

    weights = load_file(folders / "three" / "trained.safetensors")
    module = torch.nn.Linear(2, 2)
    with pytest.raises(ValueError, match=r"holds 12 trained tensors, this model has 2; they differ in base_model"):
        _check_names(module, weights, folders)
