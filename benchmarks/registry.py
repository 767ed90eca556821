"""The benchmarks. Each is a module with ``run() -> list[Target]`` and, where it has peers, ``peers() -> dict``."""

BENCHMARKS = {
    "scoring": "what the engine costs, against a bare loop, TRL, verifiers and pebble",
    "faults": "5% of scorings fail in real training, each in its own way: statuses, and what a step loses",
    "kit": "scoring 100,000 completions again: time, memory, cache, and whether every value comes out the same",
    "serving": "adapters in one batch, ping and swaps under load, memory over 1,000 loads; vLLM where it is installed",
    "quickstart": "base, SFT and GRPO on held-out pictures, three seeds: what gains and what does not (about 30 min)",
    "plugins": "the five built-in rewards: the nastiest inputs, and a typical completion",
    "graders": "how many handed cases the built-in rewards, Math-Verify, TRL, open-r1 and VLM-R1 get right",
    "fuzz": "a million mutated completions by the five built-in rewards, and 20,000 with maths (half an hour or more)",
    "audit": "false alarms, recall and delay of the audit, on made-up and recorded runs, against rlprobe and rldoctor",
}
"""Name of the module: what it measures."""
