import csv
import json
import re
from html.parser import HTMLParser

import pyarrow.parquet as pq
import pytest
import typer
from tests.core.comparison.conftest import judged, run_of
from typer.testing import CliRunner

from guerdon import ConfigError
from guerdon.comparison.commands import register


@pytest.fixture
def run():
    app = typer.Typer()
    register(app)
    app.callback()(lambda: None)
    return lambda *arguments: CliRunner().invoke(app, ["compare", *map(str, arguments)])


def test_all_files_say_the_same(run, gained, tmp_path):
    names = {kind: tmp_path / f"c.{kind}" for kind in ("csv", "parquet", "html", "json")}
    done = run(gained, *(part for kind, path in names.items() for part in (f"--{kind}", path)))
    assert done.exit_code == 0, done.output
    assert "Verdict: outcome gained" in done.output
    with names["csv"].open() as file:
        rows = list(csv.DictReader(file))
    table = pq.read_table(names["parquet"]).to_pylist()
    facts = json.loads(names["json"].read_text())
    assert len(rows) == len(table) == len(facts["contrasts"][0]["rows"])
    assert float(rows[0]["difference"]) == table[0]["difference"] == facts["contrasts"][0]["rows"][0]["difference"]
    assert (rows[0]["component"], rows[0]["verdict"], table[0]["slice"]) == ("answer", "gained", None)
    assert "outcome gained" in names["html"].read_text()


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")]


def test_what_a_model_wrote_is_never_markup(run, tmp_path):
    hostile = "<script>alert(1)</script><img src=x onerror=alert(1)>[bold]x[/]"
    folder = run_of(tmp_path / "run", judge=judged((8, 3)), write=lambda *_: hostile)
    done = run(folder, "--html", tmp_path / "c.html")
    assert done.exit_code == 0, done.output
    text = (tmp_path / "c.html").read_text()
    tags = Tags()
    tags.feed(text)
    assert not tags.tags & {"script", "img", "a", "link", "iframe"}
    assert "&lt;script&gt;alert(1)" in text
    assert re.search(r"default-src 'none'; style-src 'sha256-", text)


def test_a_run_is_compared_with_itself(run, gained):
    assert "made-up@0 against made-up@1" in run(gained).output


def test_one_evaluation_is_not_two(run, gained):
    assert isinstance(run(f"{gained}@0").exception, ConfigError)
