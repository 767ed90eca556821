"""Spoilt completions occur as often as asked, and only then."""

from random import Random

import pytest

from guerdon_trainer.quickstart.grading import grade
from guerdon_trainer.quickstart.mixture import draw_prompts
from guerdon_trainer.quickstart.styles import Faults, verbose_phrases, write_completion

PROMPTS = draw_prompts("sft", 400, seed=0)


def _grades(faults):
    rng = Random(0)
    return [grade(prompt, write_completion(prompt, faults, rng)) for prompt in PROMPTS]


def test_without_faults_all_is_as_expected():
    assert all(result.strict for result in _grades(Faults()))


def test_broken_ones_lose_their_format():
    results = _grades(Faults(broken=0.5))
    assert sum(result.formatted for result in results) / len(results) == pytest.approx(0.5, abs=0.08)
    assert not any(result.formatted for result in _grades(Faults(broken=1.0)))


def test_verbose_ones_are_right_but_not_strictly():
    results = _grades(Faults(verbose=1.0))
    assert all(result.formatted and result.lenient and not result.strict for result in results)


def test_phrases_hold_no_answer():
    assert all("{" not in phrase for phrase in verbose_phrases())
