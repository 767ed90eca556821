"""Run case files through guerdon's public API.

``python tests/cases/run.py FILE.jsonl ...`` prints a line for each failing case and a closing
``N passed, N failed``. It exits with 1 if a case fails whose confidence is not low.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from case_runner import checks, framework_cases
from case_runner.model import Case, read_cases
from case_runner.plugin_cases import PluginRunner


def fault_of(case: Case, runner: PluginRunner) -> str:
    """Say how a case fails; an empty text if it passes."""
    views = framework_cases.run(case) if case.plugin == "framework" else runner.run(case)
    return checks.fault(case.expected, views, case.plugin)


def _say(line: str) -> None:
    """Print a line whatever characters it holds, at once."""
    sys.stdout.write(line.encode("utf-8", "backslashreplace").decode() + "\n")
    sys.stdout.flush()


def main(paths: Sequence[str]) -> int:
    """Run all files and return the exit status."""
    if not paths:
        _say(__doc__ or "")
        return 2
    runner = PluginRunner()
    passed = failed = grave = 0
    try:
        for path in paths:
            for case in read_cases(Path(path)):
                fault = fault_of(case, runner)
                passed, failed = passed + (not fault), failed + bool(fault)
                if fault:
                    grave += case.confidence != "low"
                    _say(f"FAIL {case.id} [{case.plugin}, {case.confidence}] {fault}")
    finally:
        runner.close()
    _say(f"{passed} passed, {failed} failed")
    return 1 if grave else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
