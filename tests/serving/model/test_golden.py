"""Drift of template, tokenizer or processor is noticed though no file has changed."""

import pytest

from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.model.golden import check_prompting, describe_prompting
from guerdon_serving.model.probes import encode_probes, make_probes
from guerdon_serving.model.prompting import Prompter


@pytest.fixture
def prompter(bundle):
    return Prompter(bundle.base)


def drift(bundle, prompter):
    with pytest.raises(RefusedError) as caught:
        check_prompting(bundle, describe_prompting(prompter, encode_probes(prompter)))
    return caught.value.code


def test_without_drift_all_is_as_recorded(bundle, prompter):
    check_prompting(bundle, describe_prompting(prompter, encode_probes(prompter)))


def test_another_template_is_noticed(bundle, prompter):
    prompter.processor.chat_template += " "
    assert drift(bundle, prompter) is Code.TEMPLATE_HASH


def test_another_rendering_of_the_same_template_is_noticed(bundle, prompter, monkeypatch):
    render = prompter.render
    monkeypatch.setattr(prompter, "render", lambda messages: render(messages) + "\n")
    assert drift(bundle, prompter) is Code.TEMPLATE_RENDER


def test_another_resolution_is_noticed(bundle, prompter):
    prompter.processor.image_processor.size = {"shortest_edge": 128**2, "longest_edge": 128**2}
    golden = describe_prompting(prompter, encode_probes(prompter))
    assert golden.processor.grids["image"] != bundle.facts.processor.grids["image"]
    assert drift(bundle, prompter) in {Code.PROCESSOR_GRID, Code.TEMPLATE_RENDER}


def test_a_lost_special_token_is_noticed(bundle, prompter, monkeypatch):
    special = prompter.special_ids()
    monkeypatch.setattr(prompter, "special_ids", lambda: dict(list(special.items())[1:]))
    assert drift(bundle, prompter) is Code.TOKENIZER_FACTS


def test_a_base_without_template_or_end_is_incomplete(prompter, monkeypatch):
    encoded = encode_probes(prompter)
    monkeypatch.setattr(prompter, "end_ids", list)
    with pytest.raises(RefusedError) as endless:
        describe_prompting(prompter, encoded)
    prompter.processor.chat_template = prompter.tokenizer.chat_template = None
    with pytest.raises(RefusedError) as bare:
        describe_prompting(prompter, encoded)
    assert endless.value.code is bare.value.code is Code.BASE_INCOMPLETE


def test_the_probes_are_the_same_every_time():
    first, second = make_probes(), make_probes()
    assert first.keys() == {"text", "image", "images"}
    for name, probe in first.items():
        assert probe.messages == second[name].messages
        assert [image.tobytes() for image in probe.images] == [image.tobytes() for image in second[name].images]
    assert [image.size for image in first["images"].images] == [(64, 64), (96, 64)]
