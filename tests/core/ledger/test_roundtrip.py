import math

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from guerdon import LazyImage, LedgerError
from guerdon.advantage import AdvantageConfig
from guerdon.ledger import Ledger, last_attempt, verify
from guerdon.ledger.schema import RECORDS, SAMPLES, STEPS

RULES = {
    "sum": AdvantageConfig(advantage="sum"),
    "gdpo": AdvantageConfig(mask_truncated=True),
    "gate": AdvantageConfig(advantage="gate", gates={"shape": "answer"}, gate_threshold=0.3),
    "product": AdvantageConfig(advantage="product", advantage_baseline="leave_one_out"),
    "lexicographic": AdvantageConfig(advantage="lexicographic", priority=("shape", "answer")),
    "dr_grpo": AdvantageConfig(advantage="sum", advantage_scale="none"),
    "filtered": AdvantageConfig(filter="outcome"),
}


@pytest.fixture
def ledger(writer, batch, tmp_path):
    with writer() as out:
        for step in (1, 2, 3):
            out.write_batch(batch(step, rollout_logprobs=[-0.5] * 12, stop_reasons=["stop"] * 12))
            out.write_step(step, {"policy/loss": 1 / step, "timing/step": 0.1})
        out.write_batch(batch(2, phase="eval", sampling="greedy"))
        out.write_batch(batch(2, phase="eval", sampling="sampled"))
    return Ledger(tmp_path / "ledger")


def test_every_sample_and_component_has_its_row(ledger):
    assert ledger.records(phase="train").num_rows == 3 * 3 * 4 * 3
    assert ledger.samples(phase="train").num_rows == 3 * 3 * 4
    assert ledger.samples(phase="eval", sampling="greedy", steps=[2]).num_rows == 12
    assert ledger.records(components=["shape"], steps=[1]).num_rows == 12
    assert verify(ledger, steps=[1, 2, 3], groups=3, group_size=4) == []


def test_tables_have_the_declared_schema(ledger, tmp_path):
    assert ledger.records().schema == RECORDS
    assert ledger.samples().schema == SAMPLES
    assert ledger.steps().schema == STEPS


def test_rows_tell_what_happened(ledger, batch):
    given = batch(1)
    rows = ledger.records(phase="train", steps=[1]).to_pylist()
    records = [record for group in given.scored for row in group.records for record in row]
    for row, record in zip(rows, records, strict=True):
        assert (row["sample_id"], row["component"]) == (record.sample_id, record.component)
        assert (row["status"], row["cause"], row["masks"]) == (record.status, record.cause, record.masks)
        assert (row["value"], row["reason"]) == (record.value, record.reason)
        assert row["evidence"] == (f'{{"iou":{record.evidence["iou"]}}}' if record.evidence else None)
        assert row["role"] == ("monitor" if record.component == "seen" else "train")
    assert {row["status"] for row in rows} == {"ok", "abstain", "error", "timeout"}
    assert rows[0] | {"plugin": "demo:answer", "plugin_version": "1.0", "weight": 1.0} == rows[0]


def test_samples_carry_context_and_facts(ledger, batch):
    given = batch(3)
    samples = [sample for group in given.scored for sample in group.group.samples]
    for row, sample, advantage in zip(
        ledger.samples(phase="train", steps=[3]).to_pylist(), samples, given.advantages.advantages, strict=True
    ):
        assert (row["sample_id"], row["group_id"], row["repetition"]) == (sample.id, sample.group_id, sample.index)
        assert (row["completion"], row["token_count"]) == (sample.completion, sample.tokens)
        assert row["reference"] == '{"type":"choice","answer":"A"}'
        assert (row["rollout_logprob"], row["trainer_logprob"], row["stop_reason"]) == (-0.5, None, "stop")
        assert row["advantage"] == advantage
        assert row["metadata"] is None


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_advantages_recomputed_from_the_rows_are_the_stored_ones_bit_for_bit(writer, batch, tmp_path, rule):
    given = [batch(step, rule=rule, seed=5) for step in range(1, 9)]
    with writer() as out:
        for one in given:
            out.write_batch(one)
    ledger = Ledger(tmp_path / "ledger")
    for one in given:
        again = ledger.recompute(one.step)
        assert again.advantages.astype(np.float32).tobytes() == one.advantages.advantages.astype(np.float32).tobytes()
        assert again.advantages.tobytes() == one.advantages.advantages.tobytes()
        assert again.shares.tobytes() == one.advantages.shares.tobytes()
        assert np.array_equal(again.totals, one.advantages.totals, equal_nan=True)
    assert verify(ledger) == []


def test_the_matrix_comes_back_whole(ledger, batch):
    given, again = batch(2).matrix, ledger.matrix(2)
    assert given.components == again.components
    assert given.outcome == again.outcome
    for name in ("values", "groups", "masked", "weights", "min_spread", "low", "high", "trained_on"):
        assert np.array_equal(getattr(given, name), getattr(again, name), equal_nan=name == "values"), name


def test_sql_sees_the_rows_that_count(ledger, writer, batch):
    with writer(2) as out:
        out.write_batch(batch(3, seed=1))
    counted = ledger.sql("SELECT attempt, count(*) AS n FROM records WHERE phase = 'train' GROUP BY 1 ORDER BY 1")
    assert counted.to_pylist() == [{"attempt": 1, "n": 72}, {"attempt": 2, "n": 36}]
    loss = ledger.sql("SELECT step, value FROM steps WHERE metric = 'policy/loss' ORDER BY step")
    assert loss["value"].to_pylist() == [1, 1 / 2, 1 / 3]
    inside = ledger.sql("SELECT max(CAST(evidence ->> 'iou' AS DOUBLE)) AS top FROM records")
    assert inside["top"].to_pylist() == [1.0]
    joined = ledger.sql("SELECT count(*) AS n FROM records JOIN samples USING (phase, sampling, step, sample_id)")
    assert joined["n"].to_pylist() == [ledger.records().num_rows]


def test_an_empty_ledger_has_empty_tables(writer, tmp_path):
    writer()
    ledger = Ledger(tmp_path / "ledger")
    assert ledger.records().num_rows == ledger.samples().num_rows == ledger.steps().num_rows == 0
    assert ledger.sql("SELECT count(*) AS n FROM records").to_pylist() == [{"n": 0}]
    assert last_attempt(tmp_path / "ledger") == 0
    assert verify(ledger, steps=[1]) == ["training step 1 is missing"]


def test_a_step_without_groups_is_there_and_empty(writer, batch, tmp_path):
    with writer() as out:
        out.write_batch(batch(1, scored=[]))
    ledger = Ledger(tmp_path / "ledger")
    assert ledger.records().num_rows == 0
    assert verify(ledger, steps=[1], groups=0) == []


def test_metrics_of_a_step_may_come_in_pieces(writer, tmp_path):
    with writer() as out:
        out.write_step(1, {"loss": 1.0, "kl": math.nan})
        out.write_step(1, {"eval/outcome": 0.5, "loss": 2.0})
    rows = Ledger(tmp_path / "ledger").steps().to_pylist()
    assert [(row["metric"], row["value"]) for row in rows] == [("eval/outcome", 0.5), ("kl", None), ("loss", 2.0)]


def test_images_are_kept_once_by_content(writer, batch, groups, tmp_path):
    for name, colour in (("a.png", "red"), ("b.png", "red"), ("c.jpg", "blue")):
        Image.new("RGB", (8, 8), colour).save(tmp_path / name)
    images = [LazyImage(str(tmp_path / name)) for name in ("a.png", "b.png", "c.jpg", "gone.png")]
    with writer() as out:
        for step in (1, 2):
            out.write_batch(batch(step, scored=groups(step, images=images)))
    row = Ledger(tmp_path / "ledger").samples().to_pylist()[0]
    one, two, three, gone = row["images"]
    assert one == two != three
    assert gone is None
    assert {path.name for path in (tmp_path / "ledger" / "images").iterdir()} == {one, three}
    assert (tmp_path / "ledger" / "images" / three).read_bytes() == (tmp_path / "c.jpg").read_bytes()
    assert (one.endswith(".png"), three.endswith(".jpg")) == (True, True)
    assert f'"image":"{three}"' in row["prompt"]


def test_a_picture_that_changes_on_disk_is_kept_anew(writer, batch, groups, tmp_path):
    path = tmp_path / "a.png"
    with writer() as out:
        for step, colour in ((1, "red"), (2, "blue")):
            Image.new("RGB", (8, 8 + step), colour).save(path)
            out.write_batch(batch(step, scored=groups(step, images=[LazyImage(str(path))])))
            out.flush()
    names = {row["images"][0] for row in Ledger(tmp_path / "ledger").samples().to_pylist()}
    assert len(names) == 2


def test_what_is_not_there_is_named(ledger, tmp_path):
    with pytest.raises(LedgerError, match=r"step 9 of train \(sampled\) is not in the ledger"):
        ledger.recompute(9)
    with pytest.raises(LedgerError, match="holds no ledger"):
        Ledger(tmp_path / "elsewhere")


def test_a_component_without_a_source_is_refused(writer, batch, groups):
    given = batch(1)
    object.__setattr__(given.matrix, "components", ("answer", "shape", "other"))
    with pytest.raises(LedgerError, match="no source for component other"):
        writer().write_batch(given)


def test_another_schema_is_refused_and_a_foreign_file_too(ledger, tmp_path):
    path = tmp_path / "ledger" / "records" / "train-sampled-00000001-a0001.parquet"
    pq.write_table(ledger.records(steps=[1], phase="train"), path)
    with pytest.raises(LedgerError, match="no part of a guerdon ledger"):
        ledger.records()
    path.write_bytes(b"PAR1 torn")
    with pytest.raises(LedgerError, match="cannot be read"):
        ledger.records()
