"""What a benchmark gives back, how it is timed, and where its results go."""

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
"""Where results are written, a file for each benchmark."""

_VERSIONED = (
    "guerdon",
    "pydantic",
    "numpy",
    "pyarrow",
    "duckdb",
    "torch",
    "ray",
    "skyrl",
    "transformers",
    "math-verify",
)


@dataclass(frozen=True, slots=True)
class Target:
    """One figure that is held to something."""

    name: str
    """What is measured, with its unit."""
    ours: float
    peer: float
    """The peer's figure, or the floor's."""
    ratio: float
    """What `target` is about: usually ours divided by the peer's, from rounds that alternate."""
    spread: float
    """Half the distance between the quartiles of the ratio over rounds."""
    target: str
    """Such as ``<= 0.33``."""
    ok: bool


@dataclass(frozen=True, slots=True)
class Rounds:
    """Times of alternating runs, in seconds, by name."""

    times: Mapping[str, Sequence[float]]

    def median(self, name: str) -> float:
        """Return the median time."""
        return statistics.median(self.times[name])

    def scaled(self, name: str, factor: float) -> list[float]:
        """Return the times of all rounds in another unit."""
        return [seconds * factor for seconds in self.times[name]]

    def each(self, formula: Callable[[Mapping[str, float]], float]) -> list[float]:
        """Apply a formula to the times of each round."""
        names = list(self.times)
        return [formula(dict(zip(names, row, strict=True))) for row in zip(*self.times.values(), strict=True)]


def alternate(functions: Mapping[str, Callable[[], float | None]], rounds: int, warm: int = 1) -> Rounds:
    """Run all functions in turn, `rounds` times. One that returns a float timed itself, in seconds."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for number in range(warm + rounds):
        for name, function in functions.items():
            before = time.perf_counter()
            own = function()
            took = time.perf_counter() - before if own is None else own
            if number >= warm:
                times[name].append(took)
    return Rounds(times)


def spread(values: Sequence[float]) -> float:
    """Return half the distance between the quartiles."""
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4)
    return (high - low) / 2


def at_most(name: str, limit: float, ours: Sequence[float], peer: Sequence[float]) -> Target:
    """Hold ours / peer to a limit, by the fastest round of each: what else runs on the machine only adds."""
    ratio = min(ours) / min(peer)
    ratios = [a / b for a, b in zip(ours, peer, strict=True)]
    return Target(name, min(ours), min(peer), ratio, spread(ratios), f"<= {limit:g}", ratio <= limit)


def machine() -> dict[str, Any]:
    """Describe this machine."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "load": list(os.getloadavg()),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def versions() -> dict[str, str]:
    """Return the versions of what matters here and is installed."""
    found: dict[str, str] = {}
    for name in _VERSIONED:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def report(targets: Sequence[Target], peers: Mapping[str, str]) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    return {
        "targets": [asdict(target) for target in targets],
        "versions": versions() | dict(peers),
        "machine": machine(),
    }


def write(name: str, content: Mapping[str, Any]) -> Path:
    """Write results with today's date."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    dated = {"benchmark": name, "date": datetime.now(UTC).date().isoformat(), **content}
    path.write_text(json.dumps(dated, indent=2) + "\n", encoding="utf-8")
    return path


def line(target: Target) -> str:
    """Write a target in one line."""
    return (
        f"{'ok   ' if target.ok else 'short'}  {target.name}: ours {target.ours:.4g}, against {target.peer:.4g}, "
        f"ratio {target.ratio:.3g} ± {target.spread:.2g}, target {target.target}"
    )
