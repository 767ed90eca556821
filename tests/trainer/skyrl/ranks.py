"""A policy on several gloo ranks, one process each: train, save, load. Run as `python -m tests.trainer.skyrl.ranks`."""

import json
import multiprocessing
import os
import socket
import sys
from pathlib import Path
from types import SimpleNamespace

import torch
import torch.distributed as dist

import guerdon_trainer.skyrl
from guerdon_trainer.local.workers import CpuStrategy
from guerdon_trainer.skyrl.workers import MixedModalityWrapper

assert guerdon_trainer.skyrl

from skyrl.train.config import FSDPConfig, ModelConfig, OptimizerConfig  # noqa: E402


def build(model_path, rank_of_adapter=4):
    torch.manual_seed(0)
    wrapper = MixedModalityWrapper(
        model_path, bf16=False, lora_rank=rank_of_adapter, lora_alpha=8,
        target_modules=["q_proj", "v_proj"], exclude_modules=".*visual.*",
    )  # fmt: skip
    fsdp = FSDPConfig()
    fsdp.mixed_precision = SimpleNamespace(param_dtype="fp32")
    strategy = CpuStrategy(
        fsdp_config=fsdp,
        optimizer_config=OptimizerConfig(lr=1e-2, scheduler="linear", num_warmup_steps=2),
        model_config=ModelConfig(),
        micro_train_batch_size_per_gpu=1,
        num_training_steps=10,
    )
    strategy.is_lora = True
    strategy.setup_distributed()
    return (strategy, *strategy.prepare((wrapper, None, None)))


def step(model, optimizer, scheduler, tokens):
    """One update on the same rows, whatever the number of ranks."""
    mine = tokens[dist.get_rank() :: dist.get_world_size()]
    logits = model.model(input_ids=mine, attention_mask=torch.ones_like(mine)).logits
    loss = logits.logsumexp(-1).mean()
    loss.backward()
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
    return float(loss)


def rank(number, world, port, model_path, load, save, steps):
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "RANK": str(number), "WORLD_SIZE": str(world)}
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    strategy, model, optimizer, scheduler = build(model_path)
    if load:
        strategy.load_checkpoint(model, load, optimizer, scheduler)
    tokens = torch.arange(48).reshape(4, 12) + 20
    for _ in range(steps):
        step(model, optimizer, scheduler, tokens)
    strategy.save_checkpoint(model, save, 0, optimizer, scheduler)
    if number == 0:
        Path(save, "seen.json").write_text(json.dumps({"rate": scheduler.get_last_lr()[0]}))
    dist.destroy_process_group()


def main(model_path, jobs):
    """Do jobs one after another, each by so many forks of this process, which has imported all and computed nothing."""
    fork = multiprocessing.get_context("fork")
    for job in json.loads(jobs):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        world = job["world"]
        arguments = (world, port, model_path, job["load"], job["save"], job["steps"])
        running = [fork.Process(target=rank, args=(number, *arguments)) for number in range(world)]
        for process in running:
            process.start()
        for process in running:
            process.join()
        if any(process.exitcode for process in running):
            sys.exit(f"{job}: exit codes {[process.exitcode for process in running]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
