import json

import pytest

from guerdon import LedgerError
from guerdon.ledger import LedgerWriter
from guerdon.review import open_run


def test_a_run_folder_is_opened_with_its_record(honest):
    run = open_run(honest)
    assert run.name == "made-up"
    assert run.facts["config"]["run"]["seed"] == 0
    assert len(run.parts("train")) == 5
    assert run.rule().outcome == "answer"


def test_the_ledger_itself_will_do(honest):
    assert open_run(honest / "ledger").name == "made-up"


def test_without_run_json_the_folder_gives_the_name(built, tmp_path):
    folder = built.build_run(tmp_path / "nameless", steps=1, evaluations=())
    (folder / "run.json").unlink()
    run = open_run(folder)
    assert (run.name, run.facts) == ("nameless", {})


@pytest.mark.parametrize("text", ["{", "[]", json.dumps({"config": {}}), json.dumps(None)])
def test_a_damaged_run_json_is_said(built, tmp_path, text):
    folder = built.build_run(tmp_path / "run", steps=1, evaluations=())
    (folder / "run.json").write_text(text)
    with pytest.raises(LedgerError, match=r"run\.json cannot be read .* restore it"):
        open_run(folder)


def test_no_ledger_is_said(tmp_path):
    with pytest.raises(LedgerError, match="holds no ledger"):
        open_run(tmp_path)


def test_an_empty_ledger_has_no_rule(tmp_path):
    with LedgerWriter(tmp_path / "run" / "ledger", run="r", attempt=1, sources={}):
        pass
    with pytest.raises(LedgerError, match="is empty; wait for the first step"):
        open_run(tmp_path / "run").rule()


def test_before_training_the_evaluation_gives_the_rule(built, tmp_path):
    folder = built.build_run(tmp_path / "run", steps=0, evaluations=(0,), chances={"answer": built.flat(0.5)})
    assert open_run(folder).rule().outcome == "answer"
