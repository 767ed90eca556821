"""``python -m benchmarks list | NAME | all [--json]``: exits 1 if any target is short."""

import argparse
import importlib
import json
import sys
from collections.abc import Sequence

from benchmarks.registry import BENCHMARKS
from benchmarks.runner import Target, line, report, write


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", choices=["list", "all", *BENCHMARKS])
    parser.add_argument("--completions", type=int, help="for fuzz: how many completions to make; a million by default")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of lines")
    options = parser.parse_args(arguments)
    if options.name == "list":
        print("\n".join(f"{name:12} {text}" for name, text in BENCHMARKS.items()))
        return 0
    names = list(BENCHMARKS) if options.name == "all" else [options.name]
    targets: list[Target] = []
    peers: dict[str, str] = {}
    for name in names:
        module = importlib.import_module(f"benchmarks.{name}")
        wanted = {"completions": options.completions} if name == "fuzz" and options.completions else {}
        found: list[Target] = module.run(**wanted)
        peers |= module.peers() if hasattr(module, "peers") else {}
        write(name, report(found, peers))
        targets += found
        if not options.json:
            print("\n".join(map(line, found)))
    if options.json:
        print(json.dumps(report(targets, peers)))
    return 0 if all(target.ok for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main())
