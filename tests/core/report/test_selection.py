import pytest

from guerdon import Record, Status
from guerdon.ledger import Ledger
from guerdon.report.selection import select_groups


@pytest.fixture(scope="module")
def ledger(built, tmp_path_factory):
    folder = tmp_path_factory.mktemp("selection") / "run"
    return Ledger(built.build_run(folder, steps=6, evaluations=(0, 3, 6)) / "ledger")


def steps_of(selection, phase):
    return sorted(key.step for key in selection.chosen if key.phase == phase)


def test_everything_fits_where_there_is_room(ledger):
    selection = select_groups(ledger)
    assert len(selection.chosen) == selection.groups == 6 * 6 + 3 * 2 * 12
    assert selection.records_chosen == selection.records == 6 * 6 * 4 * 3 + 3 * 2 * 12 * 3


@pytest.mark.parametrize("limit", [0, 1, 50, 137, 300, 500])
def test_the_limit_holds(ledger, limit):
    selection = select_groups(ledger, limit)
    assert selection.records_chosen <= limit
    assert selection.records == 648


def test_every_step_has_its_share(ledger):
    # 60% for evaluations leaves 172 records of 12 a group: 14 groups for 6 steps.
    chosen = steps_of(select_groups(ledger, 400), "train")
    counts = [chosen.count(step) for step in range(1, 7)]
    assert max(counts) - min(counts) <= 1
    assert min(counts) >= 2


def test_a_held_out_prompt_is_shown_before_and_after_or_not_at_all(ledger):
    selection = select_groups(ledger, 120)
    sides = {}
    for key in selection.chosen:
        if key.phase == "eval":
            sides.setdefault(key.group_id, set()).add((key.step, key.sampling))
    assert sides
    everywhere = {(step, sampling) for step in (0, 6) for sampling in ("greedy", "sampled")}
    assert all(shown == everywhere for shown in sides.values())


def test_the_evaluations_between_come_last(ledger):
    assert 3 not in steps_of(select_groups(ledger, 300), "eval")
    assert 3 in steps_of(select_groups(ledger, 640), "eval")


def test_groups_with_failures_come_first(built, tmp_path):
    def judge(sample, component, phase, step):
        if sample.group_id == "train-1007" and component == "shape":
            return Record(sample.id, component, Status.TIMEOUT, 0.0, cause="completion", reason="too long")
        return None

    folder = built.build_run(tmp_path / "run", judge=judge, evaluations=(), steps=1)
    (key,) = select_groups(Ledger(folder / "ledger"), 12).chosen
    assert key.group_id == "train-1007"


def test_the_choice_is_the_same_each_time(ledger):
    assert select_groups(ledger, 200) == select_groups(ledger, 200)
