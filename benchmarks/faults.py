"""The fault campaign: 5% of scorings fail, each in its own way, over 50 steps of real training.

One run of the quickstart's small model. In every second step nothing fails: those are the run without faults, under
the same load of the machine. Afterwards every record of the ledger is held to what the reward gives without a fault,
on the very same completion.
"""

import json
import shutil
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import faults_plugin
from benchmarks.faults_plugin import FAULTS, HANGS, MASKS, Injector
from benchmarks.runner import Target, spread
from guerdon import Abstain, Reward, Sample, Score
from guerdon.config import RunConfig, load_config
from guerdon.ledger import Ledger
from guerdon_plugins.correctness import Correctness
from guerdon_plugins.format import Format
from guerdon_plugins.length import Length
from guerdon_trainer.quickstart.demo import prepare

WORK = Path("runs/benchmark-faults")
CONFIG = Path(__file__).with_name("faults.yaml")
WARM = 2
"""Steps at each end that are not timed: Ray warms up, the last one saves."""

WORKERS = 2

HONEST: dict[str, type[Reward]] = {"faulty_correctness": Correctness, "faulty_format": Format, "faulty_length": Length}
"""The rewards that fail, and what they are without faults."""

INJECTOR = Injector()

MAX_LOG = 300_000
"""Bytes of log after which no further start of Ray is tried."""


@dataclass(frozen=True, slots=True)
class Row:
    """A record of the ledger, with its sample and what befell it."""

    record: Mapping[str, Any]
    sample: Sample
    fault: str | None


def run() -> list[Target]:
    """Train, and judge."""
    return judge(_train())


def judge(config: RunConfig) -> list[Target]:
    """Look at every record and every step of the run in `WORK`."""
    ledger = Ledger(WORK / "faults" / "ledger")
    rows = list(_rows(config, ledger))
    times = {row["step"]: row["value"] for row in ledger.steps().to_pylist() if row["metric"] == "time/step"}
    return [_lost(config, rows), _wrong(config, rows), _slower(config, rows, times)]


def _train() -> RunConfig:
    shutil.rmtree(WORK, ignore_errors=True)
    path = prepare(WORK, train=64, evaluate=4, test=4, source=CONFIG)
    shutil.copyfile(faults_plugin.__file__, WORK / "faults_plugin.py")
    arguments = [sys.executable, "-m", "guerdon", "train", str(path), f"runtime.output_dir={WORK}"]
    with (WORK / "train.log").open("wb") as log:
        while subprocess.run(arguments, check=False, stdout=log, stderr=subprocess.STDOUT).returncode:
            if any((WORK / "faults" / "ledger" / "records").glob("*")) or log.tell() > MAX_LOG:
                raise RuntimeError(f"training failed; see {WORK / 'train.log'}")  # else Ray did not start in time
    return load_config(path)[0]


def _rows(config: RunConfig, ledger: Ledger) -> Iterator[Row]:
    samples = {(row["step"], row["sample_id"]): _sample(row) for row in ledger.samples(phase="train").to_pylist()}
    for record in ledger.records(phase="train").to_pylist():
        reward, sample = config.rewards[record["component"]], samples[record["step"], record["sample_id"]]
        fault = INJECTOR.fault(reward.name, sample) if reward.name in HONEST else None
        yield Row(record, sample, fault)


def _sample(row: Mapping[str, Any]) -> Sample:
    return Sample(
        row["sample_id"],
        row["completion"],
        json.loads(row["prompt"]),
        json.loads(row["reference"] or "{}"),
        token_count=row["token_count"],
        truncated=row["truncated"],
        metadata=json.loads(row["metadata"] or "{}"),
        group_id=row["group_id"],
        step=row["step"],
    )


def _lost(config: RunConfig, rows: Sequence[Row]) -> Target:
    """Count records: steps by prompts by samples by components."""
    steps, size = config.runtime.steps, config.algorithm.group_size
    expected = steps * config.prompts_per_step * size * len(config.rewards)
    keys = {(row.record["step"], row.record["sample_id"], row.record["component"]) for row in rows}
    lost = abs(expected - len(keys)) + abs(expected - len(rows))
    return Target(f"records lost of {expected}", lost, 0.0, lost, 0.0, "== 0", lost == 0)


def _wrong(config: RunConfig, rows: Sequence[Row]) -> Target:
    """Count records that do not say what had to come of their scoring."""
    faults = Counter(row.fault for row in rows if row.fault)
    share = sum(faults.values()) / sum(config.rewards[row.record["component"]].name in HONEST for row in rows) * 2
    print(f"injected into {share:.1%} of the scorings in steps with faults: {dict(faults.most_common())}")
    wrong = [row for row in rows if not _right(config.rewards[row.record["component"]], row)]
    for row in wrong[:5]:
        told = {name: row.record[name] for name in ("component", "step", "sample_id", "status", "value", "reason")}
        print(f"wrong: {told}, fault {row.fault}, expected {_bare(config.rewards[told['component']], row.sample)}")
    name = f"wrong records, {sum(faults.values())} faults of {len(faults)} kinds among {len(rows)}"
    return Target(name, len(wrong), 0.0, len(wrong), 0.0, "== 0", not wrong)


def _bare(reward: Reward, sample: Sample) -> Any:
    """Return what the reward says without a fault."""
    return HONEST.get(reward.name, type(reward)).score(reward, sample)


def _masked(row: Row) -> bool:
    record = row.record
    return record["status"] == "error" and record["cause"] == "infrastructure" and record["value"] is None


def _right(reward: Reward, row: Row) -> bool:
    record = row.record
    if row.fault in MASKS:
        return _masked(row)
    if row.fault in FAULTS:
        status = "timeout" if row.fault in HANGS else "error"
        counted = (record["status"], record["cause"], record["value"]) == (status, "completion", reward.range()[0])
        return counted and bool(record["reason"])
    expected = _bare(reward, row.sample)
    if isinstance(expected, Abstain):
        return record["status"] == "abstain" and record["value"] is None
    value = expected.value if isinstance(expected, Score) else expected
    return record["status"] == "ok" and record["value"] == value


def _slower(config: RunConfig, rows: Sequence[Row], times: Mapping[int, float]) -> Target:
    """Compare neighbouring steps, with faults and without, less what deadlines must take."""
    lost = _deadlines(config, rows)
    last = config.runtime.steps - WARM
    pairs = [(step, step - 1) for step in range(WARM + 2, last + 1, 2)]
    bad = [times[step] - lost.get(step, 0.0) for step, _ in pairs]
    good = [times[before] for _, before in pairs]
    ratio = statistics.fmean(bad) / statistics.fmean(good)
    name = f"step with 5% faults, mean of {len(pairs)}, less {sum(lost.values()):.1f} s of deadlines, s (without)"
    ratios = [a / b for a, b in zip(bad, good, strict=True)]
    return Target(name, statistics.fmean(bad), statistics.fmean(good), ratio, spread(ratios), "<= 1.1", ratio <= 1.1)


def _deadlines(config: RunConfig, rows: Sequence[Row]) -> dict[int, float]:
    """Return the least that the deadlines themselves add to each step, in seconds.

    A hang is tried twice. Those of the worker processes share these; async ones wait beside each other.
    """
    worked: dict[int, list[float]] = defaultdict(list)
    waited: dict[int, list[float]] = defaultdict(list)
    for row in rows:
        if row.fault in HANGS:
            reward = config.rewards[row.record["component"]]
            calls = config.algorithm.group_size + 1 if reward.name == "faulty_format" else 2
            kind = waited if reward.name == "faulty_length" else worked
            kind[row.record["step"]].append(calls * reward.timeout_s)
    return {step: max([sum(worked[step]) / WORKERS, *worked[step], *waited[step]]) for step in {*worked, *waited}}
