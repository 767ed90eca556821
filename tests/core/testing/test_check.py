"""The kit finds faults that public rewards have had, and lets the built-in ones pass."""

import json

import pytest
from tests.core.testing import faulty

from guerdon import DataError, Sample
from guerdon.testing import Case, check_reward, default_cases
from guerdon_plugins import Correctness, Format, Grounding, Length, Safety

TEXTS = [
    Sample("a/0", "blue", [{"role": "user", "content": "What colour?"}], {"type": "exact", "answer": "blue"}),
    Sample("b/0", "cat", [{"role": "user", "content": "What animal?"}], {"type": "exact", "answer": "cat"}),
]
NUMBERS = [
    Sample("n/0", "12", reference={"type": "numeric", "answer": 12}),
    Sample("m/0", "7.5", reference={"type": "numeric", "answer": "7.5"}),
]


def failed(report):
    return {finding.check for finding in report.findings if not finding.ok}


def paid(report):
    return {payout.attack for payout in report.payouts if not payout.ok}


@pytest.mark.parametrize(
    "reward",
    [
        Correctness(answer_from="tag"),
        Correctness(kind="exact"),
        Correctness(kind="numeric", answer_from="boxed"),
        Grounding(pred_space="norm1000"),
        Grounding(pred_space="abs", pred_order="xywh", match="hungarian_f1"),
        Format(),
        Format(format="json"),
        Length(max_len=4096, cache_len=512),
        Length(component="repetition", ngram=3),
        Safety(),
    ],
    ids=lambda reward: f"{reward.name}-{getattr(reward, 'kind', None) or getattr(reward, 'format', '')}",
)
def test_the_built_in_rewards_pass(reward):
    report = check_reward(reward, default_cases())
    assert report.ok, report.failures()
    expected = {"correctness": "answer", "grounding": "answer", "format": "form"}
    assert report.judges == expected.get(reward.name, "harm")
    assert report.samples >= 1


BOX = Sample(
    "box/0",
    '[{"bbox_2d": [64, 48, 320, 240], "label": "cat"}]',
    reference={"type": "boxes", "boxes": [[64, 48, 320, 240]], "ref_space": "abs"},
    metadata={"image_width": 640, "image_height": 480},
)


def test_inverted_boxes_that_are_paid_25():
    report = check_reward(faulty.SignedBoxes(), [BOX])
    payout = next(payout for payout in report.payouts if payout.attack == "boxes inverted")
    assert (payout.ok, payout.right) == (False, 1.0)
    assert payout.pays >= 25
    assert "declared range" in failed(check_reward(faulty.SignedBoxesUndeclared(), [BOX]))


def test_ten_boxes_that_are_paid_as_one():
    assert "each box ten times" in paid(check_reward(faulty.TenAsOne(), default_cases()))


def test_two_eyes_that_are_paid_as_yes():
    report = check_reward(faulty.Contains(), default_cases())
    assert paid(report) >= {"the right answer inside a longer word", "the right answer among others", "every option"}
    eyes = check_reward(faulty.Contains(), [Sample("e/0", "yes", reference={"type": "exact", "answer": "yes"})])
    assert [p.completion for p in eyes.payouts if p.attack == "the right answer inside a longer word"] == ["two eyes"]


def test_an_unparsable_gold_that_is_paid():
    report = check_reward(faulty.ForgivingGold(), NUMBERS)
    assert failed(report) == {"references that confirm nothing"}
    assert "answer None pays 1" in report.failures()[0]


def test_a_form_that_the_prompt_earns():
    report = check_reward(faulty.BoxAnywhere(), default_cases())
    assert report.judges == "form"
    assert paid(report) == {"the form, and the answer, only in the prompt"}


def test_naming_every_option():
    assert "every option" in paid(check_reward(faulty.EveryOption(), default_cases()))


@pytest.mark.parametrize(
    ("reward", "check"),
    [
        (faulty.Dice(), "determinism"),
        (faulty.Counting(), "order"),
        (faulty.Scribbling(), "purity"),
        (faulty.Unpicklable(), "pickling"),
        (faulty.Shy(), "abstentions"),
        (faulty.Strict(), "a verdict for every completion"),
        (faulty.Slow(), "time"),
        (faulty.Hoarding(), "memory"),
        (faulty.Relative(), "batches"),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_faults_of_conduct(reward, check):
    samples = [Sample(s.id, s.completion, s.prompt, dict(s.reference)) for s in TEXTS]
    report = check_reward(reward, samples)
    assert check in failed(report), report.findings
    assert not report.ok


@pytest.mark.parametrize("reward", [faulty.Exact(), faulty.Patient(), faulty.Ranks()], ids=lambda r: r.name)
def test_what_is_in_order_passes_however_it_is_written(reward):
    report = check_reward(reward, TEXTS)
    assert report.ok, report.failures()
    assert report.judges == "answer"


def test_an_order_that_is_known_must_hold():
    case = Case(Sample("o/0", "best", reference={}), ("bad",), ("bad", "fair", "good", "best"))
    report = check_reward(faulty.Falling(), [case])
    assert failed(report) == {"monotone"}
    assert check_reward(faulty.Falling(), [Case(case.sample, case.wrong, ("bad", "fair", "best"))]).ok
    lengths = Case(Sample("l/0", "short"), order=("short", "word " * 500))
    assert failed(check_reward(Length(max_len=256), [lengths])) == {"monotone"}


def test_wrong_completions_of_the_user_count():
    report = check_reward(faulty.Exact(), [*TEXTS, Case(Sample("c/0", "x", reference={"answer": "x"}), (" x ",))])
    assert paid(report) == {"a completion that the samples call wrong"}
    mild = Case(Sample("s/0", "A cat."), ("A dog.",))
    assert paid(check_reward(Safety(), [mild])) == {"a completion that the samples call wrong"}


def test_values_that_are_stated_must_come_out():
    case = Case(Sample("v/0", "best"), ("bad",), earns={"fair": 0.6, "good": 0.3})
    assert check_reward(faulty.Falling(), [case]).ok
    wrong = Case(case.sample, case.wrong, earns={"fair": 0.6, "good": 0.8})
    assert check_reward(faulty.Falling(), [wrong]).failures() == [
        "stated values: sample v/0: 'good' earns 0.3; the samples say 0.8"
    ]


def test_a_constant_is_no_reward():
    report = check_reward(faulty.Constant(), TEXTS)
    assert (report.judges, failed(report)) == ("nothing", {"tells something apart"})


def test_a_reward_without_samples_that_it_applies_to_is_not_passed():
    report = check_reward(faulty.SignedBoxes(), TEXTS)
    assert "no sample was scored" in report.failures()[0]
    assert "no boxes" in report.failures()[0]
    unpaid = check_reward(faulty.Exact(), [Sample("a/0", "red", reference={"answer": "blue"})])
    assert "1 of 1 earn the least" in unpaid.failures()[0]


def test_samples_are_needed_and_their_ids_differ():
    with pytest.raises(DataError, match="needs samples"):
        check_reward(faulty.Exact(), [])
    with pytest.raises(DataError, match="id of its own"):
        check_reward(faulty.Exact(), [TEXTS[0], TEXTS[0]])


def test_the_report_is_json():
    data = json.loads(json.dumps(check_reward(faulty.Contains(), TEXTS).as_json()))
    assert data["ok"] is False
    assert {row["ok"] for row in data["payouts"]} == {True, False}
