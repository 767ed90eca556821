"""Averages of grades."""

import math

from guerdon_trainer.quickstart.evaluation import summarise
from guerdon_trainer.quickstart.grading import Grade


def test_averages_by_kind_and_in_all():
    grades = [
        ("color", Grade(formatted=True, strict=True, lenient=True, iou=0.5)),
        ("color", Grade(formatted=True, strict=False, lenient=True, iou=0.7)),
        ("sum", Grade(formatted=False, strict=False, lenient=False, iou=None)),
        ("sum", Grade(formatted=True, strict=True, lenient=True, iou=None)),
    ]
    result = summarise(grades)
    assert (result.formatted, result.strict, result.lenient, result.iou) == (0.75, 0.5, 0.75, 0.6)
    assert result.strict_by_kind == {"color": 0.5, "sum": 0.5}
    assert result.lenient_by_kind == {"color": 1.0, "sum": 0.5}
    assert "IoU 0.600" in str(result)


def test_an_average_over_nothing_is_nan():
    result = summarise([])
    assert math.isnan(result.strict)
    assert math.isnan(result.iou)
    assert result.strict_by_kind == {}
