"""The shipped checkpoint is whole, refuses a changed byte, and works offline on every modality."""

import shutil
import subprocess
import sys

import pytest
import torch
from PIL import Image
from transformers import AutoModelForImageTextToText, AutoProcessor, AutoTokenizer

from guerdon_trainer.quickstart.batches import chat_text, complete
from guerdon_trainer.quickstart.checkpoint import CHECKPOINT, DIGESTS, CheckpointError, checkpoint_path, ship, verify
from guerdon_trainer.quickstart.evaluation import evaluate
from guerdon_trainer.quickstart.mixture import draw_prompts

PROMPTS = draw_prompts("eval", 96, seed=0)
FILES = {
    "chat_template.jinja",
    "config.json",
    "generation_config.json",
    "model.safetensors",
    "preprocessor_config.json",
    "processor_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "video_preprocessor_config.json",
}


@pytest.fixture(scope="module")
def model():
    return AutoModelForImageTextToText.from_pretrained(checkpoint_path(), dtype=torch.float32, local_files_only=True)


@pytest.fixture(scope="module")
def processor():
    return AutoProcessor.from_pretrained(checkpoint_path(), local_files_only=True)


@pytest.fixture
def copy(tmp_path):
    return shutil.copytree(CHECKPOINT, tmp_path / "checkpoint")


def test_the_folder_is_complete_and_small():
    assert {path.name for path in checkpoint_path().iterdir()} == FILES | {"README.md"}
    assert sum(path.stat().st_size for path in CHECKPOINT.iterdir()) < 3_000_000


def test_the_digests_are_what_sha256sum_reads():
    lines = DIGESTS.read_text(encoding="utf-8").splitlines()
    assert [line[64:] for line in lines] == [f"  checkpoint/{name}" for name in sorted(FILES)]
    assert all(len(bytes.fromhex(line[:64])) == 32 for line in lines)


def test_an_untouched_copy_passes(copy):
    verify(copy, DIGESTS)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_a_changed_byte_is_refused(copy, name):
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    with pytest.raises(
        CheckpointError, match=rf"{name} has changed: its SHA-256 is [0-9a-f]{{64}}, expected .*reinstall"
    ):
        verify(copy, DIGESTS)


def test_a_missing_file_is_refused(copy):
    (copy / "tokenizer.json").unlink()
    with pytest.raises(CheckpointError, match=r"tokenizer.json is missing \(expected SHA-256 .*reinstall"):
        verify(copy, DIGESTS)


def test_an_extra_file_is_refused(copy):
    (copy / "modeling_evil.py").touch()
    with pytest.raises(CheckpointError, match=r"modeling_evil.py does not belong .* delete it"):
        verify(copy, DIGESTS)


def test_a_missing_list_is_refused(copy, tmp_path):
    with pytest.raises(CheckpointError, match="list of digests, is missing"):
        verify(copy, tmp_path / "none.sha256")


def test_shipping_replaces_the_files_and_keeps_the_note(tmp_path):
    source, folder, digests = tmp_path / "source", tmp_path / "checkpoint", tmp_path / "checkpoint.sha256"
    for path in (source, folder):
        path.mkdir()
    (source / "config.json").write_text("{}")
    (folder / "old.bin").touch()
    (folder / "README.md").write_text("how")
    ship(source, folder, digests)
    verify(folder, digests)
    assert {path.name for path in folder.iterdir()} == {"config.json", "README.md"}


def test_checking_needs_no_torch():
    code = (
        "import sys, guerdon_trainer.quickstart.checkpoint as c; c.checkpoint_path(); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})


def test_it_has_the_stated_size_and_ends(model, processor):
    assert 820_000 < model.num_parameters() < 840_000
    tokenizer = processor.tokenizer
    assert model.generation_config.eos_token_id == [tokenizer.eos_token_id, tokenizer.pad_token_id]
    assert model.generation_config.pad_token_id == tokenizer.pad_token_id
    assert tokenizer.eos_token == "<|im_end|>"


def test_the_tokenizer_alone_agrees_with_the_processor(processor):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint_path(), local_files_only=True)
    for prompt in PROMPTS:
        ids = tokenizer(prompt.completion).input_ids
        assert ids == processor.tokenizer(prompt.completion).input_ids
        assert tokenizer.decode(ids) == prompt.completion


def test_the_chat_format_is_qwens(processor):
    parts = [
        {"type": "image"},
        {"type": "image_url", "image_url": {"url": "x.png"}},
        {"type": "text", "text": "which?"},
    ]
    messages = [{"role": "system", "content": "be brief"}, {"role": "user", "content": parts}]
    picture = "<|vision_start|><|image_pad|><|vision_end|>"
    expected = "<|im_start|>system\nbe brief<|im_end|>\n<|im_start|>user\n" + picture * 2 + "which?<|im_end|>\n"
    tokenizer = processor.tokenizer
    assert tokenizer.apply_chat_template(messages, tokenize=False) == expected
    opened = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    assert opened == expected + "<|im_start|>assistant\n"


@pytest.mark.parametrize("modality", ["text", "image", "images"])
def test_it_answers_every_modality(model, processor, modality):
    prompts = [prompt for prompt in PROMPTS if prompt.modality == modality][:4]
    completions = complete(model, processor, prompts)
    assert all(text.startswith("<think>") and text.endswith("</answer>") for text in completions)


def test_a_mixed_batch_answers_as_single_ones_do(model, processor):
    prompts = [next(it for it in PROMPTS if it.modality == modality) for modality in ("text", "image", "images")]
    assert complete(model, processor, prompts) == [complete(model, processor, [prompt])[0] for prompt in prompts]


def test_the_processor_loads_pictures_by_path(model, processor):
    prompt = next(it for it in PROMPTS if it.modality == "images")
    images = [{"type": "image", "image": str(picture.path)} for picture in prompt.pictures]
    messages = [{"role": "user", "content": [*images, {"type": "text", "text": prompt.text}]}]
    inputs = processor.apply_chat_template(
        messages, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
    )
    opened = [Image.open(picture.path) for picture in prompt.pictures]
    same = processor(text=[chat_text(processor, prompt)], images=opened, return_tensors="pt")
    assert torch.equal(inputs["input_ids"], same["input_ids"])
    assert torch.equal(inputs["pixel_values"], same["pixel_values"])


def test_it_can_answer_but_not_reliably(model, processor):
    result = evaluate(model, processor, PROMPTS)
    assert result.formatted > 0.8
    assert result.strict_by_kind["color"] > 0.8
    assert 0.5 < result.iou < 0.95
    assert 0.4 < result.strict < 0.95
