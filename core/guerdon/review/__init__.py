"""What the records of a run say: pure functions of the ledger, no rendering."""

from guerdon.review.estimate import Estimate
from guerdon.review.run import Run, open_run
from guerdon.review.summary import Summary, summarise

__all__ = ["Estimate", "Run", "Summary", "open_run", "summarise"]
