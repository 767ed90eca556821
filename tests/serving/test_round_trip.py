"""PEFT, the bundle, the merged model and the server say the same, for text, one image and two images."""

import pytest
import torch
from peft import PeftModel
from transformers import AutoModelForImageTextToText, AutoProcessor

from guerdon_serving.client import verify_serve
from guerdon_serving.merge import merge_bundle
from guerdon_serving.model.policy import Policy
from guerdon_serving.verify import verify_load

TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def peft_model(run_folder, base_folder):
    model = AutoModelForImageTextToText.from_pretrained(base_folder, dtype=torch.float32).eval()
    return PeftModel.from_pretrained(model, run_folder / "adapter").eval()


@pytest.fixture(scope="module")
def merged(bundle, tmp_path_factory):
    folder = tmp_path_factory.mktemp("merged") / "model"
    merge_bundle(bundle.folder, folder, dtype="float32")
    return Policy(folder, bundle.facts.tokenizer)


@pytest.fixture(scope="module")
def loaded(bundle):
    return verify_load(bundle.folder)


@torch.no_grad()
def reference(peft_model, base_folder, text, images):
    """Ask PEFT with transformers alone, nothing of ours."""
    processor = AutoProcessor.from_pretrained(base_folder)
    content = [*({"type": "image", "image": image} for image in images), {"type": "text", "text": text}]
    rendered = processor.apply_chat_template([{"role": "user", "content": content}], add_generation_prompt=True)
    inputs = processor(text=[rendered], images=images or None, return_tensors="pt")
    return peft_model(**inputs).logits[0, -1]


@pytest.mark.parametrize("name", ["text", "image", "images"])
def test_logits_agree_within_1e_5(peft_model, merged, loaded, bundle, base_folder, server, prompts, name):
    text, images = prompts[name]
    expected = reference(peft_model, base_folder, text, images)
    messages = [{"role": "user", "content": [*({"type": "image"} for _ in images), {"type": "text", "text": text}]}]
    encoded = loaded.prompter.encode(messages, images)
    assert float((loaded.policy.next_logits(encoded, bundle.id) - expected).abs().max()) < TOLERANCE
    assert float((merged.next_logits(encoded, None) - expected).abs().max()) < TOLERANCE
    assert float((loaded.policy.next_logits(encoded, None) - expected).abs().max()) > 0.1
    logprobs = torch.log_softmax(expected, -1)
    answer = server.ask(text, images, model="tiny", max_tokens=1, logprobs=True, top_logprobs=20).json()
    served = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    assert [token["id"] for token in served] == logprobs.topk(20).indices.tolist()
    assert max(abs(token["logprob"] - float(logprobs[token["id"]])) for token in served) < TOLERANCE


def test_a_running_server_is_verified_by_its_bundle(server, bundle, other_bundle):
    from guerdon_serving.codes import Code, RefusedError

    assert verify_serve(bundle.folder, server.url) < 1e-3
    with pytest.raises(RefusedError) as unknown:
        verify_serve(other_bundle.folder, server.url)
    with pytest.raises(RefusedError) as base:
        verify_serve(bundle.folder, server.url, model="base")
    with pytest.raises(RefusedError) as nobody:
        verify_serve(bundle.folder, "http://127.0.0.1:9")
    with pytest.raises(RefusedError) as scheme:
        verify_serve(bundle.folder, "file:///etc/passwd")
    assert {caught.value.code for caught in (unknown, base, nobody, scheme)} == {Code.SERVED_WRONG}
