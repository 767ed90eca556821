"""Real quickstart runs for ``python -m benchmarks audit``: recorded compactly, or as run folders.

``benchmarks/results/audit-runs/`` holds ``honest-<n>.npz`` and ``hacked-<n>.npz``: sums by group, no text. They are
recorded by ``python -m benchmarks.audit_real FOLDER...`` from run folders named ``honest-...`` or ``hacked-...``,
themselves or a folder above.
"""

import dataclasses
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.runner import RESULTS
from guerdon.audit import History, read_history
from guerdon.audit.history import Evaluation, Groups, Moments
from guerdon.ledger.rule import ComponentRule
from guerdon.review import open_run

RECORDED = RESULTS / "audit-runs"
LABELS = ("honest", "hacked")


def real_runs(folder: Path = RECORDED) -> Iterator[tuple[str, History]]:
    """Yield each recorded run with its label, then each run folder that lies there."""
    for path in sorted(folder.glob("*.npz")):
        yield path.name.partition("-")[0], load(path)
    for path in sorted(folder.glob("**/run.json")):
        if (label := label_of(path.parent)) is not None:
            yield label, read_history(open_run(path.parent))


def label_of(folder: Path) -> str | None:
    """Return ``honest`` or ``hacked`` by the name of the folder or of one above."""
    names = (name.partition("-")[0] for name in reversed(folder.resolve().parts))
    return next((name for name in names if name in LABELS), None)


def save(history: History, path: Path) -> None:
    """Record a history: arrays as they are, the rest as JSON."""
    facts = {
        "run": history.run,
        "outcome": history.outcome,
        "components": [dataclasses.asdict(one) for one in history.components],
        "evaluations": [[one.phase, one.sampling, one.step] for one in history.evaluations],
    }
    arrays = {"steps": history.steps, "facts": np.array(json.dumps(facts))}
    arrays |= {f"metric {name}": values for name, values in history.metrics.items()}
    arrays |= _flat("groups", history.groups)
    for number, one in enumerate(history.evaluations):
        arrays |= _flat(f"evaluation {number}", one)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)


def _flat(prefix: str, values: Groups | Moments | Evaluation) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray] = {}
    for field in dataclasses.fields(values):
        value = getattr(values, field.name)
        if isinstance(value, Moments):
            found |= _flat(f"{prefix} {field.name}", value)
        elif isinstance(value, np.ndarray):
            found[f"{prefix} {field.name}"] = value
    return found


def load(path: Path) -> History:
    """Read back what `save` recorded."""
    with np.load(path, allow_pickle=False) as arrays:
        facts = json.loads(str(arrays["facts"]))

        def taken(prefix: str) -> dict[str, np.ndarray]:
            return {name.removeprefix(f"{prefix} "): arrays[name] for name in arrays if name.startswith(f"{prefix} ")}

        flat = taken("groups")
        moments = {
            name: Moments(
                **{key.removeprefix(f"{name} "): flat.pop(key) for key in list(flat) if key.startswith(f"{name} ")}
            )
            for name in ("length", "gold")
        }
        evaluations = tuple(
            Evaluation(*kind, **taken(f"evaluation {number}")) for number, kind in enumerate(facts["evaluations"])
        )
        components = tuple(ComponentRule(**one) for one in facts["components"])
        return History(
            facts["run"],
            facts["outcome"],
            components,
            arrays["steps"],
            taken("metric"),
            Groups(**flat, **moments),
            evaluations,
        )


def main(folders: list[str]) -> None:
    """Record run folders."""
    counts = dict.fromkeys(LABELS, 0)
    for folder in map(Path, folders):
        label = label_of(folder)
        if label is None:
            raise SystemExit(f"{folder}: neither it nor a folder above is named honest-... or hacked-...")
        save(read_history(open_run(folder)), RECORDED / f"{label}-{counts[label]}.npz")
        counts[label] += 1


if __name__ == "__main__":
    main(sys.argv[1:])
