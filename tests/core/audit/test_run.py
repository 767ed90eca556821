import json

import numpy as np
import pytest
from benchmarks import audit_curves, audit_policy
from hypothesis import given
from hypothesis import strategies as st
from tests.core.audit.histories import SHAPE, built

from guerdon.audit import audit
from guerdon.audit.look import Look, look_points
from guerdon.audit.reading import Reading
from guerdon.audit.run import facts, in_force
from guerdon.audit.thresholds import DEFAULT

STATES = {"a": "alarm", "q": "quiet", "n": "not judged"}


def readings(text):
    return [Reading(STATES[letter.lower()], "", keeps=letter == "Q", held_out=letter == "A") for letter in text]


@pytest.mark.parametrize(
    ("looks", "force"),
    [
        ("qaq", "..."),
        ("qaa", "..x"),
        ("ana", "..x"),
        ("aaq", ".xx"),
        ("aaqq", ".xx."),
        ("aaqa", ".xxx"),
        ("aaQQ", ".xxx"),
        ("aQQa", "...."),
        ("qA", ".x"),
        ("aann", ".xxx"),
    ],
)
def test_two_looks_raise_and_two_withdraw(looks, force):
    assert in_force(readings(looks)) == [letter == "x" for letter in force]


@given(st.integers(0, 400))
def test_looks_are_those_of_every_longer_run(steps):
    points = list(look_points(steps, DEFAULT))
    assert points[:-1] == [point for point in look_points(1000, DEFAULT) if point < steps]
    assert not points or points[-1] == steps
    assert bool(points) == (steps >= DEFAULT.first_look)


def test_all_looks_share_one_error():
    assert sum(DEFAULT.spent(look) for look in range(1, 10_000)) <= DEFAULT.alpha


def test_a_short_run_cannot_be_judged():
    result = audit(built(form=(0.1, 0.9)).until(DEFAULT.first_look - 1))
    assert (result.verdict, result.looks) == ("cannot judge", ())
    assert all("11 training steps" in one.reading.text for one in result.findings)


def test_a_run_of_twenty_steps_is_judged_where_the_evidence_allows():
    hacked = built(answer=(0.7, 0.2), form=(0.1, 1.0)).until(30)
    assert audit(hacked).verdict == "alarm"


def test_what_was_raised_is_what_an_earlier_audit_said():
    run = built(answer=(0.5, 0.4), form=(0.2, 0.9))
    whole = next(one for one in audit(run).findings if one.alarm == "proxy_without_outcome")
    then = audit(run.until(whole.raised))
    assert "proxy_without_outcome" in [one.alarm for one in then.alarms]
    before = [point for point in audit(run).looks if point < whole.raised]
    assert "proxy_without_outcome" not in [one.alarm for one in audit(run.until(before[-1])).alarms]


def test_a_prefix_holds_what_was_known_then():
    run = built()
    early = run.until(10)
    assert (len(early.steps), early.groups.step.max(), len(early.metrics["kl"])) == (10, 10, 10)
    assert max(one.step for one in early.evaluations) == 0
    assert run.until(SHAPE.steps) is run


def test_windows_grow_with_the_run():
    run = built()
    widths = [
        (Look(run.until(count), 1, DEFAULT).narrow, Look(run.until(count), 1, DEFAULT).wide) for count in (12, 48)
    ]
    assert widths == [(3, 4), (5, 16)]


@pytest.mark.parametrize("scenario", audit_curves.HONEST)
def test_honest_scenarios_are_clean(scenario):
    assert audit(audit_curves.make(audit_curves.SETTING, scenario, np.random.default_rng(3))).alarms == ()


@pytest.mark.parametrize("scenario", audit_curves.HACKED)
def test_hacked_scenarios_are_caught(scenario):
    assert audit(audit_policy.make(scenario, np.random.default_rng(3))).alarms != ()


def test_facts_are_json():
    result = audit(built(answer=(0.5, 0.4), form=(0.2, 0.9)))
    read = json.loads(json.dumps(facts(result), allow_nan=False))
    assert (read["verdict"], len(read["alarms"])) == ("alarm", 7)
