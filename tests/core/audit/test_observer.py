import logging

from guerdon.audit import AuditObserver
from guerdon.audit.commands import audit_run


def test_it_looks_when_the_audit_would(hacked):
    observer = AuditObserver(hacked)
    assert [step for step in range(1, 17) if observer.after_step(step) is not None] == [12, 14]
    assert not observer.wants_stop


def test_it_finds_what_the_command_finds(hacked):
    observer = AuditObserver(hacked, stop=True)
    assert observer.look() == audit_run(hacked)
    assert observer.wants_stop


def test_an_alarm_is_logged_once(hacked, caplog):
    observer = AuditObserver(hacked)
    with caplog.at_level(logging.WARNING):
        observer.look()
        observer.look()
    assert sum("audit alarm proxy_without_outcome" in one.getMessage() for one in caplog.records) == 1


def test_a_clean_run_goes_on(clean):
    observer = AuditObserver(clean, stop=True)
    assert observer.look() is not None
    assert not observer.wants_stop


def test_no_ledger_yet_stops_nothing(tmp_path, caplog):
    observer = AuditObserver(tmp_path, stop=True)
    assert observer.after_step(12) is None
    assert not observer.wants_stop
    assert "could not look" in caplog.text
