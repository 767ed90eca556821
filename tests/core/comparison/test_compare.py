from dataclasses import replace

import pytest
from tests.core.comparison.conftest import judged, run_of

from guerdon import ConfigError, DataError, LedgerError
from guerdon.comparison import compare, conclusion, parse_side
from guerdon.ledger import Ledger


def ends(folder, **options):
    return compare([parse_side(f"{folder}@first"), parse_side(f"{folder}@last")], **options)


def test_a_planted_gain_is_found(gained):
    found = ends(gained)
    (contrast,) = found.contrasts
    row = contrast.row("answer")
    assert row.means == (pytest.approx(0.3), pytest.approx(0.8))
    assert (row.verdict, row.difference.prompts, found.prompts, found.left_out) == ("gained", 60, 60, 0)
    assert row.p < row.p_holm < 0.001
    assert conclusion(contrast, found.outcome).startswith("outcome gained: answer 0.300 to 0.800, +0.500 (95% ")


def test_rows_are_by_reading_and_by_modality(gained):
    (contrast,) = ends(gained).contrasts
    assert [row.measure for row in contrast.rows if row.component == "answer" and row.slice is None] == [
        "value",
        "strict",
        "lenient",
    ]
    parts = {row.slice for row in contrast.rows}
    assert parts == {None, "modality=text", "modality=image", "modality=images"}
    assert sum(contrast.row("answer", "value", part).difference.prompts for part in parts if part) == 60


def test_a_gain_of_style_alone_is_called_so(styled):
    found = ends(styled)
    assert conclusion(found.contrasts[0], found.outcome).startswith("gain is format only")


def test_too_few_prompts_are_not_powered(small):
    found = ends(small)
    line = conclusion(found.contrasts[0], found.outcome)
    assert line.startswith("not powered")
    assert "one of 0.050 would need" in line


def test_a_loss_is_a_loss_and_shows_its_worst_prompts(gained):
    found = compare([parse_side(f"{gained}@last"), parse_side(f"{gained}@first")])
    (contrast,) = found.contrasts
    assert conclusion(contrast, found.outcome).startswith("outcome lost")
    assert len(contrast.regressions) == 10
    worst = contrast.regressions[0]
    assert (worst.before, worst.after) == (1.0, 0.0)
    rows = Ledger(gained / "ledger").samples(phase="eval", sampling="greedy", steps=[0]).to_pylist()
    answers = {row["group_id"]: row["completion"] for row in rows}
    assert worst.answers[1] == answers[worst.prompt]


def test_a_side_gain_alone_is_named(tmp_path):
    run = run_of(tmp_path / "run", judge=judged((5, 5), boxes=(1, 9)))
    found = ends(run)
    assert conclusion(found.contrasts[0], found.outcome).startswith("gain is in boxes and shape only")


def test_three_sides_are_compared_pair_by_pair(gained, styled):
    found = compare([parse_side(f"{gained}@0"), parse_side(f"{styled}@0"), parse_side(f"{gained}@1")])
    first, second, third = f"{gained}@0", f"{styled}@0", "made-up@1"
    assert [(one.before, one.after) for one in found.contrasts] == [(first, second), (second, third), (first, third)]


def test_holm_counts_all_rows_on_all_prompts(gained, styled):
    found = compare([parse_side(f"{gained}@0"), parse_side(f"{styled}@0"), parse_side(f"{gained}@1")])
    rows = [row for contrast in found.contrasts for row in contrast.rows if row.slice is None]
    smallest = min(rows, key=lambda row: row.p)
    assert smallest.p_holm == pytest.approx(min(1.0, smallest.p * len(rows)))


def test_slices_by_metadata(gained):
    (contrast,) = ends(gained, slices=["image_width"]).contrasts
    assert {row.slice for row in contrast.rows if row.slice} == {
        f"modality={name}" for name in ("text", "image", "images")
    }


def test_sides_without_a_common_prompt_are_refused(gained, tmp_path):
    from tests.core.review import built_runs

    other = built_runs.build_run(tmp_path / "run", steps=1, evaluations=())
    with pytest.raises(LedgerError, match="holds no evaluation"):
        parse_side(str(other))
    short = run_of(tmp_path / "short", held_out=3)
    found = compare([parse_side(f"{gained}@0"), parse_side(f"{short}@0")])
    assert (found.prompts, found.left_out) == (3, 57)


def test_no_prompt_in_common(gained, tmp_path, monkeypatch):
    from guerdon.comparison import answers

    real = answers._prompts
    renamed = iter([False, True])

    def prompts(side, sampling):
        rename = next(renamed)
        return {f"x{name}" if rename else name: one for name, one in real(side, sampling).items()}

    monkeypatch.setattr(answers, "_prompts", prompts)
    with pytest.raises(DataError, match="no prompt is the same on all"):
        ends(gained)


def test_sides_are_named_by_step_and_sampling(gained):
    assert parse_side(f"{gained}@1:sampled").sampling == "sampled"
    assert parse_side(str(gained)).step == 1
    assert parse_side(f"{gained / 'ledger'}@first").step == 0
    with pytest.raises(ConfigError, match="no evaluation at step 7; it has some at 0, 1"):
        parse_side(f"{gained}@7")
    with pytest.raises(ConfigError, match="no sampling in common"):
        compare([parse_side(f"{gained}@0:greedy"), parse_side(f"{gained}@1:sampled")])


def test_a_path_may_hold_the_sign_itself(tmp_path):
    folder = run_of(tmp_path / "run@3", held_out=4)
    assert parse_side(str(folder)).step == 1


def test_shuffled_pictures_are_compared_where_recorded(gained, tmp_path):
    from tests.core.review import built_runs

    from guerdon.ledger import LedgerWriter, Source

    folder = run_of(tmp_path / "run", judge=judged((8, 8)))
    plan = built_runs.Plan(judge=judged((2, 2)), held_out=60, steps=1)
    sources = {name: Source(f"demo:{name}", "1.0", "c" * 64, "d" * 64) for name in plan.components()}
    blind = built_runs.batch(plan, "eval", 1, "greedy")
    with LedgerWriter(folder / "ledger", run="made-up", attempt=1, sources=sources) as writer:
        writer.write_batch(replace(blind, phase="blind"))
    (sight,) = ends(folder).sight
    assert (sight.side, sight.difference.prompts) == ("made-up@1", 45)
    assert sight.difference.high < -0.4
    assert ends(gained).sight == ()
