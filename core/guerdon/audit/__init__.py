"""The audit of a run: seven alarms on reward hacking and other trouble, pure functions of the ledger."""

from guerdon.audit.history import History
from guerdon.audit.observer import AuditObserver
from guerdon.audit.read import read_history
from guerdon.audit.run import Audit, Finding, audit
from guerdon.audit.thresholds import Thresholds

__all__ = ["Audit", "AuditObserver", "Finding", "History", "Thresholds", "audit", "read_history"]
