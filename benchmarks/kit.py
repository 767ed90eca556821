"""The researcher's kit: known faults that it finds, and what scoring 100,000 completions again costs, also from cache.

Each rescoring is the command itself in a process of its own, with the five built-in plugins (no
mathematics, no reading of pictures) on two workers. On a loaded machine fewer completions may be
asked for (``GUERDON_KIT_SAMPLES=20000``); the limits then shrink with them, and the name says so.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import kit_known
from benchmarks.runner import Target

SAMPLES = int(os.environ.get("GUERDON_KIT_SAMPLES", "100000"))
GROUP = 8
FULL = 100_000
LIMIT_S = 180.0
"""For `FULL` completions on two cores, start included."""

FASTER = 10.0
GROWTH = 1.15
"""The most memory in the second half of a run, over that in its first."""

CONFIG = """
run:       {name: kit, seed: 0}
model:     {name_or_path: ./none}
data:      {train_manifest: none.jsonl}
outcome:   answer
rewards:
  answer: {use: correctness, answer_from: tag, weight: 1.0}
  boxes:  {use: grounding, pred_space: norm1000, weight: 0.5}
  shape:  {use: format, tags: [think, answer], weight: 0.2}
  brief:  {use: length, max_len: 512, cache_len: 64, weight: 0.1}
  safe:   {use: safety, weight: 0.5}
"""

_WORDS = (
    "the",
    "square",
    "is",
    "red",
    "and",
    "left",
    "of",
    "a",
    "blue",
    "circle",
    "because",
    "its",
    "corner",
    "touches",
)


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the command."""

    seconds: float
    early_mb: float
    """The most memory of its processes together in the first half of its time."""
    late_mb: float
    """The same in the second half."""
    result: dict[str, Any]


def run() -> list[Target]:
    """Score, score again from the cache, and compare."""
    with tempfile.TemporaryDirectory(prefix="guerdon-kit-") as name:
        folder = Path(name)
        write_data(folder / "data.jsonl", SAMPLES)
        (folder / "run.yaml").write_text(CONFIG, encoding="utf-8")
        first = rescore(folder, "first")
        second = rescore(folder, "second")
        whole = rescore(folder, "third", "first", "--diff", "--no-cache")
    reproduced = whole.result["diff"]["reproduced"]
    records = second.result["found"] + second.result["scored"]
    hits = second.result["found"] / records
    return [
        *kit_known.targets(),
        _time(first),
        _memory(first),
        Target(
            "second run from the cache, s (first)",
            second.seconds,
            first.seconds,
            first.seconds / second.seconds,
            0.0,
            f">= {FASTER:g}",
            first.seconds / second.seconds >= FASTER,
        ),
        Target("records found in the cache", second.result["found"], records, hits, 0.0, ">= 0.95", hits >= 0.95),
        Target(
            "values equal with the same hashes",
            reproduced["equal"],
            reproduced["of"],
            reproduced["equal"] / reproduced["of"],
            0.0,
            "== 1",
            reproduced["equal"] == reproduced["of"] == 5 * SAMPLES,
        ),
    ]


def _time(run: Run) -> Target:
    limit = LIMIT_S * SAMPLES / FULL
    ratio = run.seconds / limit
    name = f"{SAMPLES} completions by five plugins, s (limit)"
    return Target(name, run.seconds, limit, ratio, 0.0, "<= 1", ratio <= 1)


def _memory(run: Run) -> Target:
    ratio = run.late_mb / run.early_mb
    name = "most memory in the second half, MB (in the first)"
    return Target(name, run.late_mb, run.early_mb, ratio, 0.0, f"<= {GROWTH:g}", ratio <= GROWTH)


def rescore(folder: Path, output: str, data: str = "data.jsonl", *options: str) -> Run:
    """Run ``guerdon score`` and watch its memory."""
    cache = [] if "--no-cache" in options else ["--cache", "scores.sqlite"]
    command = [sys.executable, "-m", "guerdon", "score", "run.yaml", data, "--workers", "2", "--json"]
    command += ["--output", output, *cache, *options]
    before = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    memory: list[float] = []
    while process.poll() is None:
        memory.append(memory_mb(process.pid))
        time.sleep(0.5)
    seconds = time.perf_counter() - before
    assert process.stdout is not None
    with process.stdout as out:
        result = json.loads(out.read())
    half = len(memory) // 2
    return Run(seconds, max(memory[: half + 1]), max(memory[half:]), result)


def memory_mb(pid: int) -> float:
    """Return the proportional memory of a process and its descendants; shared pages count once."""
    import psutil

    total = 0
    try:
        parent = psutil.Process(pid)
        for process in (parent, *parent.children(recursive=True)):
            total += process.memory_full_info().pss
    except psutil.Error:  # it has just ended
        pass
    return total / 1e6


def write_data(path: Path, samples: int) -> None:
    """Write completions with answers of three kinds, boxes, and reasoning of 20 to 120 words."""
    with path.open("w", encoding="utf-8") as file:
        for row in rows(samples // GROUP):
            file.write(json.dumps(row) + "\n")


def rows(prompts: int) -> Iterator[dict[str, Any]]:
    """Return a line for each prompt."""
    rng = random.Random(0)
    for number in range(prompts):
        kind = ("choice", "numeric", "exact")[number % 3]
        gold = {"choice": "B", "numeric": number % 97, "exact": "blue"}[kind]
        reference: dict[str, Any] = {"type": kind, "answer": gold}
        if kind == "choice":
            options = {"A": "red", "B": "blue", "C": "green"}
            reference |= {"options": options, "boxes": [[100, 100, 300, 300]], "ref_space": "norm1000"}
        yield {
            "id": f"q{number}",
            "messages": [{"role": "user", "content": f"question {number}?"}],
            "reference": reference,
            "metadata": {"image_width": 1000, "image_height": 1000},
            "completions": [completion(rng, kind, gold) for _ in range(GROUP)],
        }


def completion(rng: random.Random, kind: str, gold: object) -> dict[str, Any]:
    """Return one completion."""
    thought = " ".join(rng.choices(_WORDS, k=rng.randint(20, 120)))
    answer = str(gold) if rng.random() < 0.5 else rng.choice(["A", "12", "red"])
    if kind == "choice":
        box = [rng.randint(80, 140), 100, 300, rng.randint(250, 330)]
        answer += f' [{{"bbox_2d": {box}, "label": "square"}}]'
    text = f"<think>{thought}</think><answer>{answer}</answer>"
    return {"text": text, "token_count": len(text.split()) + rng.randint(0, 500)}
