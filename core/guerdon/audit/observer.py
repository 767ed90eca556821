"""The audit of a run that is still training."""

import logging
from pathlib import Path

from guerdon.audit.examples import with_examples
from guerdon.audit.look import look_points
from guerdon.audit.read import read_history
from guerdon.audit.run import Audit, audit
from guerdon.audit.thresholds import DEFAULT, Thresholds
from guerdon.errors import GuerdonError
from guerdon.review.run import open_run

log = logging.getLogger(__name__)


class AuditObserver:
    """Looks at a run's ledger at the audit's own steps, a look more for each 15% that the run grows.

    Every look spends its part of one error rate, so looking often raises no more false alarms. The
    looks are those of ``guerdon audit``, which therefore finds afterwards what was found here.
    """

    def __init__(self, run_folder: Path, *, stop: bool = False, thresholds: Thresholds = DEFAULT) -> None:
        """Observe a run.

        Args:
            run_folder: the run's folder, or its ledger; it need not exist before the first look.
            stop: whether an alarm asks to stop the run.
            thresholds: when an alarm is raised.
        """
        self._folder = run_folder
        self._stop = stop
        self._thresholds = thresholds
        self._reported: set[str] = set()
        self.audit: Audit | None = None
        """What the last look found; None before the first."""

    @property
    def wants_stop(self) -> bool:
        """Whether the run shall end, since an alarm is in force and stopping was asked for."""
        return self._stop and self.audit is not None and bool(self.audit.alarms)

    def after_step(self, steps_done: int) -> Audit | None:
        """Look, if it is time to; flush the ledger's writer before, since only what is on disk is seen.

        An error of ours is logged, never raised: an observer does not end a run.

        Args:
            steps_done: training steps in the ledger so far.

        Returns:
            What was found, or None if it was not time.
        """
        if steps_done not in look_points(steps_done + 1, self._thresholds):
            return None
        return self.look()

    def look(self) -> Audit | None:
        """Look now, as at the end of a run. None if the ledger cannot be read."""
        try:
            run = open_run(self._folder)
            history = read_history(run)
            self.audit = with_examples(audit(history, self._thresholds), run.ledger, history.outcome)
        except GuerdonError as error:
            log.warning("the audit could not look at %s: %s", self._folder, error)
            return None
        for one in self.audit.alarms:
            if one.alarm not in self._reported:
                self._reported.add(one.alarm)
                log.warning("audit alarm %s at step %s: %s", one.alarm, one.raised, one.reading.text)
        return self.audit
