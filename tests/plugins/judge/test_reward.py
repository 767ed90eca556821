"""The judge against a server that answers, refuses, stalls, lies, is busy or hangs up."""

import asyncio
import base64
import io

import pytest
from PIL import Image
from pydantic import ValidationError

from guerdon import Abstain, LazyImage, UnavailableError
from guerdon_plugins.judge import Judge


def ask(judge, sample):
    return asyncio.run(judge.score(sample))


def test_a_verdict_becomes_a_share_of_the_scale(judge, sample):
    score = ask(judge(), sample())
    assert score.value == 0.7
    assert score.metrics == {"tokens": 30.0}
    assert score.evidence == {
        "verdict": 7,
        "scale": [0, 10],
        "rationale": "it says blue",
        "model": "judge-1",
        "tokens": 30,
        "attempts": 1,
    }
    assert score.reason == "7 of 10: it says blue"
    assert ask(judge(scale=(4, 8)), sample()).value == 0.75


def test_a_judge_that_penalises_takes_away_and_pays_nothing(judge, sample):
    strict = judge(penalise=True)
    assert strict.range() == (-1.0, 0.0)
    assert ask(strict, sample()).value == pytest.approx(-0.3)
    assert ask(strict, sample("")).value == 0.0  # silence is neither paid nor punished
    assert judge().range() == (0.0, 1.0)


def test_one_fence_around_the_verdict_is_tolerated(judge, sample):
    assert ask(judge("fenced"), sample()).value == 0.7


def test_the_request_holds_prompt_completion_schema_and_pictures(judge, sample, server):
    buffer = io.BytesIO()
    Image.new("RGB", (3, 2), (0, 0, 255)).save(buffer, "PNG")
    url = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
    ask(judge(), sample(images=(LazyImage(url),)))
    _, body, _, path = server.seen[0]
    assert path == "/v1/chat/completions"
    assert body["response_format"]["json_schema"]["schema"]["additionalProperties"] is False
    picture, text = body["messages"][1]["content"]
    assert picture == {"type": "image_url", "image_url": {"url": url}}
    assert "user: What colour is the sky?" in text["text"]
    assert "It is blue." in text["text"]
    ask(judge(show_images=False, response_format="none"), sample(images=(LazyImage(url),)))
    assert isinstance(server.seen[1][1]["messages"][1]["content"], str)
    assert "response_format" not in server.seen[1][1]


@pytest.mark.parametrize(
    ("model", "word"),
    [
        ("refuses", "refuses to answer: I cannot help"),
        ("filtered", "content_filter"),
        ("cut", "cut off"),
        ("prose", "no JSON object alone"),
        ("no json", "no JSON object alone"),
        ("no chat", "no chat completion"),
        ("null", "no chat completion"),
        ("huge", "more than 1000000 bytes"),
        ("other nonce", "does not repeat the nonce"),
        ("high", "11 is greater than the maximum of 10"),
        ("fraction", "is not of type 'integer'"),
        ("boolean", "is not of type 'integer'"),
        ("nan", "NaN is not JSON"),
        ("extra", "Additional properties"),
        ("twice", "stands twice"),
        ("two", "text after the JSON value"),
        ("busy", "in 2 attempts: HTTP 429"),
        ("broken", "in 2 attempts: HTTP 503"),
        ("busy for long", "beyond timeout_s"),
        ("busy until", "beyond timeout_s"),
        ("forbidden", "HTTP 401"),
        ("moved", "HTTP 307"),
        ("drops", "no connection"),
    ],
)
def test_no_verdict_is_a_failure_of_the_infrastructure(judge, sample, model, word):
    with pytest.raises(UnavailableError) as caught:
        ask(judge(model, retries=1), sample())
    assert word in str(caught.value)


@pytest.mark.parametrize("model", ["busy once", "broken once", "drops once"])
def test_what_passes_is_asked_again(judge, sample, server, model):
    score = ask(judge(model), sample())
    assert (score.value, score.evidence["attempts"]) == (0.7, 2)
    assert len(server.seen) == 2
    nonces = {one[1]["messages"][0]["content"] for one in server.seen}
    assert len(nonces) == 2


def test_a_refusal_is_not_asked_again(judge, sample, server):
    with pytest.raises(UnavailableError):
        ask(judge("refuses"), sample())
    assert len(server.seen) == 1


def test_a_stalled_judge_ends_before_the_engine_would_kill_it(judge, sample):
    with pytest.raises(UnavailableError, match="did not answer in time"):
        ask(judge("stalls", timeout_s=0.3), sample())


def test_nobody_listens(sample, server):
    with pytest.raises(UnavailableError, match="no connection"):
        ask(Judge(base_url="http://127.0.0.1:9/v1", model="m", rubric="r", retries=0), sample())


def test_the_key_comes_from_the_environment_and_is_not_shown(judge, sample, server, monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", "sk-secret")
    ask(judge(api_key_env="JUDGE_KEY"), sample())
    assert server.seen[0][2]["Authorization"] == "Bearer sk-secret"
    with pytest.raises(UnavailableError) as caught:
        ask(judge("forbidden", api_key_env="JUDGE_KEY"), sample())
    assert "sk-secret" not in str(caught.value)
    monkeypatch.delenv("JUDGE_KEY")
    with pytest.raises(UnavailableError, match="JUDGE_KEY, which api_key_env names, is not set"):
        ask(judge(api_key_env="JUDGE_KEY"), sample())


def test_only_the_answer_is_judged_and_nothing_is_asked_without_one(judge, sample, server):
    ask(judge(), sample("<think>surely green, no</think>Blue."))
    sent = server.seen[0][1]["messages"][1]["content"]
    assert "Blue." in sent
    assert "surely" not in sent
    for empty in ("", "  \n", "<think>and so on", "<think>x</think>"):
        assert ask(judge(), sample(empty)).value == 0.0
    assert len(server.seen) == 1
    ask(judge(read_from="completion", max_chars=12), sample("<think>surely green</think>Blue."))
    assert "<think>surel\n" in server.seen[1][1]["messages"][1]["content"]


def test_the_rubric_is_filled_and_abstains_without_the_facts(judge, sample, server):
    rubric = 'The truth is {reference.answer}, of {metadata.parts}; never {"a": 1}.'
    assert isinstance(ask(judge(rubric=rubric), sample(reference={"answer": "blue"})), Abstain)
    ask(judge(rubric=rubric), sample(reference={"answer": "blue"}, metadata={"parts": [1, 2]}))
    assert 'The truth is blue, of [1, 2]; never {"a": 1}.' in server.seen[0][1]["messages"][0]["content"]


def test_a_picture_that_cannot_be_read_masks(judge, sample, tmp_path):
    with pytest.raises(UnavailableError, match="cannot be shown"):
        ask(judge(), sample(images=(LazyImage(str(tmp_path / "gone.png")),)))
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(UnavailableError, match="begin with b'no pictu'"):
        ask(judge(), sample(images=(LazyImage(str(tmp_path / "text.png")),)))


def test_a_text_that_no_encoding_takes_is_still_judged(judge, sample):
    assert ask(judge(), sample("blue \ud800 \x00")).value == 0.7


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"base_url": "ftp://judge/v1"}, "http or https"),
        ({"base_url": "file:///etc/passwd"}, "http or https"),
        ({"base_url": "http://user:pw@judge/v1"}, "api_key_env"),
        ({"base_url": "http://judge/v1?key=1"}, "api_key_env"),
        ({"api_key_env": "sk-123"}, "api_key_env"),
        ({"rubric": " "}, "blank"),
        ({"rubric": "grade {completion}"}, "only {reference.KEY}"),
        ({"scale": (3, 3)}, "must rise"),
        ({"limits": {"retries": 2}}, "limits.retries"),
        ({"api_key": "sk-123"}, "api_key"),
    ],
)
def test_a_bad_configuration_is_refused(fields, word):
    settings = {"base_url": "http://judge/v1", "model": "m", "rubric": "r"} | fields
    with pytest.raises(ValidationError) as caught:
        Judge(**settings)
    assert word in str(caught.value)


def test_only_repeatable_verdicts_are_kept(judge):
    assert judge().cacheable()
    assert not judge(temperature=0.7).cacheable()
