"""A finished or running run as reviewers open it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guerdon.errors import LedgerError
from guerdon.ledger import Ledger, Phase
from guerdon.ledger.parts import Part
from guerdon.ledger.rule import Rule


@dataclass(frozen=True, slots=True)
class Run:
    """A run's folder, or a bare ledger."""

    folder: Path
    name: str
    facts: Mapping[str, Any]
    """``run.json``: configuration, versions, hashes; empty if there is none."""

    ledger: Ledger

    def parts(self, phase: Phase) -> list[Part]:
        """List the ledger's parts of a phase."""
        return self.ledger.parts(phase=phase)

    def rule(self) -> Rule:
        """Return the rule of the last training step, or of the last evaluation without one.

        Raises:
            LedgerError: the ledger is empty.
        """
        found = self.parts("train") or self.parts("eval") or self.parts("blind")
        if not found:
            raise LedgerError(f"the ledger {self.ledger.folder} is empty; wait for the first step, or train")
        return self.ledger.rule(max(found, key=lambda part: part.step))


def open_run(folder: Path) -> Run:
    """Open a run's folder, or the folder ``ledger`` of one.

    Raises:
        LedgerError: there is no ledger, or ``run.json`` is damaged.
    """
    folder = Path(folder)
    ledger = Ledger(folder if (folder / "records").is_dir() else folder / "ledger")
    home = ledger.folder.parent
    record = home / "run.json"
    if not record.exists():
        return Run(home, home.resolve().name, {}, ledger)
    try:
        facts = json.loads(record.read_text(encoding="utf-8"))
        name = str(facts["config"]["run"]["name"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LedgerError(f"{record} cannot be read ({error!r}); restore it, or give the folder `ledger`") from error
    return Run(home, name, facts, ledger)
