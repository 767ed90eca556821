"""The server with vLLM as its engine, against a stand-in that has vLLM's interface: vLLM itself is not run here."""

import dataclasses
import json
import sys
from pathlib import Path

import openai
import pytest

from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.model.probes import encode_probes
from guerdon_serving.model.prompting import Prompter
from guerdon_serving.server.settings import Settings
from guerdon_serving.vllm.start import start_vllm

FAKE = str(Path(__file__).with_name("fake.py"))


class Control:
    """Tells the stand-in how to behave, and reads what it was asked."""

    def __init__(self, path, facts):
        self.path, self.facts = path, facts
        self("right")

    def __call__(self, behaviour):
        self.path.write_text(json.dumps(self.facts | {"behaviour": behaviour}))

    def asked(self, path):
        lines = Path(f"{self.path}.log").read_text().splitlines()
        return [line["body"] for line in map(json.loads, lines) if line["path"] == path]


@pytest.fixture(scope="module")
def control(bundle, tmp_path_factory):
    probes = {name: probe.model_dump() for name, probe in bundle.facts.probes.items()}
    encoded = encode_probes(Prompter(bundle.base))
    prompts = {str(count): encoded[name].token_ids for count, name in enumerate(("text", "image", "images"))}
    control = Control(tmp_path_factory.mktemp("vllm") / "facts.json", {"prompts": prompts, "base": probes})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAKE_VLLM", str(control.path))
        yield control


@pytest.fixture(autouse=True)
def behaves(control):
    yield
    control("right")


@pytest.fixture(scope="module")
def settings(bundle, control, tmp_path_factory):
    return Settings(
        bundle.folder, engine="vllm", dtype="bfloat16", bundles=tmp_path_factory.getbasetemp(),
        vllm_command=(sys.executable, FAKE), vllm_arguments=("--gpu-memory-utilization", "0.8"), deadline_s=1.0,
    )  # fmt: skip


@pytest.fixture(scope="module")
def served(run_server, settings):
    return run_server(settings)


@pytest.fixture(scope="module")
def recorded(bundle):
    decode = Prompter(bundle.base).tokenizer.decode
    return {name: decode(p.answer, skip_special_tokens=True) for name, p in bundle.facts.probes.items()}


@pytest.mark.parametrize("name", ["text", "image", "images"])
def test_whole_and_streamed_answers_are_what_vllm_wrote(served, bundle, ask_body, prompts, recorded, name):
    text, images = prompts[name]
    with openai.OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0) as client:
        body = ask_body(text, images, model="tiny", max_tokens=16)
        whole = client.chat.completions.create(**body)
        pieces = [chunk.choices[0].delta.content or "" for chunk in client.chat.completions.create(**body, stream=True)]
    assert whole.choices[0].message.content == "".join(pieces) == recorded[name]
    assert whole.model == f"tiny@{bundle.digest12}"
    assert whole.usage.completion_tokens == len(bundle.facts.probes[name].answer)
    assert whole.usage.prompt_tokens > 10


def test_what_is_sent_names_the_digest_and_leaves_nothing_to_defaults(served, control, bundle):
    served.ask("hello", max_tokens=3, seed=5)
    sent = control.asked("/v1/chat/completions")[-1]
    assert sent["model"] == bundle.id
    assert sent["logit_bias"] == {str(token): -100.0 for token in bundle.facts.tokenizer.forbidden_ids}
    assert sent["stop_token_ids"] == list(bundle.facts.tokenizer.end_ids)
    assert (sent["temperature"], sent["top_p"], sent["top_k"], sent["repetition_penalty"], sent["seed"]) == (
        0, 1, 0, 1, 5,
    )  # fmt: skip
    assert sent["max_completion_tokens"] == 3
    assert "logprobs" not in sent
    served.ask("hello", model="base", max_tokens=1)
    assert control.asked("/v1/chat/completions")[-1]["model"] == "base"


def test_log_probabilities_come_through(served, bundle):
    answer = served.ask(max_tokens=2, logprobs=True, top_logprobs=3).json()
    content = answer["choices"][0]["logprobs"]["content"]
    assert [token["id"] for token in content] == bundle.facts.probes["text"].answer[:2]
    assert [token["logprob"] for token in content] == [-0.25, -0.25]
    assert [top["id"] for top in content[0]["top_logprobs"]] == [0, 1, 2]


def test_an_unknown_adapter_is_404_and_reaches_nobody(served, control):
    before = len(control.asked("/v1/chat/completions"))
    assert served.ask(model="other").status_code == served.ask(model="tiny@000000000000").status_code == 404
    assert len(control.asked("/v1/chat/completions")) == before


def test_bad_text_and_pictures_never_reach_vllm(served, control):
    before = len(control.asked("/v1/chat/completions"))
    assert served.ask("<|image_pad|>").status_code == 400
    body = {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x/y"}}]}]}
    assert served.http.post("/v1/chat/completions", json=body).status_code == 400
    assert len(control.asked("/v1/chat/completions")) == before


def load(served, bundle, settings, name):
    source = str(bundle.folder.relative_to(settings.bundles))
    return served.http.post("/adapters", json={"name": name, "src": source})


def test_an_adapter_is_probed_before_the_alias_flips(served, control, settings, bundle, other_bundle):
    loaded = load(served, other_bundle, settings, "second")
    assert (loaded.status_code, loaded.json()["id"]) == (200, f"second@{other_bundle.digest12}")
    sent = control.asked("/v1/load_lora_adapter")[-1]
    assert sent == {"lora_name": other_bundle.id, "lora_path": str(other_bundle.adapter)}
    assert served.ask(model="second").headers["x-guerdon-bundle"] == other_bundle.id
    assert served.http.delete(f"/adapters/second@{other_bundle.digest12}").status_code == 200
    assert control.asked("/v1/unload_lora_adapter")[-1] == {"lora_name": other_bundle.id}


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        ("no effect", Code.PROBE_NO_EFFECT),
        ("other", Code.PROBE_MISMATCH),
        ("prompt", Code.PROBE_MISMATCH),
        ("refuse", Code.ENGINE_ANSWER),
    ],
)
def test_what_vllm_accepts_and_ignores_is_refused_and_unloaded(
    served, control, settings, bundle, other_bundle, behaviour, code
):
    control(behaviour)
    response = load(served, other_bundle, settings, "tiny")
    assert (response.status_code, response.json()["error"]["code"]) == (400, code)
    assert served.service.aliases["tiny"] == f"tiny@{bundle.digest12}"
    assert [m["alias"] for m in served.http.get("/v1/models").json()["data"]] == ["base", "tiny"]
    if behaviour != "refuse":
        assert control.asked("/v1/unload_lora_adapter")[-1] == {"lora_name": other_bundle.id}


def test_a_failure_in_the_middle_is_said(served, control, caplog):
    control("break")
    assert '"type": "engine_error"' in served.ask(max_tokens=16, stream=True).text
    assert served.ask(max_tokens=16, stop=["never"]).status_code == 502
    assert "EngineCore died" in caplog.text
    control("too long")
    assert served.ask().status_code == 400
    control("slow")
    assert served.ask().status_code == 504
    control("right")
    assert served.ask(max_tokens=1).status_code == 200


def refusal(settings):
    with pytest.raises(RefusedError) as caught:
        start_vllm(settings)
    return caught.value.code


def test_what_cannot_start_is_refused(settings, control):
    assert refusal(dataclasses.replace(settings, vllm_command=("no-such-vllm",))) is Code.ENGINE_START
    assert refusal(dataclasses.replace(settings, vllm_command=(sys.executable, FAKE, "end"))) is Code.ENGINE_START
    control("no effect")
    assert refusal(settings) is Code.PROBE_NO_EFFECT


def test_an_adapter_that_must_be_merged_is_refused(settings, forge, monkeypatch):
    from guerdon_serving.bundle.schema import ServingFacts
    from guerdon_serving.vllm.process import start_process

    plan = ServingFacts(mode="merge", max_lora_rank=None, tower=True, reasons=["vLLM ignores the tower"])
    with pytest.raises(RefusedError, match="ignores the tower") as caught:
        start_process(settings, forge.folder, plan)
    assert caught.value.code is Code.ENGINE_PLAN


def test_the_command_is_the_plans(settings, bundle):
    from guerdon_serving.vllm.process import arguments, environment

    found = arguments(settings, Path("/models/base"), bundle.facts.serving, 1234)
    text = " ".join(found)
    assert found[0] == "/models/base"
    for wanted in (
        "--host 127.0.0.1 --port 1234", "--enable-lora --max-lora-rank 8", "--generation-config vllm",
        "--dtype bfloat16", "--logprobs-mode raw_logprobs", "--gpu-memory-utilization 0.8",
    ):  # fmt: skip
        assert wanted in text
    assert "s3cret" not in text
    assert environment({"A": "b"}, "s3cret") == {
        "A": "b", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1",
        "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "1", "VLLM_API_KEY": "s3cret",
    }  # fmt: skip


def test_stopping_ends_vllm(run_server, settings):
    with run_server(settings) as server:
        process = server.service.engine.process
        assert server.ask(max_tokens=2).status_code == 200
        assert process.alive
    assert not process.alive
