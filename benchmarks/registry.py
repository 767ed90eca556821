"""The benchmarks. Each is a module with ``run() -> list[Target]`` and, where it has peers, ``peers() -> dict``."""

BENCHMARKS = {
    "scoring": "what the engine costs, against a bare loop, TRL, verifiers and pebble",
    "faults": "5% of scorings fail, each in its own way: statuses, and what a step loses",
    "quickstart": "base, SFT and GRPO on held-out pictures, three seeds: what gains and what does not (about 30 min)",
}
"""Name of the module: what it measures."""
