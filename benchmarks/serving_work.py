"""Bundles and servers to measure: adapters with random weights on a base, served by a process of its own."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj"]
PROMPT = "what is 2 plus 3?"


def make_bundle(base: Path, folder: Path, *, seed: int, rank: int = 8, scale: float = 0.05) -> Path:
    """Export a bundle with a random adapter; return its folder, below `folder`."""
    from guerdon_serving.export import export_bundle

    run = folder / f"run-{seed}"
    run.mkdir(parents=True)
    _write_adapter(base, run / "adapter", seed, rank, scale)
    manifest = run / "train.jsonl"
    manifest.write_text(json.dumps({"id": "a", "messages": [{"role": "user", "content": PROMPT}]}) + "\n")
    config = {
        "run": {"name": f"bench{seed}", "seed": seed},
        "model": {"name_or_path": str(base), "revision": None, "trust_remote_code": False},
        "algorithm": {"max_completion_tokens": 256},
        "runtime": {"steps": 1, "nodes": 1, "gpus_per_node": 1, "output_dir": str(folder)},
        "data": {"train_manifest": str(manifest), "eval_manifest": None},
        "plugins": [],
        "outcome": "answer",
        "rewards": {"answer": {"use": "correctness"}},
    }
    record = {
        "config": config,
        "config_hash": "0" * 64,
        "rewards": {"answer": {"plugin": "correctness", "origin": "guerdon", "version": "0", "code_hash": "0" * 64}},
        "versions": {},
        "git": {"commit": "0" * 40, "dirty": False},
        "attempt": 1,
    }
    (run / "run.json").write_text(json.dumps(record), encoding="utf-8")
    return export_bundle(run).folder


def _write_adapter(base: Path, folder: Path, seed: int, rank: int, scale: float) -> None:
    """Write random A and B in PEFT's format. The base's weights are not read."""
    import torch
    from peft import LoraConfig
    from safetensors.torch import save_file

    from guerdon_serving.bundle.adapter import expected_tensors

    config = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=TARGETS, exclude_modules=".*visual.*")
    settings = config.to_dict() | {"target_modules": TARGETS, "rank_pattern": {}, "alpha_pattern": {}}
    expected = expected_tensors(base, settings)
    generator = torch.Generator().manual_seed(seed)
    folder.mkdir()
    config.save_pretrained(folder)
    save_file(
        {key: torch.empty(shape).normal_(0, scale, generator=generator) for key, shape in expected.shapes.items()},
        folder / "adapter_model.safetensors",
    )


@contextlib.contextmanager
def served(bundle: Path, folder: Path, options: Sequence[str] = (), **environment: str) -> Iterator[str]:
    """Run ``guerdon serve`` and give its address once it is ready."""
    command = [sys.executable, "-m", "guerdon", "serve", str(bundle), "--port", "0", "--bundles", str(folder), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
    try:
        assert process.stdout is not None
        ready = next((line for line in process.stdout if line.startswith("ready: ")), None)
        if ready is None:
            raise RuntimeError(f"guerdon serve ended with {process.wait()}")
        yield ready.rsplit(" ", 1)[1].strip()
    finally:
        process.terminate()
        process.wait()


def chat(model: str, tokens: int, **more: Any) -> Mapping[str, Any]:
    """Return a request that is answered with many tokens: hot sampling hardly ever ends by itself."""
    messages = [{"role": "user", "content": PROMPT}]
    return {"model": model, "messages": messages, "max_tokens": tokens, "temperature": 5.0, "seed": 1, **more}
