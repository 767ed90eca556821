import json

import pytest

from guerdon import Record, Status
from guerdon.ledger import Ledger
from guerdon.report.rows import MAX_EVIDENCE, MAX_TEXT, read_rows
from guerdon.report.selection import select_groups


def rows_of(folder):
    ledger = Ledger(folder / "ledger")
    return read_rows(ledger, select_groups(ledger))


@pytest.fixture(scope="module")
def rows(honest):
    return rows_of(honest)


def test_columns_have_a_place_for_every_sample(rows):
    columns = rows.columns
    count = len(columns["samples"]["id"])
    assert count == 5 * 6 * 4 + 2 * 2 * 12
    assert all(len(values) == count for values in columns["samples"].values())
    for component in ("answer", "boxes", "shape"):
        assert all(len(values) == count for values in columns["records"][component].values())
    assert columns["components"] == ["answer", "boxes", "shape"]


def test_records_stand_beside_their_samples(rows, honest):
    columns = rows.columns
    ledger = Ledger(honest / "ledger")
    stored = {
        (row["phase"], row["sampling"], row["step"], row["sample_id"]): row
        for row in ledger.records(components=["boxes"]).to_pylist()
    }
    samples, records, texts = columns["samples"], columns["records"]["boxes"], columns["texts"]
    for k, identity in enumerate(samples["id"]):
        row = stored[samples["phase"][k], samples["sampling"][k], samples["step"][k], identity]
        assert records["value"][k] == row["value"]
        assert texts["status"][records["status"][k]] == row["status"]
        assert (texts["reason"] + [None])[records["reason"][k]] == row["reason"]
        if row["evidence"]:
            assert json.loads(texts["evidence"][records["evidence"][k]]) == json.loads(row["evidence"])


def test_prompts_are_stored_once_with_their_pictures(rows):
    prompts = rows.columns["prompts"]
    assert len({prompt["id"] for prompt in prompts}) == len(prompts) == 18 + 12
    shown = next(prompt for prompt in prompts if prompt["id"] == "eval-0003")
    assert len(shown["images"]) == 2
    assert set(shown["images"]) <= set(rows.pictures)
    assert shown["messages"][0]["content"][-1]["text"] == "what is in picture 3?"


def test_nothing_is_left_out_of_a_small_run(rows):
    left = rows.left_out
    assert (left.groups, left.records) == (left.groups_shown, left.records_shown)
    assert (left.texts_cut, left.evidence_dropped) == (0, 0)


def test_what_is_long_is_cut_and_counted(built, tmp_path):
    def judge(sample, component, phase, step):
        if component != "shape":
            return None
        return Record(sample.id, component, Status.OK, 1.0, evidence={"seen": "x" * 2 * MAX_EVIDENCE})

    folder = built.build_run(
        tmp_path / "run", judge=judge, write=lambda *_: "y" * (MAX_TEXT + 7), steps=1, evaluations=()
    )
    rows = rows_of(folder)
    assert {len(text) for text in rows.columns["samples"]["completion"]} == {MAX_TEXT}
    assert set(rows.columns["samples"]["cut"]) == {7}
    assert rows.left_out.texts_cut == rows.left_out.evidence_dropped == 24
    assert any("the ledger has them" in text for text in rows.columns["texts"]["evidence"])


def test_floats_keep_five_digits(built, tmp_path):
    def judge(sample, component, phase, step):
        return Record(sample.id, component, Status.OK, 1 / 3)

    rows = rows_of(built.build_run(tmp_path / "run", judge=judge, steps=1, evaluations=()))
    assert set(rows.columns["records"]["answer"]["value"]) == {0.33333}
