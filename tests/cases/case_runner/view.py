"""The result of a case as plain JSON, which the asserts of the cases look into."""

import copy
import glob
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from case_runner import probes

from guerdon import Reward, ScoredGroup
from guerdon.advantage import AdvantageConfig, Advantages, ComponentMatrix, compute_advantages, matrix_from

RULE = AdvantageConfig(advantage="sum")
"""Totals of the cases are weighted sums."""

type View = dict[str, Any]


def watched(action: Callable[[], View], inputs: Any) -> View:
    """Run an action; note its exception, its seconds, files that it made and inputs that it changed."""
    before_files, before = set(_probe_files()), copy.deepcopy(inputs)
    started = time.monotonic()
    view: View = {"error": None, "error_message": None}
    try:
        view |= action()
    except Exception as error:  # noqa: BLE001  # whatever left the framework is what the case asks for
        view |= {"error": type(error).__name__, "error_message": str(error)}
    view.setdefault("elapsed_s", time.monotonic() - started)
    view["files_created"] = sorted(set(_probe_files()) - before_files)
    view["inputs_changed"] = [str(index) for index, (a, b) in enumerate(zip(before, inputs, strict=True)) if a != b]
    json.dumps(view, allow_nan=False)
    return view


def _probe_files() -> list[str]:
    return glob.glob("/tmp/reward_probe_*")  # noqa: PTH207  # the cases name this pattern


def compute(scored: Sequence[ScoredGroup], rewards: Mapping[str, Reward]) -> tuple[ComponentMatrix, Advantages]:
    """Return the matrix and advantages as a trainer would."""
    matrix = matrix_from(scored, rewards, step=1, outcome=None)
    return matrix, compute_advantages(matrix, RULE)


def view_of(scored: Sequence[ScoredGroup], advantages: Advantages) -> View:
    """Describe scored groups; samples stand by their number in the batch."""
    samples: dict[int, View] = {}
    counts: dict[str, Counter[str]] = {}
    position = 0
    for group in scored:
        for sample, records in zip(group.group.samples, group.records, strict=True):
            components = {record.component: _component(record) for record in records}
            for record in records:
                counts.setdefault(record.component, Counter())[str(record.status)] += 1
            samples[sample.metadata[probes.NUMBER]] = {
                "total": _number(advantages.totals[position]),
                "trained": bool(advantages.trained[position]),
                "advantage": _number(advantages.advantages[position]),
                "components": components,
            }
            position += 1
    statuses = ("ok", "abstain", "error", "timeout")
    return {
        "samples": [samples[number] for number in sorted(samples)],
        "counts": {name: {status: found[status] for status in statuses} for name, found in counts.items()},
    }


def _component(record: Any) -> View:
    findings = record.evidence.get("findings", ()) if isinstance(record.evidence, Mapping) else ()
    categories = {str(finding["category"]) for finding in findings if "category" in finding}
    return {
        "status": str(record.status),
        "value": record.value,
        "reason": record.reason,
        "flagged": record.value is not None and record.value < 0,
        "categories": sorted(categories),
        "masks": record.masks,
    }


def _number(value: np.floating[Any]) -> float | None:
    return float(value) if np.isfinite(value) else None
