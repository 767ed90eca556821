"""A full disk pauses the run with a message and loses nothing; other faults end it with one."""

import errno
import os
import threading

import pytest

from guerdon import LedgerError
from guerdon.ledger import Ledger, verify
from guerdon.ledger.disk import PatientDisk
from guerdon.ledger.writer import IN_FLIGHT


class FullDisk:
    """`os.fsync` fails as on a full disk until there is room."""

    def __init__(self, code=errno.ENOSPC):
        self.room = threading.Event()
        self.refused = threading.Event()
        self.code = code
        self.real = os.fsync

    def __call__(self, descriptor):
        if not self.room.is_set():
            self.refused.set()
            raise OSError(self.code, os.strerror(self.code))
        self.real(descriptor)


@pytest.fixture
def full(monkeypatch):
    disk = FullDisk()
    monkeypatch.setattr(os, "fsync", disk)
    yield disk
    disk.room.set()


def test_rows_wait_for_room_and_none_is_lost(writer, batch, full, tmp_path, caplog):
    with writer() as out:
        out.write_batch(batch(1))
        assert full.refused.wait(10)
        assert Ledger(tmp_path / "ledger").records().num_rows == 0
        full.room.set()
    assert verify(Ledger(tmp_path / "ledger"), steps=[1]) == []
    assert "the disk is full: the ledger holds" in caplog.text
    assert "free some space" in caplog.text
    assert not list((tmp_path / "ledger").glob("*/*.tmp"))


def test_the_step_pauses_once_too_many_writes_wait(writer, batch, full, tmp_path):
    out = writer()
    given = [batch(step) for step in range(1, IN_FLIGHT + 3)]
    done = threading.Event()

    def train():
        for one in given:
            out.write_batch(one)
        done.set()

    thread = threading.Thread(target=train)
    thread.start()
    assert full.refused.wait(10)
    assert not done.wait(0.5)
    full.room.set()
    thread.join(30)
    out.close()
    assert verify(Ledger(tmp_path / "ledger"), steps=range(1, IN_FLIGHT + 3)) == []


def test_patience_may_end(writer, batch, full):
    out = writer(full_disk_patience_s=0.0)
    out.write_batch(batch(1))
    with pytest.raises(LedgerError, match=r"has been full for .* free some space and start the run again"):
        out.flush()


def test_another_fault_is_told_at_once(writer, batch, full):
    full.code = errno.EROFS
    out = writer()
    out.write_batch(batch(1))
    with pytest.raises(LedgerError, match=r"cannot write .* Read-only file system"):
        out.flush()


def test_an_earlier_fault_is_raised_by_the_next_write(writer, batch, full):
    full.code = errno.EIO
    out = writer()
    out.write_batch(batch(1))
    out._pending[0].exception(10)
    with pytest.raises(LedgerError, match="cannot write"):
        out.write_step(1, {"loss": 1.0})


def test_pauses_grow_to_half_a_minute(full, tmp_path):
    pauses = []

    def sleep(seconds):
        pauses.append(seconds)
        if len(pauses) == 9:
            full.room.set()

    PatientDisk(None, sleep).write(tmp_path / "file", b"bytes")
    assert pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
    assert (tmp_path / "file").read_bytes() == b"bytes"


def test_a_folder_that_cannot_be_made_is_named(writer, tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(LedgerError, match="cannot be made"):
        writer(folder=tmp_path / "file" / "ledger")
