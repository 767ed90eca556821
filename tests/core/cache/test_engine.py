"""The engine behind the cache: the same records, and only those that follow from the sample are kept."""

from dataclasses import replace

import pytest

from guerdon import Record, Status
from guerdon.cache import CachedEngine, ScoreCache
from guerdon.cache.entries import dump_record, keepable, load_record


@pytest.fixture
def cache(tmp_path):
    with ScoreCache(tmp_path / "scores.sqlite") as opened:
        yield opened


@pytest.fixture
def score(cache, plugins):
    """Score with a new engine; returns records without latencies, and the share that was found."""

    def score(groups, using=plugins, keep=True, **rewards):
        built = {name: using.entry(fields.pop("use")).reward(**fields) for name, fields in rewards.items()}
        with CachedEngine(built, cache if keep else None, plugins=using, workers=1) as engine:
            scored = engine.score(groups)
            cache.flush()
            rows = [[[replace(record, latency_ms=0) for record in row] for row in one.records] for one in scored]
            return rows, engine.tally.share

    return score


def test_the_second_time_everything_is_found_and_the_same(score, group):
    groups = [group("banana", "apple", name="x"), group("pear", name="y"), group("skip", "skip", name="z")]
    rewards = {"counts": {"use": "counts"}, "ranks": {"use": "ranks"}}
    first, none = score(groups, **{name: dict(fields) for name, fields in rewards.items()})
    again, share = score(groups, **{name: dict(fields) for name, fields in rewards.items()})
    bare, _ = score(groups, keep=False, **rewards)
    assert (none, share) == (0.0, 1.0)
    assert first == again == bare
    assert dict(first[0][0][0].evidence) == {"n": [1, 0.1]}


def test_a_changed_field_scores_its_own_component_again(score, group):
    groups = [group("banana", "brown")]
    score(groups, one={"use": "counts"}, two={"use": "counts", "letter": "n"})
    rows, share = score(groups, one={"use": "counts"}, two={"use": "counts", "letter": "b"})
    assert share == 0.5
    assert [record.value for record in rows[0][1]] == [0.0, 0.1]


def test_a_changed_line_scores_again(score, group, load):
    groups = [group("banana")]
    score(groups, one={"use": "counts"})
    rows, share = score(groups, using=load("/ 10", "/ 100"), one={"use": "counts"})
    assert (share, rows[0][0][0].value) == (0.0, 0.03)


def test_a_component_under_another_name_is_found(score, group):
    score([group("banana", name="x")], one={"use": "counts"})
    rows, share = score([group("banana", name="y")], other={"use": "counts"})
    assert (share, rows[0][0][0].sample_id, rows[0][0][0].component) == (1.0, "y/0", "other")


def test_failures_of_the_completion_are_kept_and_those_of_the_infrastructure_not(score, group):
    score([group("crash", name="x"), group("offline", name="y")], one={"use": "counts"})
    rows, share = score([group("crash", name="x"), group("offline", name="y")], one={"use": "counts"})
    assert share == 0.5
    assert [row[0].cause for row in (rows[0][0], rows[1][0])] == ["completion", "infrastructure"]


def test_what_depends_on_the_siblings_is_not_kept(score, group):
    mixed = [group("skip", "banana")]
    first, _ = score(mixed, one={"use": "counts"})
    again, share = score(mixed, one={"use": "counts"})
    assert (share, first) == (0.0, again)
    alone, _ = score([group("skip")], one={"use": "counts"})
    assert alone[0][0][0].status is Status.ABSTAIN
    failed, _ = score([group("crash", "x", metadata={"skip": True})], one={"use": "counts"})
    assert [row[0].status for row in failed[0]] == ["abstain", "abstain"]


def test_ranks_are_found_for_the_whole_group_only(score, group):
    score([group("aa", "a")], ranks={"use": "ranks"})
    assert score([group("aa", "a")], ranks={"use": "ranks"})[1] == 1.0
    rows, share = score([group("a", "")], ranks={"use": "ranks"})
    assert (share, rows[0][0][0].value) == (0.0, 1.0)


def test_a_timeout_is_never_kept():
    late = Record("s", "c", Status.TIMEOUT, 0.0, "no verdict within 5 s", cause="completion")
    assert not keepable([late])
    assert keepable([replace(late, status=Status.ERROR)])


def test_many_sets_of_components_are_scored(score, group):
    letters = "abcdefg"
    for letter in letters:
        score([group(letter, name=letter)], **{name: {"use": "counts", "letter": name} for name in letters[:3]})
    groups = [group(letter, name=letter) for letter in (*letters, "new")]
    rewards = {name: {"use": "counts", "letter": name} for name in letters}
    score(groups[2:5], **{letters[4]: {"use": "counts", "letter": letters[4]}})
    rows, _ = score(groups, **{name: dict(fields) for name, fields in rewards.items()})
    bare, _ = score(groups, keep=False, **rewards)
    assert rows == bare


@pytest.mark.parametrize("place", [0, 2, 5, 20, -1])
def test_an_entry_with_a_flipped_bit_is_a_miss(place):
    record = Record("s", "c", Status.OK, 0.1 + 0.2, "fine", {"a": [1.5]}, {"m": 1e-300})
    entry = bytearray(dump_record(record, b"key"))
    assert load_record(bytes(entry), b"key", "s", "c") == record
    assert load_record(bytes(entry), b"other", "s", "c") is None
    entry[place] ^= 4
    assert load_record(bytes(entry), b"key", "s", "c") is None
