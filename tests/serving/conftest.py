"""A run folder as the trainer leaves it, made without training: LoRA with random B on the shipped checkpoint."""

import hashlib
import json
import shutil
import socket

import pytest
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForImageTextToText

from guerdon_trainer.quickstart.checkpoint import checkpoint_path

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="session", autouse=True)
def no_outgoing_connections():
    """Refuse every connection that leaves this machine."""
    connect = socket.socket.connect

    def guarded(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1"):
            raise AssertionError(f"connects to {address}")
        return connect(self, address)

    socket.socket.connect = guarded
    yield
    socket.socket.connect = connect


@pytest.fixture(scope="session")
def base_folder(tmp_path_factory):
    """A copy of the shipped checkpoint, so that tests may link to it."""
    return shutil.copytree(checkpoint_path(), tmp_path_factory.mktemp("models") / "tiny-qwen3-vl")


def make_adapter(base, folder, *, seed=0, scale=0.05, **config):
    """Save a LoRA adapter with random A and B."""
    settings = {"r": 8, "lora_alpha": 16, "target_modules": TARGETS, "exclude_modules": ".*visual.*"} | config
    model = AutoModelForImageTextToText.from_pretrained(base, dtype=torch.float32)
    model = get_peft_model(model, LoraConfig(**settings))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            if "lora_" in name:
                tensor.normal_(0, scale, generator=generator)
    model.save_pretrained(folder)
    (folder / "README.md").unlink()
    return folder


def make_run(base, folder, *, name="tiny", **record):
    """Write run.json and manifests as the trainer does."""
    folder.mkdir(parents=True, exist_ok=True)
    for split in ("train", "eval"):
        (folder.parent / f"{split}.jsonl").write_text(
            json.dumps({"id": split, "messages": []}) + "\n", encoding="utf-8"
        )
    config = {
        "run": {"name": name, "seed": 7},
        "model": {"name_or_path": str(base), "revision": None, "trust_remote_code": False},
        "adapter": {"type": "lora", "rank": 8, "alpha": 16},
        "runtime": {"steps": 4, "nodes": 1, "gpus_per_node": 1, "output_dir": str(folder.parent)},
        "data": {
            "train_manifest": str(folder.parent / "train.jsonl"),
            "eval_manifest": str(folder.parent / "eval.jsonl"),
        },
        "plugins": [],
        "outcome": "answer",
        "rewards": {"answer": {"use": "correctness", "weight": 1.0, "role": "train"}},
    }
    facts = {
        "schema_version": 1,
        "config": config,
        "config_hash": hashlib.sha256(b"config").hexdigest(),
        "rewards": {
            "answer": {
                "plugin": "correctness",
                "origin": "guerdon",
                "version": "0.1.0",
                "code_hash": hashlib.sha256(b"code").hexdigest(),
            }
        },
        "versions": {"guerdon": "0.1.0", "peft": "0.18.1", "torch": "2.13.0", "transformers": "5.16.1"},
        "git": {"commit": "0" * 40, "dirty": False},
        "attempt": 1,
    } | record
    (folder / "run.json").write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def run_folder(base_folder, tmp_path_factory):
    folder = make_run(base_folder, tmp_path_factory.mktemp("runs") / "tiny")
    make_adapter(base_folder, folder / "adapter")
    return folder
