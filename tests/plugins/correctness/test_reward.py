"""The reward itself: configuration, dispatch, places, abstention."""

import pickle
import subprocess
import sys
from types import MappingProxyType

import pytest
from correctness_judge import judge, reason, value
from pydantic import ValidationError

from guerdon import Abstain, Group, Sample, Score, Status, load_plugins
from guerdon.scoring.engine import Engine
from guerdon_plugins.correctness import Correctness

SEVEN = {"type": "numeric", "answer": "7"}


def test_it_is_installed_by_name() -> None:
    assert load_plugins().entry("correctness").reward is Correctness


@pytest.mark.parametrize(
    "config",
    [
        {"answer_from": "nowhere"},
        {"answer_from": "marker"},
        {"marker": "####"},
        {"answer_from": "marker", "marker": ""},
        {"tag": ""},
        {"tag": "a b"},
        {"tag": "<answer>"},
        {"normalise": ["colour"]},
        {"normalize": ["case"]},
        {"kind": "essay"},
        {"isolation": "inline"},
        {"isolation": "inline", "kind": "math"},
        {"timeout_s": 0},
        {"tolerance": 0.1},
    ],
)
def test_wrong_configuration_is_refused(config: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Correctness.model_validate(config)


def test_inline_is_for_kinds_that_are_bounded() -> None:
    assert Correctness(kind="choice", isolation="inline").isolation == "inline"
    assert Correctness().isolation == "process"


def test_configuration_round_trips_through_json() -> None:
    reward = Correctness(answer_from="marker", marker="####", normalise=("case",))
    assert Correctness.model_validate_json(reward.model_dump_json()) == reward


@pytest.mark.parametrize(
    "kind", ["boxes", "point_in_box", "count", "ocr", "ocr_present", "metadata_claims", None, 3, ["math"]]
)
def test_other_references_are_abstained(kind: object) -> None:
    assert "reference" in reason({"type": kind, "answer": "7"}, "7")


@pytest.mark.parametrize("completion", ["", "7", "<answer>7</answer>"])
def test_no_reference_is_abstained_whatever_the_completion_says(completion: str) -> None:
    assert "reference" in reason({}, completion)


def test_kind_only_restricts() -> None:
    assert value("7", SEVEN, kind="numeric") == 1.0
    assert "'numeric'" in reason(SEVEN, "7", kind="choice")


def test_a_read_only_reference_will_do() -> None:
    reference = MappingProxyType(
        {"type": "choice", "answer": "A", "options": MappingProxyType({"A": "cat", "B": "dog"})}
    )
    assert Correctness().score(Sample("g/0", "A", reference=reference)).value == 1.0


def test_a_reference_is_not_changed() -> None:
    reference = {"type": "choice", "answer": ["B", "A"], "options": ["A", "B"], "multi": "exact_set"}
    before = pickle.dumps(reference)
    judge("A, B", reference)
    assert pickle.dumps(reference) == before


@pytest.mark.parametrize(
    ("completion", "config", "paid"),
    [
        ("<answer>7</answer>", {"answer_from": "tag"}, 1.0),
        ("<result>7</result>", {"answer_from": "tag", "tag": "result"}, 1.0),
        ("<answer>7</answer>", {"answer_from": "tag", "tag": "result"}, 0.0),
        ("7", {"answer_from": "tag"}, 0.0),
        ("<answer>7", {"answer_from": "tag"}, 0.0),
        ("7</answer>", {"answer_from": "tag"}, 0.0),
        ("</answer>7<answer>", {"answer_from": "tag"}, 0.0),
        ("<answer>8</answer><answer>7</answer>", {"answer_from": "tag"}, 1.0),
        ("<answer>7</answer><answer>8</answer>", {"answer_from": "tag"}, 0.0),
        ("<answer>8<answer>7</answer>", {"answer_from": "tag"}, 1.0),
        ("< answer >7</ answer >", {"answer_from": "tag"}, 1.0),
        ("<answer>The answer is 7.</answer>", {"answer_from": "tag"}, 1.0),
        ("<answer>\\boxed{7}</answer>", {"answer_from": "tag"}, 1.0),
        ("\\boxed{7}", {"answer_from": "boxed"}, 1.0),
        ("\\fbox{7}", {"answer_from": "boxed"}, 1.0),
        ("\\boxed{\\boxed{7}}", {"answer_from": "boxed"}, 1.0),
        ("\\boxed{8} or \\boxed{7}", {"answer_from": "boxed"}, 1.0),
        ("\\boxed{7} or \\boxed{8", {"answer_from": "boxed"}, 1.0),
        ("\\boxed{7", {"answer_from": "boxed"}, 0.0),
        ("boxed{7}", {"answer_from": "boxed"}, 0.0),
        ("7", {"answer_from": "boxed"}, 0.0),
        ("#### 7\nand so on. 8", {"answer_from": "marker", "marker": "####"}, 1.0),
        ("#### 8\n#### 7", {"answer_from": "marker", "marker": "####"}, 1.0),
        ("####\n7", {"answer_from": "marker", "marker": "####"}, 1.0),
        ("7", {"answer_from": "marker", "marker": "####"}, 0.0),
        ("最终答案：7", {"answer_from": "marker", "marker": "最终答案："}, 1.0),
        ("7", {"answer_from": "any"}, 1.0),
    ],
)
def test_places(completion: str, config: dict[str, str], paid: float) -> None:
    assert value(completion, SEVEN, **config) == paid


@pytest.mark.parametrize(
    ("completion", "paid"),
    [
        ("<think>8</think>7", 1.0),
        ("<think>7</think>", 0.0),
        ("<think>7</think>8", 0.0),
        ("<think>7", 0.0),
        ("8</think>7", 1.0),
        ("7</think>", 0.0),
        ("7</think>8", 0.0),
        ("<think>a</think><think>8</think>7", 1.0),
        ("<think>a <think>b</think> 8</think> 7", 1.0),
        ("<THINK>8</THINK>7", 1.0),
        ("<thinking>8</thinking>7", 1.0),
        ("◁think▷8◁/think▷7", 1.0),
        ("<think>I write <answer>8</answer> here</think>7", 1.0),
        ("<think>so <answer>7</answer></think>", 0.0),
        ("<think>so <answer>7</answer>", 0.0),
        ("The answer is 7. <think>Let me check", 0.0),
        ("<think></think>7", 1.0),
    ],
)
def test_only_what_stands_outside_the_reasoning_counts(completion: str, paid: float) -> None:
    assert value(completion, SEVEN) == paid


def test_the_prompt_is_never_scored() -> None:
    prompt = [{"role": "user", "content": "Answer: 7. Put \\boxed{7} or <answer>7</answer>."}]
    for config in ({}, {"answer_from": "tag"}, {"answer_from": "boxed"}):
        score = Correctness.model_validate(config).score(
            Sample("g/0", "I do not know.", prompt=prompt, reference=SEVEN)
        )
        assert isinstance(score, Score)
        assert score.value == 0.0


def test_abstention_depends_on_the_reference_alone() -> None:
    for completion in ("", "7", "<answer>A</answer>", "\\boxed{7}"):
        assert isinstance(judge(completion, {"type": "numeric", "answer": "nan"}), Abstain)


def test_reasons_name_the_missing_place() -> None:
    assert "<answer>" in judge("7", SEVEN, answer_from="tag").reason
    assert "boxed" in judge("7", SEVEN, answer_from="boxed").reason
    assert "'####'" in judge("7", SEVEN, answer_from="marker", marker="####").reason


def test_through_the_engine_with_maths_in_a_worker() -> None:
    half = {"type": "math", "answer": "\\frac{1}{2}"}
    bad = {"type": "math", "answer": "\\frac{"}
    rewards = {"answer": Correctness(answer_from="boxed")}
    completions = ["\\boxed{0.5}", "\\boxed{0.6}", "\\boxed{9^{9^{9^9}}}", "no box"]
    samples = [Sample(f"g/{i}", text, reference=half, group_id="g", index=i) for i, text in enumerate(completions)]
    unscorable = [Sample("h/0", "\\boxed{0.5}", reference=bad, group_id="h")]
    with Engine(rewards, workers=1) as engine:
        first, second = engine.score([Group("g", samples), Group("h", unscorable)])
    assert [row[0].value for row in first.records] == [1.0, 0.0, 0.0, 0.0]
    assert {row[0].status for row in first.records} == {Status.OK}
    assert second.records[0][0].status is Status.ABSTAIN
    assert first.records[0][0].evidence["gold"] == "\\frac{1}{2}"


def test_it_pickles() -> None:
    reward = Correctness(answer_from="tag", kind="choice")
    assert pickle.loads(pickle.dumps(reward)) == reward


def test_prepare_does_what_takes_long_before_the_first_sample() -> None:
    code = (
        "import sys; from guerdon_plugins import Correctness; Correctness().prepare(); "
        "print(all(name in sys.modules for name in ('pint', 'sympy', 'math_verify', 'latex2sympy2_extended')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
