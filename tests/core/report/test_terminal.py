import io

import pytest
from rich.console import Console

from guerdon import LedgerError
from guerdon.report.terminal import print_summary, summary_table
from guerdon.review import open_run, summarise


def printed(folder, width=100):
    console = Console(file=io.StringIO(), width=width)
    print_summary(folder, console)
    return console.file.getvalue()


def test_components_and_held_out_prompts_are_printed(honest):
    text = printed(honest)
    assert "made-up: components in training (advantage: gdpo)" in text
    assert "answer*" in text
    assert "step 1" in text
    assert "step 5" in text
    assert "120 ok" in text
    assert "held-out prompts before (step 0) and after training (step 5)" in text
    assert "not powered" in text
    assert "  lenient" in text


@pytest.mark.parametrize("width", [80, 100, 160])
def test_it_fits_the_terminal(honest, width):
    text = printed(honest, width)
    assert max(len(line) for line in text.splitlines()) <= width
    assert "…" not in text


def test_names_are_never_markup(built, tmp_path):
    name = "[red]answer[/red]"
    folder = built.build_run(tmp_path / "run", chances={name: built.flat(0.5)}, outcome=name, steps=1)
    assert name in printed(folder, 160)


def test_a_monitor_and_a_schedule_are_shown_as_weights(built, tmp_path):
    ramp = {"schedule": "linear", "start": 1.0, "end": 0.25, "last": 5}
    rewards = {"answer": built.Plain(weight=ramp), "seen": built.Plain(role="monitor")}
    chances = {name: built.flat(0.5) for name in rewards}
    text = printed(built.build_run(tmp_path / "run", rewards=rewards, chances=chances))
    assert "1 to 0.25" in text
    assert "monitor" in text


def test_without_evaluations_there_is_one_table(built, tmp_path):
    text = printed(built.build_run(tmp_path / "run", evaluations=()))
    assert "held-out prompts before" not in text
    assert "was not measured on held-out prompts" in " ".join(text.split())


def test_the_table_has_a_row_for_each_component(honest):
    table = summary_table(summarise(open_run(honest)))
    assert table.row_count == 3


def test_no_ledger_is_an_error(tmp_path):
    with pytest.raises(LedgerError):
        printed(tmp_path)
