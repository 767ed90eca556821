"""The audit's false alarms, recall and delay, on made-up runs of families that set no threshold, and on real runs.

A run's alarm is what the audit says at its end; "watching" counts what was raised at any look. Delay is the
share of the run that had passed when the alarm was raised.
"""

import json
import statistics
import subprocess
import sys
import venv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import audit_curves, audit_policy
from benchmarks.audit_real import real_runs
from benchmarks.runner import RESULTS, Target
from guerdon.audit import History, audit
from guerdon.audit.alarms.failures import wilson
from guerdon.audit.look import look_points
from guerdon.audit.thresholds import DEFAULT

HONEST_RUNS = 65
"""Of each honest scenario and judging family: 1,040 in all."""

HACKED_RUNS = 20
PEER_RUNS = 8
"""Of each scenario and family, the first ones; peers look at every prefix."""

PEERS = ("rlprobe==0.1.0", "rldoctor==0.2.0")
HOME = Path(__file__).parents[1] / "runs" / "audit-peers"
"""The peers' environment; delete it to have it made anew."""

FAMILIES = {
    "curves": lambda scenario, rng: audit_curves.make(audit_curves.JUDGING, scenario, rng),
    "policies": audit_policy.make_other,
}
"""Those that judge. Thresholds were set on `audit_curves.SETTING` and `audit_policy.make`."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool said of one run."""

    tool: str
    family: str
    scenario: str
    hacked: bool
    ended: tuple[str, ...]
    """Detectors that say so at the end."""

    watching: tuple[str, ...]
    delays: Mapping[str, float]
    """Of each that says so at the end: the share of the run after which it never ceased to."""

    @property
    def delay(self) -> float | None:
        """Return that of the first."""
        return min(self.delays.values(), default=None)


def run() -> list[Target]:
    """Run the campaign, print the table and write it, and hold it to its targets."""
    results: list[Result] = []
    told: list[tuple[str, str, bool, History]] = []
    for family, scenario, number, history in _made():
        hacked = scenario in audit_curves.HACKED
        results.append(ours(family, scenario, hacked, history))
        if number < PEER_RUNS:
            told.append((family, scenario, hacked, history))
    real = [(label, history) for label, history in real_runs()]
    for label, history in real:
        results.append(ours("quickstart", label, label == "hacked", history))
        told.append(("quickstart", label, label == "hacked", history))
    results += theirs(told)
    table = [*_table(results)]
    (RESULTS / "audit-scenarios.json").write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")
    for row in table:
        print(" ".join(f"{key}={value}" for key, value in row.items()))
    return targets(results)


def peers() -> dict[str, str]:
    """Return the peers' versions."""
    return dict(name.split("==") for name in PEERS)


def _made() -> Iterator[tuple[str, str, int, History]]:
    for family, make in FAMILIES.items():
        for scenario in (*audit_curves.HONEST, *audit_curves.HACKED):
            for number in range(HACKED_RUNS if scenario in audit_curves.HACKED else HONEST_RUNS):
                seed = [1, number, sum(map(ord, family + scenario))]
                yield family, scenario, number, make(scenario, np.random.default_rng(seed))


def ours(family: str, scenario: str, hacked: bool, history: History) -> Result:
    """Audit one run."""
    found = audit(history)
    last = int(history.steps[-1])
    return Result(
        "guerdon", family, scenario, hacked,
        tuple(one.alarm for one in found.alarms),
        tuple(one.alarm for one in found.findings if one.first_raised is not None),
        {one.alarm: one.raised / last for one in found.alarms if one.raised is not None},
    )  # fmt: skip


def theirs(runs: Sequence[tuple[str, str, bool, History]]) -> list[Result]:
    """Have the peers look at the same runs, at the same steps."""
    lines = [json.dumps({"records": records(history), "looks": _looks(history)}) for *_, history in runs]
    done = subprocess.run(
        [python(), Path(__file__).with_name("audit_peer.py")],
        input="\n".join(lines) + "\n", text=True, stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    answers = [json.loads(line[3:]) for line in done.stdout.splitlines() if line.startswith("=> ")][1:]
    results = []
    for (family, scenario, hacked, history), answer in zip(runs, answers, strict=True):
        for tool, looks in answer.items():
            ended = sorted(set(looks[-1]))
            delays = {
                name: _streak(_looks(history), [name in names for names in looks]) / len(history.steps)
                for name in ended
            }
            watching = tuple(sorted({name for names in looks for name in names}))
            results.append(Result(tool, family, scenario, hacked, tuple(ended), watching, delays))
    return results


def _streak(looks: Sequence[int], fired: Sequence[bool]) -> int:
    """Return the look from which on a detector fired at every look, as an alarm's `raised` counts it."""
    quiet = [place for place, hit in enumerate(fired) if not hit]
    return looks[quiet[-1] + 1 if quiet else 0]


def _looks(history: History) -> list[int]:
    return list(look_points(len(history.steps), DEFAULT))


def python() -> Path:
    """Return the interpreter of the peers' environment, which is made if it is not there."""
    executable, marker = HOME / "bin" / "python", HOME / "packages.json"
    if not marker.exists() or json.loads(marker.read_text(encoding="utf-8")) != list(PEERS):
        venv.create(HOME, with_pip=True, clear=True)
        subprocess.run([executable, "-m", "pip", "install", "-q", *PEERS], check=True, stdout=sys.stderr)
        marker.write_text(json.dumps(list(PEERS)), encoding="utf-8")
    return executable


def records(history: History) -> list[dict[str, object]]:
    """Return what a trainer logs of each step: means of reward, components, KL, entropy, length, and evaluations."""
    groups, names = history.groups, [one.name for one in history.components]
    pairs = groups.length
    spread = np.sqrt(np.maximum(pairs.yy / pairs.n - (pairs.y / pairs.n) ** 2, 0.0))
    ones = np.ones_like(spread)
    series = {
        "reward": history.by_step(groups.totals, groups.total_counts),
        "reward_std": history.by_step(spread, ones),
        "constant": history.by_step((spread < 1e-6).astype(np.float64), ones),
        "length": history.by_step(pairs.x, pairs.n),
        "kl": history.metrics["kl"],
        "entropy": history.metrics["entropy"],
    }
    parts = {name: history.by_step(groups.sums[:, k], groups.counts[:, k]) for k, name in enumerate(names)}
    scores = {one.step: one.sums.sum() / one.counts.sum() for one in history.evaluations if one.phase == "eval"}
    rows = []
    for place, step in enumerate(history.steps.tolist()):
        row: dict[str, object] = {"step": step, **{name: _known(values[place]) for name, values in series.items()}}
        row["components"] = {
            name: float(values[place]) for name, values in parts.items() if values[place] == values[place]
        }
        rows.append(row | ({"eval": float(scores[step])} if step in scores else {}))
    return rows


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _table(results: Sequence[Result]) -> Iterator[dict[str, object]]:
    """Return a row for every tool, family and scenario."""
    keys = sorted({(r.tool, r.family, r.hacked, r.scenario) for r in results})
    for tool, family, hacked, scenario in keys:
        mine = [r for r in results if (r.tool, r.family, r.scenario) == (tool, family, scenario)]
        counts = {name: sum(name in r.ended for r in mine) for r in mine for name in r.ended}
        yield {
            "tool": tool, "family": family, "scenario": scenario, "hacked": hacked, "runs": len(mine),
            "alarm": round(_share(bool(r.ended) for r in mine), 3),
            "watching": round(_share(bool(r.watching) for r in mine), 3),
            "delay": _median(r.delay for r in mine),
            "detectors": {name: round(count / len(mine), 3) for name, count in sorted(counts.items())},
        }  # fmt: skip


def _share(hits: Iterable[bool]) -> float:
    return statistics.fmean(hits)


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(statistics.median(known), 3) if known else None


def targets(results: Sequence[Result]) -> list[Target]:
    """Hold the audit to at most 2% false alarms, 95% recall, and no more delay than an equally quiet peer."""
    found = []
    for name, families in (("judging families", tuple(FAMILIES)), ("quickstart runs", ("quickstart",))):
        mine = [r for r in results if r.tool == "guerdon" and r.family in families]
        honest, hacked = ([r for r in mine if r.hacked == side] for side in (False, True))
        if not honest or not hacked:
            continue
        false, caught = sum(bool(r.ended) for r in honest), sum(bool(r.ended) for r in hacked)
        high, low = wilson(false, len(honest), 0.025)[1], wilson(caught, len(hacked), 0.025)[0]
        share, recall = false / len(honest), caught / len(hacked)
        # Ten real runs bound nothing: there the share itself is held to the target.
        held, limit = (high, "Wilson's upper bound <= 0.02") if len(honest) >= 1000 else (share, "<= 0.02")
        found += [
            Target(
                f"{name}: false alarms a run, {len(honest)} honest",
                share,
                high,
                share,
                high - share,
                limit,
                held <= 0.02,
            ),
            Target(
                f"{name}: recall, {len(hacked)} hacked", recall, low, recall, recall - low, ">= 0.95", recall >= 0.95
            ),
        ]
    return [*found, *_delays(results)]


def _delays(results: Sequence[Result]) -> Iterator[Target]:
    """Compare delay with every single detector of the peers that is as quiet, on the hacked runs that it catches."""
    for tool in sorted({r.tool for r in results} - {"guerdon"}):
        for detector in sorted({name for r in results if r.tool == tool for name in r.ended}):
            honest = [r for r in results if r.tool == tool and not r.hacked]
            if _share(detector in r.ended for r in honest) > 0.02:
                continue
            caught = {(r.family, r.scenario) for r in results if r.tool == tool and r.hacked and detector in r.ended}
            theirs_ = [r.delays[detector] for r in results if r.tool == tool and r.hacked and detector in r.delays]
            ours_ = [r.delay for r in results if r.tool == "guerdon" and (r.family, r.scenario) in caught and r.delay]
            if theirs_ and ours_:
                a, b = statistics.median(ours_), statistics.median(theirs_)
                yield Target(
                    f"median delay, share of the run, against {tool} {detector}", a, b, a / b, 0.0, "<= 1", a <= b
                )
