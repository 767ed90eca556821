"""The five built-in rewards: what the nastiest inputs cost, and what a typical completion costs."""

import json
import random
import subprocess
import sys
import time

from benchmarks.runner import Target, spread
from guerdon import Reward, Sample
from guerdon_plugins import Correctness, Format, Grounding, Length, Safety

PLUGINS = ("correctness", "format", "grounding", "length", "safety")
SAMPLES = 400
ROUNDS = 9
SENTENCES = (
    "The chart shows five bars, and the tallest one stands for 2019.",
    "Its value is about 45, which is 12 more than the bar beside it.",
    "I compare the legend with the colours: blue is revenue, orange is cost.",
    "The axis starts at 0, so the heights can be compared directly.",
    "Option A names the wrong year, and option C mixes up the units.",
    'The label in the upper left corner reads "Sales 2019".',
    "That leaves the region near the lower right corner of the picture.",
    "Subtracting 33 from 45 gives 12, as expected.",
)


def typical(count: int = SAMPLES) -> list[Sample]:
    """Return completions of some 250 tokens with reasoning, a box and a choice."""
    rng = random.Random(0)
    made: list[Sample] = []
    for number in range(count):
        reasoning = " ".join(rng.choices(SENTENCES, k=14))
        answer = '{"bbox_2d": [120, 80, 340, 260], "label": "bar"} The answer is B.'
        reference = {
            "type": "choice",
            "options": list("ABCD"),
            "answer": "B",
            "boxes": [[77, 38, 218, 125]],
            "ref_space": "abs",
        }
        metadata = {"image_width": 640, "image_height": 480, "token_count": 250}
        text = f"<think>{reasoning}</think>\n<answer>{answer}</answer>"
        made.append(Sample(f"{number}/0", text, reference=reference, metadata=metadata))
    return made


def five() -> list[Reward]:
    """Return the five rewards as a run would have them."""
    return [
        Correctness(),
        Format(),
        Grounding(pred_space="norm1000"),
        Length(max_len=1024, cache_len=256),
        Safety(),
    ]


def _typical_target() -> Target:
    samples, rewards = typical(), five()
    for reward in rewards:
        reward.prepare()
    times: list[float] = []
    for number in range(ROUNDS + 1):
        begin = time.process_time()
        for sample in samples:
            for reward in rewards:
                reward.score(sample)
        if number:
            times.append((time.process_time() - begin) / len(samples) * 1000)
    best = min(times)
    return Target("a completion of 250 tokens by all five, ms", best, 1.0, best, spread(times), "<= 1", best <= 1.0)


def _nasty_targets(plugin: str) -> list[Target]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.plugins_work", plugin], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    slow, grown = found["slowest_s"], found["memory_mb"]
    return [
        Target(f"{plugin}: slowest nasty input, s: {found['input']}", slow, 1.0, slow, 0.0, "<= 1", slow <= 1.0),
        Target(f"{plugin}: memory of nasty inputs, MB", grown, 200.0, grown / 200, 0.0, "<= 1", grown <= 200.0),
    ]


def run() -> list[Target]:
    """Measure both."""
    return [_typical_target(), *(target for plugin in PLUGINS for target in _nasty_targets(plugin))]
