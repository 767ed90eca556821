"""The file of scores: bounded, shared, and a miss whatever is wrong with it."""

import hashlib
import logging
import os
import random
import sqlite3
import subprocess
import sys

import pytest

from guerdon.cache import ScoreCache, default_path, store

C = b"c" * 16


def key(number):
    return hashlib.blake2b(str(number).encode(), digest_size=16).digest()


def entries(numbers, size=40):
    return {key(number): str(number).encode().ljust(size, b".") for number in numbers}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "scores.sqlite"


def test_what_is_put_is_found_again_and_nothing_else(path):
    with ScoreCache(path) as cache:
        assert cache.get(C, [key(0)]) == {}
        cache.put(C, entries(range(2500)))
    with ScoreCache(path) as cache:
        assert cache.get(C, [key(number) for number in range(3000)]) == entries(range(2500))
        assert cache.get(b"d" * 16, [key(0)]) == {}


def test_a_later_entry_replaces(path):
    with ScoreCache(path) as cache:
        cache.put(C, {key(1): b"old"})
        cache.flush()
        cache.put(C, {key(1): b"new"})
        cache.flush()
        assert cache.get(C, [key(1)]) == {key(1): b"new"}


def test_the_file_stays_within_its_limit_and_the_newest_stay(path):
    with ScoreCache(path, max_mb=1) as cache:
        for begin in range(0, 6000, 500):
            cache.put(C, entries(range(begin, begin + 500), size=700))
            cache.flush()
        kept = cache.get(C, [key(number) for number in range(6000)])
    assert path.stat().st_size <= 1_500_000
    assert set(entries(range(5500, 6000))) <= set(kept)
    assert key(0) not in kept


@pytest.mark.parametrize("content", [b"", b"no database", os.urandom(10_000), b"SQLite format 3\0" + b"\1" * 5000])
def test_a_damaged_file_is_set_aside(path, content, caplog):
    path.parent.mkdir()
    path.write_bytes(content)
    with caplog.at_level(logging.WARNING), ScoreCache(path) as cache:
        cache.put(C, entries(range(3)))
        cache.flush()
        assert cache.get(C, [key(0)]) == entries([0])
    if content:
        assert path.with_name("scores.sqlite.damaged").read_bytes() == content
        assert "is damaged" in caplog.text


@pytest.mark.parametrize("seed", range(8))
def test_a_file_damaged_anywhere_is_no_error(path, seed):
    with ScoreCache(path) as cache:
        cache.put(C, entries(range(3000), size=100))
    rng = random.Random(seed)
    body = bytearray(path.read_bytes())
    for _ in range(20):
        place = rng.randrange(len(body) - 600)
        body[place : place + 500] = rng.randbytes(500)
    path.write_bytes(bytes(body[: rng.randrange(len(body))] if seed % 2 else body))
    with ScoreCache(path) as cache:
        found = cache.get(C, [key(number) for number in range(3000)])
        cache.put(C, entries(range(3000, 3100)))
        cache.flush()
        assert found.keys() <= entries(range(3000)).keys()
        assert cache.get(C, [key(3050)]) in ({}, entries([3050]))


def test_another_version_is_set_aside(path):
    with ScoreCache(path) as cache:
        cache.put(C, entries([1]))
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with ScoreCache(path) as cache:
        assert cache.get(C, [key(1)]) == {}


def test_a_locked_file_is_passed_over(path, monkeypatch, caplog):
    monkeypatch.setattr(store, "BUSY_S", 0.05)
    with ScoreCache(path) as cache:
        cache.put(C, entries([1]))
        cache.flush()
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with caplog.at_level(logging.WARNING):
            cache.put(C, entries([2]))
            cache.flush()
        other.execute("ROLLBACK")
        other.close()
        assert "locked" in caplog.text
        assert cache.get(C, [key(1), key(2)]) == entries([1])
        cache.put(b"n" * 16, entries([3]))
        cache.flush()
        assert cache.get(b"n" * 16, [key(3)]) == entries([3])


def test_no_place_for_a_file_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "scores.sqlite", tmp_path):
        with ScoreCache(path) as cache:
            cache.put(C, entries([1]))
            cache.flush()
            assert cache.get(C, [key(1)]) == {}


WRITER = """
import sys
from pathlib import Path
from guerdon.cache import ScoreCache
with ScoreCache(Path(sys.argv[1])) as cache:
    for number in range(200):
        name = f"{sys.argv[2]}-{number}".encode().ljust(16, b".")
        cache.put(sys.argv[2].encode().ljust(16, b"."), {name: name})
        cache.flush()
"""


def test_two_processes_write_at_once(path):
    processes = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in ("one", "two")]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    with ScoreCache(path) as cache:
        for name in (b"one", b"two"):
            keys = [name + f"-{number}".encode() for number in range(200)]
            assert len(cache.get(name.ljust(16, b"."), [one.ljust(16, b".") for one in keys])) == 200


def test_the_default_place(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_path() == tmp_path / "guerdon" / "scores.sqlite"
