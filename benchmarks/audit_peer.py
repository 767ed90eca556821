"""The peers' side of ``python -m benchmarks audit``: rlprobe and rldoctor on the same runs, in their own environment.

Run as a file by the peers' interpreter: reads runs as JSON lines, answers with a line for each.
"""

import json
import sys
from importlib import metadata
from typing import Any

from rl_doctor import Severity, run_from_records
from rl_doctor import diagnose as doctor
from rlprobe.doctor.engine import diagnose_view
from rlprobe.doctor.runview import RunView
from rlprobe.schemas import RunManifest, StepRecord


def rldoctor(records: list[dict[str, Any]]) -> list[str]:
    """Return the detectors that warn, or worse."""
    rows = []
    for one in records:
        row = {
            "step": one["step"],
            "reward": one["reward"],
            "reward_std": one["reward_std"],
            "kl": one["kl"],
            "entropy": one["entropy"],
            "completion_length": one["length"],
            "frac_reward_zero_std": one["constant"],
            **{f"rewards/{name}/mean": value for name, value in one["components"].items()},
        }
        rows.append(row | ({"eval_score": one["eval"]} if "eval" in one else {}))
    return [one.detector for one in doctor(run_from_records(rows)).findings if one.severity >= Severity.WARNING]


def rlprobe(records: list[dict[str, Any]]) -> list[str]:
    """Return the detectors that warn, or worse."""
    rows = [
        StepRecord(
            step=one["step"],
            reward_mean=one["reward"],
            reward_std=one["reward_std"],
            reward_components=one["components"],
            kl_mean=one["kl"],
            entropy_mean=one["entropy"],
            completion_len_mean=one["length"],
            zero_variance_group_frac=one["constant"],
            group_reward_std_mean=one["reward_std"],
        )
        for one in records
    ]
    manifest = RunManifest(run_id="run", created_at="2026-01-01T00:00:00", algorithm="grpo")
    return [one.signature_id for one in diagnose_view(RunView(manifest, rows)) if one.severity != "info"]


def main() -> None:
    """Answer each run with, for each tool and look, the detectors that fired."""
    versions = {name: metadata.version(name) for name in ("rlprobe", "rldoctor")}
    print("=> " + json.dumps(versions), flush=True)
    for line in sys.stdin:
        run = json.loads(line)
        fired = {tool.__name__: [tool(run["records"][:look]) for look in run["looks"]] for tool in (rlprobe, rldoctor)}
        print("=> " + json.dumps(fired), flush=True)


if __name__ == "__main__":
    main()
