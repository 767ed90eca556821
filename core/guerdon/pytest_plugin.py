"""``pytest --guerdon-reward my_pkg:MyReward --samples gold.jsonl``: two tests, conformance and attacks.

pytest imports this at every start, so what it needs is imported when it runs.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from guerdon.testing.report import Report


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("guerdon", "checking rewards of guerdon")
    group.addoption(
        "--guerdon-reward",
        action="append",
        default=[],
        metavar="REWARD",
        help="a reward to check: NAME, file.py, file.py:NAME or package.module:Class; repeatable",
    )
    group.addoption(
        "--guerdon-field",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="a field of the reward; repeatable",
    )
    group.addoption("--samples", metavar="FILE", help="JSON lines with samples and right completions")


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add two tests for each reward that is named."""
    for spec in config.getoption("--guerdon-reward"):
        checked = _Checked(spec, config.getoption("--guerdon-field"), config.getoption("--samples"))
        items.extend(
            RewardItem.from_parent(session, name=f"{spec}::{part}", checked=checked, part=part)
            for part in ("conformance", "attacks")
        )


class _Checked:
    """A reward that is checked once, by the test that runs first."""

    def __init__(self, spec: str, fields: list[str], samples: str | None) -> None:
        self.spec, self.fields, self.samples = spec, fields, samples

    @cached_property
    def report(self) -> "Report":
        """Check the reward."""
        from guerdon.testing import check_reward, default_cases, read_cases
        from guerdon.testing.naming import find_reward

        cases = read_cases(self.samples) if self.samples else default_cases()
        return check_reward(find_reward(self.spec, self.fields), cases)


class FailedCheckError(AssertionError):
    """What a check found, in lines of its own."""


class RewardItem(pytest.Item):
    """Either half of a reward's check."""

    def __init__(self, *, checked: _Checked, part: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.checked, self.part = checked, part

    def runtest(self) -> None:
        """Raise what failed."""
        if lines := list(self._failures()):
            raise FailedCheckError("\n".join(lines))

    def _failures(self) -> Iterator[str]:
        report = self.checked.report
        if self.part == "conformance":
            yield from (f"{finding.check}: {finding.detail}" for finding in report.findings if not finding.ok)
        else:
            yield from (payout.line for payout in report.payouts if not payout.ok)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the findings alone; of any other error the traceback."""
        if isinstance(excinfo.value, FailedCheckError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Name the test."""
        return self.path, None, self.name


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep what was checked for the summary."""
    session.config.stash[_CHECKED] = list(
        {id(item.checked): item.checked for item in session.items if isinstance(item, RewardItem)}.values()
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what attacks earn."""
    for checked in terminalreporter.config.stash.get(_CHECKED, []):
        if "report" not in vars(checked):  # no test of it ran, or it could not be checked
            continue
        terminalreporter.section(f"guerdon: what attacks earn from {checked.spec}")
        for payout in checked.report.payouts:
            mark = "-" if not payout.counts else ("ok" if payout.ok else "FAILS")
            terminalreporter.write_line(f"{mark:6}{payout.pays:8.4g} of {payout.right:<8.4g}{payout.attack}")


_CHECKED: pytest.StashKey[list[_Checked]] = pytest.StashKey()
