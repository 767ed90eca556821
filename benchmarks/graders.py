"""How many of the handed cases each grader gets right, all in one run.

A peer is asked only what it is made for: a maths grader for answers that are texts, numbers or
letters, a format reward for think blocks, a length penalty for token counts. Bad gold counts as
right where the peer skips it. Open-r1 and VLM-R1 are on no package registry, so they are not here.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import peer
from benchmarks.runner import Target

CASES = Path(__file__).parents[1] / "tests" / "cases"
sys.path.insert(0, str(CASES))

type Case = dict[str, Any]

_ANSWERS = ("choice", "exact", "numeric", "math")
_CHECKS = ("score", "no_raise", "unscorable")
TOLERANCE = 1e-6


def is_answer(case: Case) -> bool:
    """Whether a grader of answers can be asked: one gold, and everywhere in the text."""
    reference = case.get("reference") or {}
    return case["plugin"] == "correctness" and reference.get("type") in _ANSWERS and _plain(case)


def is_think(case: Case) -> bool:
    """Whether a think-block format is asked for."""
    return case["plugin"] == "format" and (case.get("config") or {}).get("format") == "think" and _plain(case)


def is_length(case: Case) -> bool:
    """Whether a soft overlong or repetition penalty is asked for."""
    return (
        case["plugin"] == "length" and case["config"]["component"] in ("soft_overlong", "repetition") and _plain(case)
    )


def _plain(case: Case) -> bool:
    return case["expected"]["check"] in _CHECKS and "variants" not in case


def is_maths(case: Case) -> bool:
    """Whether a grader of maths is asked for."""
    return is_answer(case) and case["reference"]["type"] == "math"


ASKED: Sequence[tuple[str, str, Callable[[Case], bool]]] = (
    ("Math-Verify", "maths", is_maths),
    ("Math-Verify", "answers of all types", is_answer),
    ("TRL accuracy_reward", "maths", is_maths),
    ("TRL accuracy_reward", "answers of all types", is_answer),
    ("TRL think_format_reward", "think blocks", is_think),
    ("TRL length rewards", "overlong and repetition", is_length),
)
"""Grader, what it is asked about, and the cases."""


def cases() -> list[Case]:
    """Read the handed cases; parts are joined."""
    found: list[Case] = []
    for line in (CASES / "handout.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if "completion_parts" in case:
            case["completion"] = "".join(text * times for text, times in case["completion_parts"])
        metadata = case.get("metadata") or {}
        if "token_ids_parts" in metadata:
            metadata["token_ids"] = [token for ids, times in metadata["token_ids_parts"] for token in ids * times]
        found.append({**case, "metadata": metadata})
    return found


class Graders:
    """The peers' process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [peer.python(), "-m", "benchmarks.graders_peer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to one question."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("=> "):
                answer: dict[str, Any] = json.loads(line[3:])
                return answer
        raise RuntimeError("the peers' process ended")

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def is_right(expected: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    """Hold a peer's answer against what the case expects."""
    value = answer.get("value")
    if expected["check"] == "unscorable":
        return "error" not in answer and (value is None or value <= 0)
    if "error" in answer or value is None:
        return False
    wanted = expected.get("value", expected.get("score"))
    if wanted is not None and abs(value - wanted) > expected.get("tol", TOLERANCE):
        return False
    return bool(expected.get("min", float("-inf")) <= value <= expected.get("max", float("inf")))


def ours_right(found: Sequence[Case]) -> int:
    """Count the cases that our rewards get right, through the engine."""
    from case_runner import checks
    from case_runner.model import Case as RunnerCase
    from case_runner.plugin_cases import PluginRunner

    runner = PluginRunner()
    try:
        made = [RunnerCase(case) for case in found]
        return sum(not checks.fault(case.expected, runner.run(case), case.plugin) for case in made)
    finally:
        runner.close()


def run() -> list[Target]:
    """Ask ours and every peer."""
    every, graders, counted = cases(), Graders(), dict[str, int]()
    targets: list[Target] = []
    try:
        for grader, what, belongs in ASKED:
            own = [case for case in every if belongs(case)]
            ours = counted[what] = counted[what] if what in counted else ours_right(own)
            right = sum(is_right(case["expected"], graders.ask({"grader": grader, "case": case})) for case in own)
            label = f"right of {len(own)} cases of {what}, against {grader}"
            targets.append(Target(label, ours, right, ours / max(1, right), 0.0, ">= 1", ours >= right))
        _VERSIONS.update(graders.ask({"versions": True}))
    finally:
        graders.close()
    return targets


_VERSIONS: dict[str, str] = {}


def peers() -> dict[str, str]:
    """Return the versions of the peers that were asked."""
    return dict(_VERSIONS)
