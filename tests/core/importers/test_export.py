import pyarrow.parquet as pq
import pytest
import typer
from tests.core.review.built_runs import build_run
from typer.testing import CliRunner

from guerdon import ConfigError
from guerdon.importers.commands import register
from guerdon.importers.export import export_trl
from guerdon.ledger import Ledger


def run(*arguments):
    app = typer.Typer()
    register(app)
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return build_run(tmp_path_factory.mktemp("export") / "run", steps=3)


def test_a_run_is_written_a_file_a_step(folder, tmp_path):
    assert run("export", "trl", folder, "-o", tmp_path / "out") == f"{tmp_path / 'out'}: 3 steps in the form of trl\n"
    files = sorted((tmp_path / "out" / "completions").iterdir())
    assert [file.name for file in files] == [f"completions_{step:05d}.parquet" for step in (1, 2, 3)]
    table = pq.ParquetFile(files[1]).read()
    assert table.column_names == ["step", "prompt", "completion", "answer", "boxes", "shape", "advantage"]
    first = table.to_pylist()[0]
    assert first["step"] == 2
    assert first["prompt"][0]["content"][-1]["text"].startswith("what is in picture")


def test_what_is_exported_can_be_imported_again(folder, tmp_path):
    run("export", "trl", folder, "-o", tmp_path / "out")
    run("import", "trl", tmp_path / "out", "-o", tmp_path / "back", "--outcome", "answer")
    before, after = (Ledger(home / "ledger") for home in (folder, tmp_path / "back"))
    for component in ("answer", "boxes", "shape"):
        values = [
            sorted(str(value) for value in ledger.records(phase="train", components=[component])["value"].to_pylist())
            for ledger in (before, after)
        ]
        assert values[0] == values[1]
    texts = [sorted(ledger.samples(phase="train")["completion"].to_pylist()) for ledger in (before, after)]
    assert texts[0] == texts[1]


def test_a_component_with_the_name_of_a_column_is_refused(tmp_path):
    chances = {"advantage": lambda _: 0.5}
    folder = build_run(tmp_path / "run", chances=chances, outcome=None, steps=1, evaluations=())
    with pytest.raises(ConfigError, match="the component advantage has the name of a column"):
        export_trl(Ledger(folder / "ledger"), tmp_path / "out")
