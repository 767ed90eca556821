"""What a check found."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from guerdon.testing.attacks import Judges


@dataclass(frozen=True, slots=True)
class Finding:
    """One property that a reward must have."""

    check: str
    ok: bool
    detail: str
    """What was seen; of a failure also what to do."""


@dataclass(frozen=True, slots=True)
class Payout:
    """What an attack earns at most."""

    attack: str
    pays: float
    right: float
    """What the right completion of the same sample earns."""

    counts: bool
    """A reward of this kind must not pay it as much as the right completion."""

    sample: str
    """The sample's id."""

    completion: str
    """The completion that earns it, shortened."""

    @property
    def ok(self) -> bool:
        """Tell whether the attack fails, or does not matter here."""
        return not self.counts or self.pays < self.right

    @property
    def line(self) -> str:
        """Say what was paid for what."""
        paid = f"{self.attack}: paid {self.pays:g}, and the right completion {self.right:g}"
        return f"{paid} (sample {self.sample}): {self.completion!r}"


@dataclass(frozen=True, slots=True)
class Report:
    """All findings on one reward."""

    reward: str
    judges: Judges
    samples: int
    """Samples that were scored."""

    abstained: int
    """Samples to which the reward does not apply."""

    findings: Sequence[Finding]
    payouts: Sequence[Payout]

    @property
    def ok(self) -> bool:
        """Tell whether nothing failed."""
        return all(finding.ok for finding in self.findings) and all(payout.ok for payout in self.payouts)

    def failures(self) -> list[str]:
        """Say in a line each what failed."""
        lines = [f"{finding.check}: {finding.detail}" for finding in self.findings if not finding.ok]
        return lines + [payout.line for payout in self.payouts if not payout.ok]

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {
            **asdict(self),
            "ok": self.ok,
            "payouts": [asdict(payout) | {"ok": payout.ok} for payout in self.payouts],
        }
