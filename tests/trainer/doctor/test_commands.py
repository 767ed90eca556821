"""`guerdon doctor` on this machine alone, and where no cluster answers."""

import json

import pytest
import typer

from guerdon import RunError
from guerdon_trainer.doctor import commands
from guerdon_trainer.doctor.commands import doctor


def test_this_machine_alone(capsys):
    doctor(as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert list(told["nodes"]) == ["this machine"]
    assert told["differ"] == []


def test_the_table_marks_the_odd_one(monkeypatch, capsys):
    same = {"ray": "2.57.0", "driver": None}
    monkeypatch.setattr(commands, "_facts", lambda *_: {"a": same, "b": same, "c": {**same, "ray": "2.50.0"}})
    with pytest.raises(typer.Exit) as left:
        doctor()
    assert left.value.exit_code == 1
    out = capsys.readouterr().out
    assert "2.50.0 <" in out
    assert "2.57.0 <" not in out
    assert "differs: ray: 2.57.0 on a, b; 2.50.0 on c (odd: c)" in out


def test_alike_nodes(monkeypatch, capsys):
    monkeypatch.setattr(commands, "_facts", lambda *_: {"a": {"ray": "1"}, "b": {"ray": "1"}})
    doctor()
    assert "all the same" in capsys.readouterr().out


def test_no_cluster_there():
    with pytest.raises(RunError, match="--ray nonsense: no Ray cluster can be reached there"):
        doctor(ray="nonsense")
