import json
from xml.etree import ElementTree as ET

import pytest
import typer
from typer.testing import CliRunner

from guerdon import LedgerError
from guerdon.audit.commands import register


@pytest.fixture
def run():
    app = typer.Typer()
    register(app)
    app.callback()(lambda: None)
    return lambda *arguments: CliRunner().invoke(app, ["audit", *map(str, arguments)])


def test_an_alarm_exits_with_one_and_names_samples(run, hacked, tmp_path):
    done = run(hacked, "--json", tmp_path / "audit.json", "--junit", tmp_path / "audit.xml")
    assert done.exit_code == 1
    assert "Verdict: alarm." in done.output
    facts = json.loads((tmp_path / "audit.json").read_text())
    (first,) = [one for one in facts["alarms"] if one["alarm"] == "proxy_without_outcome"]
    assert (first["state"], first["component"], len(first["examples"])) == ("alarm", "shape", 3)
    assert first["raised"] <= 20
    suite = ET.parse(tmp_path / "audit.xml").getroot()
    assert suite.get("tests") == "7"
    assert int(suite.get("failures")) == sum(one["state"] == "alarm" for one in facts["alarms"])
    (case,) = [case for case in suite if case.get("name") == "proxy_without_outcome"]
    assert "no gain that matters" in case.find("failure").get("message")


def test_no_alarm_exits_with_zero(run, clean):
    done = run(clean)
    assert done.exit_code == 0, done.output
    assert "Verdict: no alarm." in done.output
    assert "no blind evaluation is recorded" in done.output


def test_what_cannot_be_judged_exits_with_two(run, undeclared):
    done = run(undeclared)
    assert done.exit_code == 2
    assert "no outcome with bounds is declared" in done.output


def test_no_ledger_is_an_error(run, tmp_path):
    assert isinstance(run(tmp_path).exception, LedgerError)
