"""What a change does to scores, signs and order."""

import json

from tests.core.rescoring.conftest import line

from guerdon.rescoring.diff import compare
from guerdon.rescoring.render import sentences


def letter(name):
    def change(data):
        data["rewards"]["answer"]["letter"] = name
        return data

    return change


def test_a_changed_field_is_seen_in_values_signs_and_order(again, completions):
    rows = [line(0, ["aab", "abb", "x"]), line(1, ["a", "aa", "aaa"])]
    old = again(completions(rows)).ledger
    new = again(completions(rows), "new", letter("b")).ledger
    found = compare(old, new)
    answer, brief = found.components["answer"], found.components["brief"]
    assert (answer.same, answer.compared, answer.equal) == (False, 6, 1)
    assert (brief.same, brief.compared, brief.equal) == (True, 6, 6)
    assert found.reproduced() == (6, 6)
    assert (found.samples, found.unmatched, found.changed) == (6, 0, 5)
    assert (found.flips, found.ordered, found.reversed, found.winners, found.groups) == (0, 3, 1, 1, 2)
    assert {changed.sample_id for changed in found.shown} == {"q0/0", "q0/1", "q1/0", "q1/1", "q1/2"}
    best = next(changed for changed in found.shown if changed.sample_id == "q0/1")
    assert best.values == {"answer": (0.1, 0.2)}
    text = "\n".join(sentences(found))
    assert "6 of 6 values equal" in text
    assert "1 of 3 pairs of completions of one prompt change their order; in 1 of 2 groups" in text


def test_signs_that_flip(again, completions):
    rows = [line(0, ["a", "b"])]
    old, new = again(completions(rows)).ledger, again(completions(rows), "new", letter("b")).ledger
    found = compare(old, new)
    assert (found.flips, found.reversed) == (2, 1)
    assert [changed.advantage[0] * changed.advantage[1] < 0 for changed in found.shown] == [True, True]


def test_components_that_come_and_go(again, completions):
    def other(data):
        data["rewards"]["extra"] = data["rewards"].pop("brief")
        return data

    found = compare(again(completions()).ledger, again(completions(), "new", other).ledger)
    assert (found.lost, found.added) == ({"brief"}, {"extra"})
    assert "no longer there: brief" in "\n".join(sentences(found))


def test_samples_without_counterpart(again, completions):
    old = again(completions([line(0, ["a", "b"])], "a.jsonl"), "old").ledger
    new = again(completions([line(0, ["a", "c"]), line(1, ["a"])], "b.jsonl"), "new").ledger
    found = compare(old, new)
    assert (found.samples, found.unmatched) == (1, 2)


def test_the_same_code_that_scores_otherwise_is_named(again, completions, write_plugin, tmp_path, monkeypatch):
    """A reward that reads what no hash covers."""
    write_plugin("sample.completion.count(self.letter) / 10", 'float(__import__("os").environ["LUCK"])')
    monkeypatch.setenv("LUCK", "0.5")
    old = again(completions()).ledger
    monkeypatch.setenv("LUCK", "0.25")
    found = compare(old, again(completions(), "new").ledger)
    assert found.reproduced() == (20, 40)
    assert "do not come out again: answer" in "\n".join(sentences(found))
    assert json.dumps(found.components["answer"].after / found.components["answer"].both) == "0.25"
