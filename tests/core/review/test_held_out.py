import math

import pytest

from guerdon import Record, Status
from guerdon.review import Estimate, open_run, summarise
from guerdon.review.held_out import MATTERS, verdict


def estimate(low, high):
    return Estimate((low + high) / 2, low, high, 0.01, 50, 50)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.01, 0.5, "gained"),
        (-0.5, -0.01, "lost"),
        (-0.02, 0.03, "no change"),
        (-0.1, 0.12, "not powered"),
        (math.nan, math.nan, "unknown"),
    ],
)
def test_the_verdict_follows_the_interval(low, high, expected):
    assert verdict(estimate(low, high), MATTERS) == expected


def test_without_bounds_nothing_is_called_unchanged():
    assert verdict(estimate(-0.001, 0.001), None) == "not powered"


def rows_of(folder, **facts):
    found = summarise(open_run(folder)).held_out
    return [row for row in found if all(getattr(row, name) == value for name, value in facts.items())]


def test_the_outcome_is_compared_in_both_decodings_by_modality_and_reading(honest):
    rows = rows_of(honest, component="answer", sampling="greedy")
    assert [(row.measure, row.modality) for row in rows] == [
        (measure, modality)
        for measure in ("value", "strict", "lenient")
        for modality in (None, "image", "images", "text")
    ]
    assert len(rows_of(honest, component="answer", sampling="sampled")) == 12


def test_the_outcome_comes_first(honest):
    assert summarise(open_run(honest)).held_out[0].component == "answer"


def test_a_component_is_compared_where_it_has_values_only(honest):
    modalities = {row.modality for row in rows_of(honest, component="boxes", sampling="greedy")}
    assert modalities == {None, "image", "images"}
    (row,) = rows_of(honest, component="boxes", sampling="greedy", modality=None)
    assert row.difference.prompts == 9


def test_a_planted_gain_is_found_prompt_by_prompt(built, tmp_path):
    def judge(sample, component, phase, step):
        if phase != "eval" or component != "answer":
            return None
        right = int(sample.group_id[-1]) < (3 if step == 0 else 8)
        return Record(sample.id, component, Status.OK, float(right))

    folder = built.build_run(tmp_path / "run", judge=judge, held_out=40)
    (row,) = rows_of(folder, component="answer", sampling="greedy", measure="value", modality=None)
    assert (row.before.value, row.after.value) == (pytest.approx(0.3), pytest.approx(0.8))
    assert row.verdict == "gained"
    # Exactly the prompts 3 to 7 of each ten gained: paired, the interval is narrower than unpaired.
    assert row.difference.half_width < 0.2


def test_only_prompts_with_a_value_on_both_sides_count(built, tmp_path):
    def judge(sample, component, phase, step):
        if phase == "eval" and component == "answer" and step == 0 and sample.group_id == "eval-0000":
            return Record(sample.id, component, Status.ERROR, cause="infrastructure", masks=True, reason="worker lost")
        return None

    folder = built.build_run(tmp_path / "run", judge=judge)
    (row,) = rows_of(folder, component="answer", sampling="greedy", measure="value", modality=None)
    assert row.before.prompts == row.after.prompts == row.difference.prompts == 11


def test_a_completion_that_broke_the_grader_counts_in_every_reading(built, tmp_path):
    def judge(sample, component, phase, step):
        if phase == "eval" and component == "answer":
            return Record(sample.id, component, Status.ERROR, 0.0, cause="completion", reason="ValueError")
        return None

    folder = built.build_run(tmp_path / "run", judge=judge)
    (row,) = rows_of(folder, component="answer", sampling="greedy", measure="lenient", modality=None)
    assert (row.before.value, row.before.prompts) == (0.0, 12)


def test_one_evaluation_compares_nothing(built, tmp_path):
    assert rows_of(built.build_run(tmp_path / "run", evaluations=(0,))) == []
