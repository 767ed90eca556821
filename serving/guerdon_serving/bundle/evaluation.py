"""Held-out figures from the run's ledger: before training, and at the step that is exported."""

from pathlib import Path

import pyarrow.compute as pc

from guerdon.ledger.reader import Ledger
from guerdon_serving.bundle.schema import EvalFacts
from guerdon_serving.codes import Code, RefusedError


def greedy_means(run: Path) -> dict[int, dict[str, float]]:
    """Return each component's mean value over held-out greedy completions, by step; empty without a ledger."""
    if not (run / "ledger" / "records").is_dir():
        return {}
    records = Ledger(run / "ledger").records(phase="eval", sampling="greedy")
    usable = records.filter(pc.is_valid(records["value"]))
    means: dict[int, dict[str, float]] = {}
    for row in usable.group_by(["step", "component"]).aggregate([("value", "mean")]).to_pylist():
        means.setdefault(row["step"], {})[row["component"]] = round(row["value_mean"], 6)
    return means


def describe_eval(means: dict[int, dict[str, float]], step: int) -> EvalFacts:
    """Compare the base (step 0) with the exported step, where both were evaluated."""
    return EvalFacts(base=means.get(0, {}), grpo=means.get(step, {}) if step else {})


def best_step(means: dict[int, dict[str, float]], outcome: str, saved: list[int]) -> int:
    """Return the saved step with the highest held-out outcome; of equal ones the earlier.

    Raises:
        RefusedError: no saved step was evaluated.
    """
    known = [step for step in saved if outcome in means.get(step, {})]
    if not known:
        raise RefusedError(
            Code.RUN_STEP,
            f"no checkpoint that is left was evaluated on {outcome!r} (saved: {saved}, evaluated: {sorted(means)})",
        )
    return max(known, key=lambda step: (means[step][outcome], -step))
