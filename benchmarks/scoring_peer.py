"""The peers' side of ``python -m benchmarks scoring``: runs tasks that it reads from standard input."""

import asyncio
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from importlib import metadata
from types import SimpleNamespace
from typing import Any

from benchmarks.scoring_work import WORDS, Told, Trivial, Waits, groups
from guerdon import Reward, Sample

SINGLE = ("bare, CPU", "trl", "rubric")
"""Tasks that keep one thread busy: timed by the CPU, so that what else runs on the machine is not counted."""

CHUNKS = (16, 64, 128, 256, 512)


@cache
def samples() -> list[Sample]:
    """Return all samples of the batch."""
    return [sample for group in groups() for sample in group.samples]


@cache
def trivial() -> list[Reward]:
    """Return the five trivial rewards."""
    return [Trivial(word=word) for word in WORDS]


def bare() -> None:
    """Call the rewards in a loop."""
    for reward in trivial():
        score = reward.score
        [score(sample) for sample in samples()]


@cache
def trl(asynchronous: bool) -> tuple[Callable[..., object], tuple[Any, ...]]:
    """Return TRL's own reward path, on a trainer that has only what the path looks at."""
    from accelerate import Accelerator
    from trl.trainer.grpo_trainer import GRPOTrainer
    from trl.trainer.utils import start_event_loop_in_daemon

    def sync_function(reward: Reward) -> Callable[..., list[Any]]:
        def function(**_: object) -> list[Any]:
            return [reward.score(sample) for sample in samples()]

        return function

    async def waits(**_: object) -> list[Any]:
        reward = Waits()
        return list(await asyncio.gather(*[reward.score(sample) for sample in samples()]))

    functions = [waits] if asynchronous else [sync_function(reward) for reward in trivial()]
    _, loop, ready = start_event_loop_in_daemon(name="benchmark")
    ready.wait()
    trainer = SimpleNamespace(
        accelerator=Accelerator(cpu=True),
        state=SimpleNamespace(global_step=0),
        args=SimpleNamespace(report_to=[]),
        environments=None,
        reward_funcs=functions,
        reward_processing_classes=[None] * len(functions),
        reward_func_names=[f"f{i}" for i in range(len(functions))],
        _log_completion_extra=None,
        _log_metric=None,
        async_loop=loop,
    )
    prompts = [list(sample.prompt) for sample in samples()]
    completions = [sample.completion for sample in samples()]
    inputs = [{"prompt": prompt} for prompt in prompts]
    tokens = [list(sample.completion_tokens) for sample in samples()]
    return GRPOTrainer._calculate_rewards, (trainer, inputs, prompts, completions, tokens)  # noqa: SLF001  # its path


def run_trl(asynchronous: bool) -> None:
    """Score the batch as TRL does."""
    path, arguments = trl(asynchronous)
    path(*arguments)


@cache
def rubric() -> tuple[Any, list[list[Any]]]:
    """Return verifiers' Rubric over the five telling rewards, and the states it scores."""
    import verifiers

    def function_of(word: str) -> Callable[..., float]:
        reward = Told(word=word)

        def function(state: Any) -> float:
            return reward.score(state["sample"]).value

        function.__name__ = word
        return function

    made = verifiers.Rubric(funcs=[function_of(word) for word in WORDS])
    states = [
        [
            verifiers.State(
                prompt=sample.prompt, completion=sample.completion, answer="B", sample=sample, task=None, trajectory=[]
            )
            for sample in group.samples
        ]
        for group in groups()
    ]
    return made, states


def run_rubric() -> None:
    """Score the batch as verifiers does, group by group."""
    made, states = rubric()

    async def score() -> None:
        for group in states:
            await made.score_group(group)

    asyncio.run(score())


def five(sample: Sample) -> list[Any]:
    """Score a sample by the five trivial rewards; what pebble calls in its workers."""
    return [reward.score(sample) for reward in trivial()]


@cache
def pool() -> Any:
    """Return pebble's pool of two processes."""
    from pebble import ProcessPool

    return ProcessPool(2, context=multiprocessing.get_context("forkserver"))


def run_pebble(chunk: int) -> None:
    """Score the batch in pebble's processes."""
    list(pool().map(five, samples(), chunksize=chunk, timeout=60).result())


@cache
def best_chunk() -> int:
    """Return the chunk with which pebble is fastest, by the best of five runs each."""
    return min(CHUNKS, key=lambda chunk: min(timed(lambda: run_pebble(chunk)) for _ in range(5)))


def timed(function: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds that a call takes."""
    before = clock()
    function()
    return clock() - before


def answer(task: str) -> object:
    """Run a task once."""
    if task == "versions":
        return json.dumps({name: metadata.version(name) for name in ("trl", "verifiers", "pebble")})
    tasks: dict[str, Callable[[], object]] = {
        "bare": bare,
        "bare, CPU": bare,
        "trl": lambda: run_trl(False),
        "trl async": lambda: run_trl(True),
        "rubric": run_rubric,
        "pebble": lambda: run_pebble(best_chunk()),
    }
    if task == "pebble":
        best_chunk()
    return timed(tasks[task], time.process_time if task in SINGLE else time.perf_counter)


def main(lines: Sequence[str] | Any) -> None:
    """Answer until the input ends."""
    for line in lines:
        print(f"=> {answer(line.strip())}", flush=True)


if __name__ == "__main__":
    main(sys.stdin)
    if pool.cache_info().currsize:
        pool().stop()
