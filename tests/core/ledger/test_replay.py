"""A replayed step replaces; two ledgers are compared; a damaged one is recognised."""

from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from guerdon.ledger import Ledger, equal, last_attempt, verify
from guerdon.ledger.parts import Part, effective, parts


@pytest.fixture
def written(writer, batch, tmp_path):
    """Write a ledger: `attempts` lists (attempt, steps, seed)."""

    def write(name, *attempts, loss=0.5):
        for attempt, steps, seed in attempts:
            with writer(attempt, folder=tmp_path / name) as out:
                for step in steps:
                    out.write_batch(batch(step, seed=seed))
                    out.write_step(step, {"loss": loss, "timing/step": attempt * 1.5})
        return Ledger(tmp_path / name)

    return write


def test_the_highest_attempt_counts_and_none_is_doubled(written):
    ledger = written("a", (1, [1, 2, 3], 0), (2, [3, 4], 9))
    assert ledger.records()["attempt"].to_pylist() == [1] * 72 + [2] * 72
    assert [row["attempt"] for row in ledger.steps().to_pylist()] == [1] * 4 + [2] * 4
    assert verify(ledger, steps=[1, 2, 3, 4], groups=3, group_size=4) == []
    assert last_attempt(ledger.folder) == 2


def test_a_resumed_run_ends_equal_to_an_uninterrupted_one(written):
    whole, resumed = written("a", (1, [1, 2, 3], 0)), written("b", (1, [1, 2], 0), (2, [2, 3], 0))
    assert equal(whole, resumed) is None


def test_a_resumed_attempt_adds_to_what_is_known_of_a_step(written, writer, tmp_path):
    ledger = written("a", (1, [1, 2], 0))
    with writer(2, folder=tmp_path / "a") as out:
        out.write_step(2, {})
        out.write_step(2, {"eval/outcome": 0.5, "timing/step": 9.0})
    rows = {row["metric"]: row["value"] for row in ledger.steps().to_pylist() if row["step"] == 2}
    assert rows == {"loss": 0.5, "timing/step": 9.0, "eval/outcome": 0.5}


def test_a_part_that_a_kill_cut_short_does_not_count(written, tmp_path):
    ledger = written("a", (1, [1, 2], 0))
    folder = tmp_path / "a"
    (folder / "samples" / "train-sampled-00000002-a0002.parquet").write_bytes(b"samples came, records did not")
    (folder / "records" / "train-sampled-00000002-a0002.parquet.77.tmp").write_bytes(b"half")
    assert ledger.records(steps=[2])["attempt"].to_pylist() == [1] * 36
    assert verify(ledger) == []


def test_half_written_files_are_swept_on_opening(written, writer, tmp_path):
    written("a", (1, [1], 0))
    leftover = tmp_path / "a" / "records" / "train-sampled-00000002-a0001.parquet.77.tmp"
    leftover.write_bytes(b"half")
    writer(2, folder=tmp_path / "a")
    assert not leftover.exists()


def test_effective_parts_are_by_stem_and_step():
    listed = [Part("train-sampled", 2, 1), Part("train-sampled", 1, 2), Part("train-sampled", 2, 3)]
    listed += [Part("eval-greedy", 2, 1)]
    kept = [Part("eval-greedy", 2, 1), Part("train-sampled", 1, 2), Part("train-sampled", 2, 3)]
    assert effective(reversed(listed)) == kept


def test_part_names_survive_long_runs(tmp_path):
    (tmp_path / "records").mkdir()
    part = Part("train-sampled", 123_456_789, 12_345)
    part.path(tmp_path, "records").touch()
    (tmp_path / "records" / "notes.parquet").touch()
    assert parts(tmp_path, "records") == [part]
    assert (part.phase, part.sampling) == ("train", "sampled")


def test_the_first_difference_is_told_in_words(written):
    ledger = written("a", (1, [1, 2], 0))
    assert equal(ledger, written("b", (1, [1], 0))) == "step 2 of train-sampled is only in the first ledger"
    assert equal(written("c", (1, [1], 0)), ledger) == "step 2 of train-sampled is only in the second ledger"
    other = equal(ledger, written("d", (1, [1, 2], 5)))
    assert other.startswith("samples of train-sampled, step 1: completion is '<answer>")
    assert "at sample_id 'p0/2'" in other
    assert equal(ledger, written("e", (1, [1, 2], 0), loss=0.75)) == (
        "steps: value is 0.5 against 0.75 at step 1, metric 'loss'"
    )


def rewrite(ledger, name, change):
    """Change the rows of a part of step 1, and keep its metadata."""
    path = Part("train-sampled", 1, 1).path(ledger.folder, name)
    with pq.ParquetFile(path) as file:
        table, metadata = file.read(), file.metadata.metadata
    with pq.ParquetWriter(path, table.schema, store_schema=False) as out:
        out.write_table(change(table))
        out.add_key_value_metadata(metadata)


def set_column(table, name, values):
    return table.set_column(table.schema.names.index(name), name, pa.array(values, table.schema.field(name).type))


def test_the_last_bit_of_a_float_counts(written):
    ledger, other = written("a", (1, [1], 0)), written("b", (1, [1], 0))

    def nudge(table):
        values = table["value"].to_pylist()
        values[0] = float.fromhex("0x1.0000000000001p-1") if values[0] == 0.5 else (values[0] or 0.0) + 2**-52
        return set_column(table, "value", values)

    rewrite(other, "records", nudge)
    assert equal(ledger, other).startswith("records of train-sampled, step 1: value is")


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("records", lambda t: t.slice(1), "no record of ('p0/0', 'answer')"),
        ("records", lambda t: pa.concat_tables([t, t.slice(0, 1)]), "a record too many of ('p0/0', 'answer')"),
        ("samples", lambda t: pa.concat_tables([t, t.slice(0, 1)]), "sample 'p0/0' stands 2 times"),
        ("samples", lambda t: set_column(t, "group_id", ["p0"] * 12), "1 groups instead of 3"),
        ("samples", lambda t: set_column(t, "group_id", ["p0"] * 12), "group 'p0' has 12 samples instead of 4"),
        ("samples", lambda t: set_column(t, "advantage", [0.1] * 12), "advantage differs from what the rows give"),
        ("samples", lambda t: set_column(t, "total", [0.1] * 12), "total differs"),
        ("samples", lambda t: set_column(t, "trained", [False] * 12), "trained differs"),
        ("records", lambda t: set_column(t, "value", [0.1] * 36), "advantage differs"),
    ],
)
def test_damage_is_recognised(written, name, change, problem):
    ledger = written("a", (1, [1], 0))
    rewrite(ledger, name, change)
    found = verify(ledger, groups=3, group_size=4)
    assert any(problem in line and line.startswith("train-sampled, step 1: ") for line in found), found


def test_records_without_their_samples_are_damage(written, tmp_path):
    ledger = written("a", (1, [1], 0))
    Part("train-sampled", 1, 1).path(ledger.folder, "samples").unlink()
    assert "cannot be read" in verify(ledger)[0]


def test_an_evaluation_may_have_groups_of_other_sizes(writer, batch, groups, tmp_path):
    with writer() as out:
        out.write_batch(batch(1, scored=groups(1, size=1), phase="eval", sampling="greedy"))
    assert verify(Ledger(tmp_path / "ledger"), groups=8, group_size=8) == []


def test_a_batch_is_not_changed_by_writing(writer, batch):
    given = batch(1)
    before = replace(given.matrix, values=given.matrix.values.copy())
    with writer() as out:
        out.write_batch(given)
    assert given.matrix.values.tobytes() == before.values.tobytes()
