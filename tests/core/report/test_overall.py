"""What the page says of all records: histograms, pass rates, alarms."""

import pytest

from guerdon.report.alarms import alarm_lines, read_alarms
from guerdon.report.histograms import BINS, read_histograms
from guerdon.report.payload import _model
from guerdon.report.profile import read_profile
from guerdon.report.selection import select_groups
from guerdon.review import open_run, summarise
from guerdon.review.groups import read_groups
from guerdon.review.prompts import read_prompts


@pytest.fixture(scope="module")
def hacked(built, tmp_path_factory):
    chances = {"answer": built.rises(0.7, 0.2), "it's": built.rises(0.05, 0.98)}
    folder = tmp_path_factory.mktemp("hacked") / "run"
    return open_run(
        built.build_run(
            folder, chances=chances, steps=62, prompts=6, group=4, evaluations=(), metrics=lambda _: {"kl": 0.01}
        )
    )


def test_histograms_are_shares_of_a_few_steps_each(hacked):
    found = read_histograms(hacked.ledger, summarise(hacked).components)
    assert set(found) == {"answer", "it's"}
    one = found["it's"]
    assert len(one.first) == len(one.last) == len(one.shares) == 31
    assert (one.first[0], one.last[0], one.first[-1], one.last[-1]) == (1, 2, 61, 62)
    for shares in one.shares:
        assert len(shares) == BINS
        assert sum(shares) == pytest.approx(1)
    values = hacked.ledger.records(phase="train", steps=[1, 2], components=["it's"])["value"].to_pylist()
    assert one.shares[0][-1] == pytest.approx(sum(values) / len(values))


def test_pass_rates_agree_with_the_ledger(honest):
    run = open_run(honest)
    groups = read_groups(run.ledger, read_prompts(run.ledger))
    sides = read_profile(run.ledger, groups, summarise(run, groups))
    assert [(one.kind, one.when) for one in sides] == [
        ("training", "step 1"),
        ("training", "step 5"),
        ("held-out sampled", "step 0"),
        ("held-out sampled", "step 5"),
    ]
    for side in sides:
        whole, *parts = side.parts
        assert whole.source is None
        assert sum(part.prompts for part in parts) == whole.prompts == sum(whole.counts)
        assert {part.source for part in parts} <= {"text", "image", "images"}
    records = run.ledger.records(phase="eval", sampling="sampled", steps=[5], components=["answer"])
    values = records["value"].to_pylist()
    assert sides[-1].parts[0].rate == pytest.approx(sum(values) / len(values))
    assert sides[-1].parts[0].counts[-1] == sum(values)


def test_there_are_no_pass_rates_without_an_outcome(built, tmp_path):
    run = open_run(built.build_run(tmp_path / "run", outcome=None, steps=1, evaluations=()))
    groups = read_groups(run.ledger, read_prompts(run.ledger))
    assert read_profile(run.ledger, groups, summarise(run, groups)) == ()


def test_alarms_come_first_with_their_groups(hacked):
    audit, groups = read_alarms(hacked)
    first = audit["findings"][0]
    assert audit["verdict"] == "alarm"
    assert (first["title"], first["state"], first["component"]) == ("proxy climbs without the outcome", "alarm", "it's")
    assert len(first["examples"]) == 3
    for key in first["examples"]:
        phase, sampling, step, name = key.split("/", 3)
        assert (phase, sampling) == ("train", "sampled")
        assert any(group.step == int(step) and name.startswith(group.group_id) for group in groups)


def test_the_overview_begins_with_the_alarms(hacked, honest):
    (line,) = alarm_lines(read_alarms(hacked)[0])
    assert line.warning
    assert "proxy climbs without the outcome, raised at step " in line.text
    assert alarm_lines(read_alarms(open_run(honest))[0]) == []


def test_examples_of_alarms_are_on_the_page_before_all_others(hacked):
    _, groups = read_alarms(hacked)
    chosen = select_groups(hacked.ledger, limit=8 * len(groups) + 8, wanted=groups).chosen
    assert groups < chosen
    assert len(chosen) == len(groups) + 1


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        ({"name_or_path": "/home/me/models/tiny"}, "tiny"),
        ({"name_or_path": "org/tiny", "revision": "a" * 40}, f"org/tiny @ {'a' * 40}"),
        ({"name_or_path": "./tiny"}, "./tiny"),
        ({}, ""),
    ],
)
def test_a_local_base_is_named_without_its_folders(model, shown):
    assert _model(model) == shown
